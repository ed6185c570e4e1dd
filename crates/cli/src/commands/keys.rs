//! `undine keys`.

use undine::scene::{Key, SCENE_KEYS};

use super::models::{key_json, push_key};
use crate::style::{Exit, say, say_json};

/// Explain the keys of a scene file: [scene], [camera], [sky], [[picture]], [output]
///
/// The keys of [[water]] depend on its kind: see `undine models`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine keys
  undine keys camera
  undine keys picture --json")]
pub struct Args {
    /// Only this section
    section: Option<String>,

    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// The sections whose keys are the same in every scene, as they are typed.
static SECTIONS: &[(&str, &str, &[Key])] = &[
    ("scene", "[scene]", SCENE_KEYS),
    ("camera", "[camera]", undine::render::CAMERA_KEYS),
    ("sky", "[sky]", undine::render::SKY_KEYS),
    ("picture", "[[picture]]", undine::render::PICTURE_KEYS),
    ("output", "[output]", undine::OUTPUT_KEYS),
];

/// Explains the keys.
pub fn run(args: &Args) -> Result<(), Exit> {
    let is_wanted = |name: &str| args.section.as_deref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<_> = SECTIONS.iter().filter(|(name, ..)| is_wanted(name)).collect();
    if let (Some(wanted), true) = (&args.section, chosen.is_empty()) {
        let known = undine::scene::known_words(wanted, SECTIONS.iter().map(|(name, ..)| *name));
        return Err(Exit::Wrong(format!(
            "there is no section {wanted:?}; {known}; for [[water]] see `undine models`"
        )));
    }
    if args.json {
        let sections = chosen.iter().map(|(name, _, keys)| {
            serde_json::json!({ "name": name, "keys": keys.iter().map(key_json).collect::<Vec<_>>() })
        });
        say_json(&sections.collect());
        return Ok(());
    }
    for (_, typed, keys) in chosen {
        let mut page = format!("{typed}\n");
        keys.iter().for_each(|key| push_key(&mut page, key, 2));
        say(page);
    }
    Ok(())
}
