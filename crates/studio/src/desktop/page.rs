//! Serves the studio's page to a browser on this machine.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use undine_serve::Server;

use super::arguments::Arguments;

/// Where `cargo xtask web` writes the page, relative to the repository.
const BUILT: &str = "target/web";

/// Serves the page and opens the browser.
pub fn serve(arguments: &Arguments) -> Result<(), String> {
    let folder = find_page(arguments)?;
    let server = Server::bind(folder, arguments.port).map_err(|error| error.to_string())?;
    let scene =
        arguments.scene.as_ref().map(|scene| format!("?scene={}", encoded(scene))).unwrap_or_default();
    let address = server.url() + &scene;
    println!("the studio is at {address}; Ctrl-C ends it");
    if arguments.opens_browser {
        open_browser(&address);
    }
    server.run();
    Ok(())
}

/// The folder of the page: as given, next to the executable, or where it is built.
fn find_page(arguments: &Arguments) -> Result<PathBuf, String> {
    if let Some(folder) = &arguments.folder {
        return Ok(folder.clone());
    }
    let next_to_program =
        std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("web")));
    let above =
        std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.join("web")));
    let folders = [next_to_program, above, Some(PathBuf::from(BUILT))];
    let found = folders.into_iter().flatten().find(|folder| folder.join("index.html").is_file());
    found.ok_or_else(|| {
        String::from(
            "the page is not built: run `cargo xtask web` in the repository, or give --folder FOLDER",
        )
    })
}

/// Percent-encodes a query value.
fn encoded(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    word.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Opens the browser; if that fails, the address has been printed.
fn open_browser(address: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet =
        Command::new(program).args(first).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        eprintln!("no browser could be opened; open the address by hand");
    }
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn query_values_are_percent_encoded() {
        assert_eq!(encoded("km-pool"), "km-pool");
        assert_eq!(encoded("a b&c=é"), "a%20b%26c%3D%C3%A9");
    }
}
