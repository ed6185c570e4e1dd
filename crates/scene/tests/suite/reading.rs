//! A sound scene is read as it is meant: types, defaults, includes, overrides, scale, and the fence around its folder.

use std::fs;
use std::path::Path;

use undine_scene::{LoadOptions, Scene, SceneErrors};

use crate::pool;

const FULL: &str = r##"
[scene]
name = "bath"
duration = 4
fps = 25
seed = 7
gravity = 1.62

[pool]
depth = 3
size = [4, 2.5]
resolution = [40.0, 25]
layers = 4
spacing = 0.1
heated = true
label = "a \"bath\"\ttub"
west = "open"
outputs = ["meshes", "film"]
tint = [0.25, 0.5, 1]
level = "0.1*sin(t)"

[pool.inlet]
rate = 2

[[pool.drops]]
position = [1, 1]

[[pool.drops]]
position = [2, 1]
radius = 0.5

[[water]]
kind = "calm"

[[water]]
kind = "windy"
wind = "10 + t"
"##;

const SMALL: &str = "[scene]\nduration = 4\n[pool]\ndepth = 3\n";

fn with(overrides: &[&str]) -> LoadOptions {
    LoadOptions { overrides: overrides.iter().map(ToString::to_string).collect(), ..LoadOptions::default() }
}

