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
use crate::pager::{self, PagerArgs};
use crate::style::{Exit, aligned, hint, say, say_json};

/// List the sections of a scene file, or explain the keys of one
///
/// The keys of [[water]] depend on its kind: see `undine models`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine keys
  undine keys camera            the keys of [camera] with units, defaults and ranges
  undine keys terrain
  undine keys picture --json
  undine keys --json            all sections with all their keys")]
pub struct Args {
    /// Explain the keys of this section
    section: Option<String>,

    /// Print them with all their keys as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pager: PagerArgs,
}

/// A section whose keys are the same in every scene.
struct Topic {
    name: &'static str,
    /// As it is typed.
    header: &'static str,
    summary: &'static str,
    keys: Vec<&'static [Key]>,
    kinds: Vec<Kind>,
}

/// What a `kind` of the section adds: its name, its summary and its keys.
type Kind = (&'static str, &'static str, &'static [Key]);

fn topics() -> Vec<Topic> {
    let topic =
        |name, header, summary, keys| Topic { name, header, summary, keys: vec![keys], kinds: Vec::new() };
    // What liquids fill, pour and drain has the shape of an obstacle, or is everything below a level
    let region = |name, header, summary, own| {
        let shapes = OBSTACLE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys));
        let level = ("level", "everything below a height, at rest where it is", LEVEL_KEYS);
        let kinds = shapes.chain([level]).collect();
        Topic { name, header, summary, keys: vec![own, PLACED_KEYS], kinds }
    };
    let terrain = TERRAIN_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let sources = SOURCE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let obstacles = OBSTACLE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    let emitters = EMITTER_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect();
    vec![
        topic("scene", "[scene]", "the clock, and what holds for all waters", SCENE_KEYS),
        Topic {
            kinds: terrain,
            ..topic(
                "terrain",
                "[[terrain]]",
                "the ground, as layers of shapes, noise and height files",
                TERRAIN_KEYS,
            )
        },
        Topic {
            kinds: sources,
            ..topic(
                "source",
                "[[source]]",
                "where water over land wells up, is drawn off or comes in",
                SOURCE_KEYS,
            )
        },
        Topic {
            name: "obstacle",
            header: "[[obstacle]]",
            summary: "solids that stand or move in a box",
            keys: vec![OBSTACLE_KEYS, PLACED_KEYS],
            kinds: obstacles,
        },
        Topic {
            kinds: emitters,
            ..topic(
                "emitter",
                "[[emitter]] of stable-fluids",
                "what stirs a fluid, and brings dye, smoke or heat",
                EMITTER_KEYS,
            )
        },
        region("fill", "[[fill]] of a liquid", "where the liquid is at the start", FILL_KEYS_IN_SPACE),
        region("pour", "[[emitter]] of a liquid", "where liquid flows in", LIQUID_EMITTER_KEYS_IN_SPACE),
        region("drain", "[[drain]] of a liquid", "where liquid flows out", DRAIN_KEYS),
        Topic {
            kinds: GAUGE_KINDS.to_vec(),
            ..topic("gauge", "[[gauge]]", "what is measured at points and across lines", GAUGE_KEYS)
        },
        Topic {
            kinds: ACTION_KINDS.to_vec(),
            ..topic("act", "[[act]]", "what a hand does to the water, and when", ACTION_KEYS)
        },
        topic(
            "metaballs",
            "[[metaballs]]",
            "particles drawn as a closed surface",
            undine::surface::METABALL_KEYS,
        ),
        topic(
            "surface",
            "[[surface]]",
            "how fine and smooth the surface of a liquid is",
            undine::surface::SURFACE_KEYS,
        ),
        topic("camera", "[camera]", "where pictures are taken from", undine::render::CAMERA_KEYS),
        topic("sky", "[sky]", "sun, haze and clouds", undine::render::SKY_KEYS),
        topic("prop", "[[prop]]", "things that only pictures show", undine::render::PROP_KEYS),
        topic("picture", "[[picture]]", "how frames are drawn", undine::render::PICTURE_KEYS),
        topic("output", "[output]", "which files a run writes", undine::OUTPUT_KEYS),
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
    if args.section.is_some() {
        chosen.into_iter().for_each(|topic| pager::show(&topic_page(topic), &args.pager));
    } else {
        say(list(&chosen));
        hint(
            "`undine keys NAME` explains the keys of one; those of [[water]] depend on its kind: `undine models`",
        );
    }
    Ok(())
}

/// A line per section.
fn list(topics: &[&Topic]) -> String {
    let rows: Vec<_> = topics.iter().map(|topic| [topic.name, topic.header, topic.summary]).collect();
    aligned(&rows)
}

fn topic_json(topic: &Topic) -> serde_json::Value {
    let keys = |keys: &[Key]| keys.iter().map(key_json).collect::<Vec<_>>();
    let kinds = topic.kinds.iter().map(
        |(name, summary, own)| serde_json::json!({ "kind": name, "summary": summary, "keys": keys(own) }),
    );
    serde_json::json!({
        "name": topic.name,
        "summary": topic.summary,
        "keys": topic.keys.iter().flat_map(|part| keys(part)).collect::<Vec<_>>(),
        "kinds": kinds.collect::<Vec<_>>(),
    })
}

fn topic_page(topic: &Topic) -> String {
    let mut page = format!("{}: {}\n", topic.header, topic.summary);
    topic.keys.iter().copied().flatten().for_each(|key| push_key(&mut page, key, 2));
    for (name, summary, keys) in &topic.kinds {
        page.push_str(&format!("\n  kind = \"{name}\": {summary}\n"));
        keys.iter().for_each(|key| push_key(&mut page, key, 4));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::WIDEST;

    #[test]
    fn the_list_has_a_line_per_section_that_fits_a_screen() {
        let topics = topics();
        let list = list(&topics.iter().collect::<Vec<_>>());
        assert_eq!(list.lines().count(), topics.len());
        for line in list.lines() {
            assert!(line.chars().count() <= WIDEST, "{line}");
        }
    }
}
