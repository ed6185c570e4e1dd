//! `pictures.csv`: how much work the pictures of a run get that leave it to the machine.
//!
//! It is chosen once, before the first picture. A run that goes on keeps it, even on another machine: all pictures of a film
//! are alike.

use std::path::Path;

use undine_frame::{AtomicFile, SinkError};
use undine_render::{Effort, PictureSpec};

use crate::plan::set_efforts;

/// The record in a run's folder.
const FILE: &str = "pictures.csv";

/// Keeps the efforts of an earlier part of the run, if `is_resumed` and it left any, or records those that were chosen now.
/// Gives those that hold.
pub(crate) fn settle(
    root: &Path,
    is_resumed: bool,
    pictures: &mut [PictureSpec],
    chosen: &[(usize, Effort)],
) -> Result<Vec<(usize, Effort)>, SinkError> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let path = root.join(FILE);
    let recorded = if is_resumed { std::fs::read_to_string(&path).ok() } else { None };
    let efforts = match recorded.and_then(|text| parse(&text, pictures, chosen)) {
        Some(earlier) => earlier,
        None => {
            let text = table(pictures, chosen);
            AtomicFile::write_all_to(&path, text.as_bytes()).map_err(SinkError::at(&path))?;
            chosen.to_vec()
        }
    };
    set_efforts(pictures, &efforts);
    Ok(efforts)
}

fn table(pictures: &[PictureSpec], efforts: &[(usize, Effort)]) -> String {
    let name = |number: usize| pictures.get(number).map_or("", |picture| picture.name.as_str());
    let rows =
        efforts.iter().map(|(number, effort)| format!("{},{}\n", name(*number), effort.parts().join(",")));
    format!("picture,{}\n", Effort::PARTS.join(",")) + &rows.collect::<String>()
}

/// The recorded efforts, if there is one for every picture that needs one.
fn parse(text: &str, pictures: &[PictureSpec], chosen: &[(usize, Effort)]) -> Option<Vec<(usize, Effort)>> {
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let recorded = |number: usize| {
        let name = pictures.get(number)?.name.as_str();
        let row = rows.iter().find(|row| row.first() == Some(&name))?;
        Effort::from_parts(row.get(1..)?)
    };
    chosen.iter().map(|(number, _)| Some((*number, recorded(*number)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_render::trace::TraceQuality;
    use undine_render::{PictureKind, Pictures};
    use undine_scene::{LoadOptions, Scene};

    fn pictures() -> Vec<PictureSpec> {
        let text =
            "[scene]\nduration = 1\n[[picture]]\nkind = 'plot'\n[[picture]]\n[[picture]]\nname = 'b'\n";
        Pictures::read(&Scene::parse("two", text, &LoadOptions::default()).unwrap()).unwrap()
    }

    fn efforts(paths: u32) -> Vec<(usize, Effort)> {
        [1, 2]
            .map(|number| (number, Effort { size: [640, 360], quality: TraceQuality::Draft, paths }))
            .to_vec()
    }

    #[test]
    fn a_run_that_goes_on_keeps_what_was_chosen_first() {
        let folder = tempfile::tempdir().unwrap();
        let settled = |is_resumed, paths| {
            let mut pictures = pictures();
            settle(folder.path(), is_resumed, &mut pictures, &efforts(paths)).unwrap();
            let PictureKind::Trace(trace) = &pictures[2].kind else { panic!("not traced") };
            (pictures[2].width, trace.paths)
        };
        assert_eq!(settled(false, 8), (640, Some(8)));
        // The machine has changed since
        assert_eq!(settled(true, 24), (640, Some(8)));
        assert_eq!(settled(false, 24), (640, Some(24)));
        // A record that cannot be read is made anew
        std::fs::write(folder.path().join(FILE), "picture,width\ntrace,9").unwrap();
        assert_eq!(settled(true, 12), (640, Some(12)));
        assert_eq!(settled(true, 24), (640, Some(12)));
    }

    #[test]
    fn nothing_is_recorded_where_nothing_was_chosen() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(settle(folder.path(), false, &mut pictures(), &[]).unwrap(), []);
        assert!(!folder.path().join(FILE).exists());
    }
}
