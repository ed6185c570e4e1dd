//! `undine-studio --web`: the page in the browser of this machine.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use undine_serve::{ServeError, Server};

/// Why the page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is no page where one would be.
    #[error("the page is not built: `cargo xtask web` builds it into target/web; name it by --folder if it is elsewhere")]
    NotBuilt,
    /// It is there and cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Makes the page ready: the one in `folder`, or else the one that lies where `cargo xtask web` puts it.
pub fn bind(folder: Option<PathBuf>, port: u16) -> Result<Server, PageError> {
    let folder = folder.or_else(|| usual_places().find(|place| is_page(place))).ok_or(PageError::NotBuilt)?;
    Ok(Server::bind(folder, port)?)
}

/// Beside the program, where cargo builds it, and in the folder of a checkout.
fn usual_places() -> impl Iterator<Item = PathBuf> {
    let own = env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned));
    let here = env::current_dir().unwrap_or_default();
    let beside = own.into_iter().flat_map(|own| [own.join("web"), own.join("../web")]);
    let above = here.ancestors().map(|above| above.join("target/web")).collect::<Vec<_>>();
    beside.chain(above)
}

fn is_page(folder: &Path) -> bool {
    folder.join("index.html").is_file() && folder.join("undine_bg.wasm").is_file()
}

/// The address of the page with a scene already chosen.
pub fn address(server: &Server, scene: Option<&str>) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    let coded = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    match scene {
        Some(scene) => format!("{}?scene={}", server.url(), scene.bytes().map(coded).collect::<String>()),
        None => server.url(),
    }
}

/// Shows an address in the person's browser, and does not wait for it.
pub fn open_browser(address: &str) -> io::Result<()> {
    let (program, words): (&str, &[&str]) = match env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(words).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_served_with_its_scene_in_the_address() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(bind(Some(folder.path().to_owned()), 0), Err(PageError::Serve(_))));
        std::fs::write(folder.path().join("index.html"), "").unwrap();
        let server = bind(Some(folder.path().to_owned()), 0).unwrap();
        assert_eq!(address(&server, None), server.url());
        assert!(address(&server, Some("km pool&x")).ends_with("/?scene=km%20pool%26x"));
    }
}
