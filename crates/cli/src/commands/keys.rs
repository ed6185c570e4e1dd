//! `undine keys`.

use undine::models::heightfield::{SOURCE_KEYS, SOURCE_KINDS};
use undine::models::liquid::sources::{
    DRAIN_KEYS, FILL_KEYS_IN_SPACE, LEVEL_KEYS, LIQUID_EMITTER_KEYS_IN_SPACE,
};
use undine::models::solids::{OBSTACLE_KEYS, OBSTACLE_KINDS, PLACED_KEYS};
use undine::models::stable_fluids::{EMITTER_KEYS, EMITTER_KINDS};
use undine::scene::{Key, SCENE_KEYS};
use undine::sim::{ACTION_KEYS, ACTION_KINDS, GAUGE_KEYS, GAUGE_KINDS};
use undine::terrain::{KINDS as TERRAIN_KINDS, TERRAIN_KEYS};

use super::models::{key_json, push_key};
use crate::style::{Exit, say, say_json};

/// Explain the keys of a scene file: [scene], [[terrain]], [[source]], [[obstacle]], [[emitter]], …
///
/// The keys of [[water]] depend on its kind: see `undine models`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine keys
  undine keys camera
  undine keys terrain
  undine keys picture --json")]
pub struct Args {
    /// Only this section
    section: Option<String>,

    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// A section whose keys are the same in every scene.
struct Topic {
    name: &'static str,
    /// As it is typed.
    header: &'static str,
    keys: Vec<&'static [Key]>,
    kinds: Vec<Kind>,
}

/// What a `kind` of the section adds: its name, its summary and its keys.
type Kind = (&'static str, &'static str, &'static [Key]);

fn topics() -> Vec<Topic> {
    let topic = |name, header, keys| Topic { name, header, keys: vec![keys], kinds: Vec::new() };
    // What liquids fill, pour and drain has the shape of an obstacle, or is everything below a level
    let region = |name, header, own| {
        let shapes = OBSTACLE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys));
        let level = ("level", "everything below a height, at rest where it is", LEVEL_KEYS);
        Topic { name, header, keys: vec![own, PLACED_KEYS], kinds: shapes.chain([level]).collect() }
    };
    let terrain = TERRAIN_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let sources = SOURCE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let obstacles = OBSTACLE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let emitters = EMITTER_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    vec![
        topic("scene", "[scene]", SCENE_KEYS),
        Topic { kinds: terrain, ..topic("terrain", "[[terrain]]", TERRAIN_KEYS) },
        Topic { kinds: sources, ..topic("source", "[[source]]", SOURCE_KEYS) },
        Topic {
            name: "obstacle",
            header: "[[obstacle]]",
            keys: vec![OBSTACLE_KEYS, PLACED_KEYS],
            kinds: obstacles,
        },
        Topic { kinds: emitters, ..topic("emitter", "[[emitter]] of stable-fluids", EMITTER_KEYS) },
        region("fill", "[[fill]] of a liquid", FILL_KEYS_IN_SPACE),
        region("pour", "[[emitter]] of a liquid", LIQUID_EMITTER_KEYS_IN_SPACE),
        region("drain", "[[drain]] of a liquid", DRAIN_KEYS),
        Topic { kinds: GAUGE_KINDS.to_vec(), ..topic("gauge", "[[gauge]]", GAUGE_KEYS) },
        Topic { kinds: ACTION_KINDS.to_vec(), ..topic("act", "[[act]]", ACTION_KEYS) },
        topic("metaballs", "[[metaballs]]", undine::surface::METABALL_KEYS),
        topic("surface", "[[surface]]", undine::surface::SURFACE_KEYS),
        topic("camera", "[camera]", undine::render::CAMERA_KEYS),
        topic("sky", "[sky]", undine::render::SKY_KEYS),
        topic("prop", "[[prop]]", undine::render::PROP_KEYS),
        topic("picture", "[[picture]]", undine::render::PICTURE_KEYS),
        topic("output", "[output]", undine::OUTPUT_KEYS),
    ]
}

/// Explains the keys.
pub fn run(args: &Args) -> Result<(), Exit> {
    let topics = topics();
    let is_wanted = |name: &str| args.section.as_deref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<&Topic> = topics.iter().filter(|topic| is_wanted(topic.name)).collect();
    if let (Some(wanted), true) = (&args.section, chosen.is_empty()) {
        let known = undine::scene::known_words(wanted, topics.iter().map(|topic| topic.name));
        return Err(Exit::Wrong(format!(
            "there is no section {wanted:?}; {known}; for [[water]] see `undine models`"
        )));
    }
    if args.json {
        say_json(&chosen.into_iter().map(topic_json).collect());
        return Ok(());
    }
    chosen.into_iter().for_each(|topic| say(topic_page(topic)));
    Ok(())
}

fn topic_json(topic: &Topic) -> serde_json::Value {
    let keys = |keys: &[Key]| keys.iter().map(key_json).collect::<Vec<_>>();
    let kinds = topic.kinds.iter().map(
        |(name, summary, own)| serde_json::json!({ "kind": name, "summary": summary, "keys": keys(own) }),
    );
    serde_json::json!({
        "name": topic.name,
        "keys": topic.keys.iter().flat_map(|part| keys(part)).collect::<Vec<_>>(),
        "kinds": kinds.collect::<Vec<_>>(),
    })
}

fn topic_page(topic: &Topic) -> String {
    let mut page = format!("{}\n", topic.header);
    topic.keys.iter().copied().flatten().for_each(|key| push_key(&mut page, key, 2));
    for (name, summary, keys) in &topic.kinds {
        page.push_str(&format!("\n  kind = \"{name}\": {summary}\n"));
        keys.iter().for_each(|key| push_key(&mut page, key, 4));
    }
    page
}