fn scaled(scale: f64) -> LoadOptions {
    LoadOptions { scale, ..LoadOptions::default() }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn load(path: &Path, options: &LoadOptions) -> Result<pool::Read, SceneErrors> {
    pool::read(Scene::load(path, options)?)
}

#[test]
fn every_kind_of_value_is_read() {
    let pool::Read { scene, pool, waters } = pool::parse(FULL, &LoadOptions::default()).unwrap();
    assert_eq!((scene.name.as_str(), scene.duration, scene.fps), ("bath", 4.0, 25.0));
    assert_eq!((scene.seed, scene.gravity, scene.frame_count()), (7, 1.62, 101));
    assert_eq!(pool.number("depth"), 3.0);
    assert_eq!(pool.vector("size"), [4.0, 2.5]);
    assert_eq!(pool.integers("resolution"), [40, 25]);
    assert_eq!((pool.integer("layers"), pool.number_if("spacing")), (4, Some(0.1)));
    assert!(pool.flag("heated"));
    assert_eq!(pool.text("label"), "a \"bath\"\ttub");
    assert_eq!((pool.word("west"), pool.words("outputs")), ("open", vec!["meshes", "film"]));
    assert_eq!(pool.colour("tint"), [0.25, 0.5, 1.0]);
    assert_eq!(pool.timed("level").at(2.0), Ok(0.1 * 2.0_f64.sin()));
    assert_eq!(pool.table("inlet").timed("rate").at(1.0), Ok(2.0));
    assert_eq!(pool.tables("drops")[1].number("radius"), 0.5);
    assert_eq!(waters[1].timed("wind").at(3.0), Ok(13.0));
    assert!(pool.is_given("west") && !waters[0].is_given("height"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let pool::Read { scene, pool, waters } = pool::parse(SMALL, &LoadOptions::default()).unwrap();
    assert_eq!((scene.name.as_str(), scene.fps, scene.seed, scene.gravity), ("pool", 24.0, 1, 9.81));
    assert_eq!(pool.vector("size"), [10.0, 10.0]);
    assert_eq!((pool.number_if("spacing"), pool.file_if("bed")), (None, None));
    assert_eq!(pool.words("outputs"), ["film"]);
    assert_eq!(pool.table("inlet").number("width"), 1.0);
    assert!(pool.tables("drops").is_empty() && waters.is_empty());
    assert!(!scene.has("water") && scene.has("pool"));
}

#[test]
fn frames_end_with_the_duration() {
    for (duration, fps, frames) in
        [("1", "24", 25), ("0.3", "10", 4), ("0.05", "10", 1), ("1e6", "10", 10_000_001)]
    {
        let text = format!("[scene]\nduration = {duration}\nfps = {fps}\n");
        let scene = Scene::parse("a", &text, &LoadOptions::default()).unwrap();
        assert_eq!(scene.frame_count(), frames, "{duration} s");
        assert!(scene.frame_time(frames - 1) <= scene.duration + 1e-9);
    }
}

#[test]
fn the_scale_multiplies_marked_keys_and_keeps_them_in_range() {
    let half = pool::parse(FULL, &scaled(0.5)).unwrap().pool;
    assert_eq!(half.integers("resolution"), [20, 13]);
    assert_eq!((half.integer("layers"), half.number("spacing"), half.number("depth")), (2, 0.05, 3.0));
    let tiny = pool::parse(FULL, &scaled(1e-3)).unwrap().pool;
    assert_eq!((tiny.integers("resolution"), tiny.integer("layers")), ([2, 2], 1));
    let huge = pool::parse(FULL, &scaled(1e300)).unwrap().pool;
    assert_eq!((huge.integers("resolution"), huge.number("spacing")), ([4096, 4096], 10.0));
    let default = pool::parse(SMALL, &scaled(2.0)).unwrap().pool;
    assert_eq!((default.integers("resolution"), default.integer("layers")), ([128, 128], 16));
}

#[test]
fn overrides_set_make_and_append() {
    let typed = [
        "pool.depth=5",
        "pool.west=periodic",
        "pool.size.1 = 9",
        "pool.inlet.rate=3*step(t - 1)",
        "pool.outputs=[\"frames\"]",
        "water.0.kind=calm",
        "water.1={kind = \"windy\", wind = 12}",
        "water.1.wind=13",
        "pool.drops.0.position=[1, 2]",
        "scene.summary=\"= of all\"",
    ];
    let text = format!("{SMALL}size = [3, 3]\n");
    let pool::Read { scene, pool, waters } = pool::parse(&text, &with(&typed)).unwrap();
    assert_eq!((pool.number("depth"), pool.word("west"), pool.vector("size")), (5.0, "periodic", [3.0, 9.0]));
    assert_eq!(pool.table("inlet").timed("rate").at(2.0), Ok(3.0));
    assert_eq!(pool.words("outputs"), ["frames"]);
    assert_eq!((waters.len(), waters[1].timed("wind").at(0.0)), (2, Ok(13.0)));
    assert_eq!(pool.tables("drops")[0].vector("position"), [1.0, 2.0]);
    assert_eq!(scene.summary, "= of all");
}

#[test]
fn a_single_table_counts_as_a_list_of_one() {
    let text = format!("{SMALL}\n[water]\nkind = \"windy\"\nwind = 3\n");
    let read = pool::parse(&text, &with(&["water.0.wind=4", "water.1.kind=calm", "pool.0.depth=2"])).unwrap();
    assert_eq!((read.waters.len(), read.waters[0].timed("wind").at(0.0)), (2, Ok(4.0)));
    assert_eq!(read.pool.number("depth"), 2.0);
    assert_eq!(read.scene.sections("water")[1].name(), "water.1");
}

#[test]
fn problems_of_readers_stand_where_the_value_was_typed() {
    let read = pool::parse(FULL, &with(&["pool.west=wall"])).unwrap();
    let place =
        |problem: undine_scene::Problem| problem.place.map(|place| (place.source, place.line, place.column));
    let section = read.scene.section("pool");
    assert_eq!(place(section.problem("size.1", "too narrow", "")), Some(("pool".into(), 11, 12)));
    assert_eq!(place(section.problem("absent", "", "")), Some(("pool".into(), 9, 1)));
    assert_eq!(place(read.pool.problem("depth", "", "")), Some(("pool".into(), 10, 9)));
    assert_eq!(place(read.pool.problem("west", "", "")), Some(("--set 1".into(), 1, 11)));
    assert_eq!(place(read.pool.tables("drops")[1].problem("radius", "", "")), Some(("pool".into(), 30, 10)));
    assert_eq!(place(read.waters[0].problem("height", "", "")), Some(("pool".into(), 32, 1)));
    assert_eq!(section.text("west"), Some("wall"));
}

#[test]
fn the_resolved_text_says_the_same_whatever_the_order() {
    let one = Scene::parse("a", "[pool]\ndepth = 3\n[scene]\nfps = 5\nduration = 4", &LoadOptions::default())
        .unwrap();
    let two =
        Scene::parse("a", "scene.duration = 4\nscene.fps = 5\npool = { depth = 3 }", &LoadOptions::default())
            .unwrap();
    assert_eq!(one.resolved(), two.resolved());
    assert_eq!(
        one.resolved(),
        "# scale = 1.0\n\n[pool]\ndepth = 3\n\n[scene]\nduration = 4\nfps = 5\nname = \"a\"\n"
    );
}

#[test]
fn the_resolved_text_is_read_to_the_same_scene() {
    let options = with(&["pool.label=\"a\\u0000\\n\\\"\\\\'é\"", "water.0.name='1.5'"]);
    let first = pool::parse(FULL, &options).unwrap();
    let again = Scene::parse("other", first.scene.resolved(), &LoadOptions::default()).unwrap();
    assert_eq!(again.resolved(), first.scene.resolved());
    assert_eq!(again.name, "bath");
    let again = pool::read(again).unwrap();
    assert_eq!(again.pool.text("label"), "a\0\n\"\\'é");
    assert_eq!(again.waters[0].text("name"), "1.5");
}

#[test]
fn includes_lie_below_the_file_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let bath = folder.path().join("bath");
    write(
        &bath,
        "scene.toml",
        &format!("include = ['first.toml', 'parts/second.toml']\n{SMALL}[[water]]\nkind = 'calm'\n"),
    );
    write(&bath, "first.toml", "[pool]\nlabel = 'first'\ndepth = 9\nlayers = 1\n[camera]\nzoom = 2\n");
    write(&bath, "parts/second.toml", "include = 'third.toml'\n[pool]\nlabel = 'second'\nbed = 'bed.txt'\n");
    write(
        &bath,
        "parts/third.toml",
        "[pool]\nlabel = 'third'\nheated = true\n[[water]]\nkind = 'windy'\nwind = 1\n",
    );
    write(&bath, "parts/bed.txt", "0 0");
    let read = load(&bath.join("scene.toml"), &LoadOptions::default()).unwrap();
    assert_eq!((read.pool.number("depth"), read.pool.integer("layers")), (3.0, 1));
    assert_eq!(read.pool.text("label"), "second");
    assert!(read.pool.flag("heated") && read.scene.has("camera"));
    assert_eq!((read.waters.len(), read.waters[0].text("kind")), (1, "calm"));
    assert!(read.pool.file("bed").path().ends_with("parts/bed.txt"));
    assert!(!read.scene.resolved().contains("include"));
    assert_eq!(read.scene.name, "bath");
}

#[test]
fn a_file_may_be_included_twice_but_not_without_end() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.toml", &format!("include = ['b0.toml', 'b0.toml']\n{SMALL}"));
    for level in 0..12 {
        let next = level + 1;
        write(
            folder.path(),
            &format!("b{level}.toml"),
            &format!("include = ['b{next}.toml', 'b{next}.toml']\n"),
        );
    }
    write(folder.path(), "b12.toml", "");
    let errors = load(&folder.path().join("a.toml"), &LoadOptions::default()).unwrap_err();
    assert!(errors.to_string().contains("more than 256 files are included"), "{errors}");
    write(folder.path(), "b2.toml", "");
    assert!(load(&folder.path().join("a.toml"), &LoadOptions::default()).is_ok());
}

#[test]
fn a_text_can_bring_its_files() {
    let files: [(&str, &[u8]); 2] =
        [("parts/depths.toml", b"[pool]\nlayers = 7\nbed = 'bed.txt'\n"), ("parts/bed.txt", b"0 0")];
    let text = format!("include = 'parts/depths.toml'\n{SMALL}");
    let scene = Scene::parse_with_files("bath", &text, &files, &LoadOptions::default()).unwrap();
    let read = pool::read(scene).unwrap();
    assert_eq!(read.pool.integer("layers"), 7);
    assert_eq!(*read.pool.file("bed").read(10).unwrap(), *b"0 0");
    let other = |bed: &str| {
        let text = format!("{SMALL}bed = {bed:?}\n");
        let scene = Scene::parse_with_files("bath", &text, &files, &LoadOptions::default()).unwrap();
        pool::read(scene).unwrap_err().to_string()
    };
    assert!(other("parts/bad.txt").contains("did you mean \"parts/bed.txt\""), "{}", other("parts/bad.txt"));
    for outside in ["../parts/bed.txt", "/etc/hosts", ""] {
        assert!(other(outside).contains("did not come with this scene"), "{}", other(outside));
    }
}

#[test]
fn a_text_can_stand_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "parts/bed.txt", "0 0");
    write(folder.path(), "elsewhere.txt", "1");
    let read = |bed: &str, folder: &Path| {
        let text = format!("{SMALL}bed = {bed:?}\n");
        pool::read(Scene::parse_in_folder("bath", &text, folder, &LoadOptions::default())?)
    };
    let pool = read("parts/bed.txt", folder.path()).unwrap().pool;
    assert_eq!(*pool.file("bed").read(10).unwrap(), *b"0 0");
    let outside = read("../elsewhere.txt", &folder.path().join("parts")).err().unwrap();
    assert!(outside.to_string().contains("lies outside the scene's folder"), "{outside}");
    let missing = read("bed.txt", &folder.path().join("nowhere")).err().unwrap();
    assert!(missing.to_string().contains("cannot open the folder"), "{missing}");
}

