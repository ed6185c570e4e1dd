//! `pictures.csv`: the rendering efforts that were chosen for the pictures of a run.
//!
//! They are chosen once, before the first picture. A resumed run keeps them, even on another machine, so that all pictures
//! of a film have the same quality.

use std::path::Path;

use undine_frame::{AtomicFile, SinkError};
use undine_render::{Effort, PictureSpec};

use crate::plan::set_efforts;

/// The record in a run's folder.
const FILE: &str = "pictures.csv";

/// Reads the efforts that an earlier part of the run recorded, if `is_resumed`, or else records those chosen now. Applies
/// and returns them.
pub(crate) fn resolve(
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
        let text = "[scene]\nduration = 1\n[[picture]]\nkind = 'plot'\n[[picture]]\nkind = 'trace'\n[[picture]]\nkind = 'trace'\nname = 'b'\n";
        Pictures::read(&Scene::parse("two", text, &LoadOptions::default()).unwrap()).unwrap()
    }

    fn efforts(paths: u32) -> Vec<(usize, Effort)> {
        [1, 2]
            .map(|number| (number, Effort { size: [640, 360], quality: TraceQuality::Draft, paths }))
            .to_vec()
    }

    #[test]
    fn a_resumed_run_keeps_the_recorded_efforts() {
        let folder = tempfile::tempdir().unwrap();
        let resolved = |is_resumed, paths| {
            let mut pictures = pictures();
            resolve(folder.path(), is_resumed, &mut pictures, &efforts(paths)).unwrap();
            let PictureKind::Trace(trace) = &pictures[2].kind else { panic!("not traced") };
            (pictures[2].width, trace.paths)
        };
        assert_eq!(resolved(false, 8), (640, Some(8)));
        // The machine has changed since
        assert_eq!(resolved(true, 24), (640, Some(8)));
        assert_eq!(resolved(false, 24), (640, Some(24)));
        // An unreadable record is written again
        std::fs::write(folder.path().join(FILE), "picture,width\ntrace,9").unwrap();
        assert_eq!(resolved(true, 12), (640, Some(12)));
        assert_eq!(resolved(true, 24), (640, Some(12)));
    }

    #[test]
    fn no_record_is_written_without_chosen_efforts() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(resolve(folder.path(), false, &mut pictures(), &[]).unwrap(), []);
        assert!(!folder.path().join(FILE).exists());
    }
}
