//! The page, served to a browser on this machine.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use undine_serve::Server;

use super::arguments::Arguments;

/// Where `cargo xtask web` leaves the page, seen from the repository.
const BUILT: &str = "target/web";

/// Serves the page and opens the browser.
pub fn serve(arguments: &Arguments) -> Result<(), String> {
    let folder = find_page(arguments)?;
    let server = Server::bind(folder, arguments.port).map_err(|error| error.to_string())?;
    let scene = arguments.scene.as_ref().map(|scene| format!("?scene={scene}")).unwrap_or_default();
    let address = server.url() + &scene;
    println!("the studio is at {address}; Ctrl-C ends it");
    if arguments.opens_browser {
        open_browser(&address);
    }
    server.run();
    Ok(())
}

/// The page's folder: as said, beside the program, or where it is built.
fn find_page(arguments: &Arguments) -> Result<PathBuf, String> {
    if let Some(folder) = &arguments.folder {
        return Ok(folder.clone());
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("web")));
    let above =
        std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.join("web")));
    let places = [beside, above, Some(PathBuf::from(BUILT))];
    let found = places.into_iter().flatten().find(|folder| folder.join("index.html").is_file());
    found.ok_or_else(|| {
        String::from("the page is not built: run `cargo xtask web` in the repository, or say --folder FOLDER")
    })
}

/// Opens the browser; where that fails, the address has been printed.
fn open_browser(address: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet =
        Command::new(program).args(first).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        eprintln!("no browser could be opened: open the address yourself");
    }
}