#[test]
fn files_outside_need_leave() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "inside/a.toml",
        &format!("include = '../common.toml'\n{SMALL}bed = '../bed.txt'\n"),
    );
    write(folder.path(), "common.toml", "[pool]\nlayers = 3\n");
    write(folder.path(), "bed.txt", "0");
    let path = folder.path().join("inside/a.toml");
    assert!(
        load(&path, &LoadOptions::default())
            .unwrap_err()
            .to_string()
            .contains("lies outside the scene's folder")
    );
    let allowed = LoadOptions { allow_outside: true, ..LoadOptions::default() };
    assert_eq!(load(&path, &allowed).unwrap().pool.integer("layers"), 3);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_over_the_fence() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "secret.txt", "0");
    write(folder.path(), "inside/a.toml", &format!("{SMALL}bed = 'link.txt'\n"));
    write(folder.path(), "inside/bed.txt", "0");
    let (path, link) = (folder.path().join("inside/a.toml"), folder.path().join("inside/link.txt"));
    std::os::unix::fs::symlink("../secret.txt", &link).unwrap();
    assert!(
        load(&path, &LoadOptions::default())
            .unwrap_err()
            .to_string()
            .contains("lies outside the scene's folder")
    );
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("bed.txt", &link).unwrap();
    assert!(load(&path, &LoadOptions::default()).is_ok());
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Scene::load(&folder.path().join("none.toml"), &LoadOptions::default()).unwrap_err();
    assert!(missing.to_string().starts_with("cannot find "), "{missing}");
    let not_a_file = Scene::load(folder.path(), &LoadOptions::default()).unwrap_err();
    assert!(not_a_file.to_string().contains("is a folder, not a file"), "{not_a_file}");
    let large = fs::File::create(folder.path().join("large.toml")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    let large = Scene::load(&folder.path().join("large.toml"), &LoadOptions::default()).unwrap_err();
    assert!(large.to_string().contains("is larger than 16 MiB"), "{large}");
}

#[test]
fn no_nesting_overflows_the_stack() {
    let dotted = vec!["a"; 70].join(".");
    let mut nested = "1".to_owned();
    for _ in 0..70 {
        nested = format!("{{ {dotted} = {nested} }}");
    }
    let texts = [
        format!("x = {}", "[".repeat(100_000)),
        format!("x = {}", "{a=".repeat(100_000)),
        format!("[{}]", vec!["a"; 100_000].join(".")),
        format!("{} = 1", vec!["a"; 100_000].join(".")),
        format!("x = {nested}"),
    ];
    for text in texts {
        let errors = pool::parse(&text, &LoadOptions::default()).unwrap_err();
        assert!(errors.to_string().lines().all(|line| line.len() < 1000));
        let override_errors = pool::parse(SMALL, &with(&[&format!("pool.x{text}")]));
        assert!(override_errors.is_err());
    }
}

#[test]
fn a_flood_of_problems_is_cut_short() {
    let keys: String = (0..20_000).map(|key| format!("strange{key} = nan\n")).collect();
    let errors = pool::parse(&format!("{SMALL}{keys}"), &LoadOptions::default()).unwrap_err();
    assert_eq!(errors.len(), 10_000);
    let text = errors.to_string();
    assert!(text.contains("… and 9950 more") && text.ends_with("at least 10000 problems in pool"));
}

#[test]
fn a_flood_on_one_line_takes_no_time() {
    let keys: String = (0..100_000).map(|key| format!("strange{key} = [nan],")).collect();
    let text = format!("[scene]\nduration = 4\n[pool]\ndepth = 3\ninlet = {{ {keys} }}\n");
    let start = std::time::Instant::now();
    let errors = pool::parse(&text, &LoadOptions::default()).unwrap_err();
    assert!(errors.to_string().len() < 100_000);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
