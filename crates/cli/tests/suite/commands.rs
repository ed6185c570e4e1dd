//! The command line from outside: results, refusals and exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn undine(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_undine")).args(args).current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_str(&stdout(output)).unwrap()
}

const SMALL: [&str; 5] = ["--scale", "0.1", "--preview", "--size", "64x36"];

fn small_run(folder: &Path, more: &[&str]) -> Output {
    undine(&[&["run", "pond", "--frames", "0..4"][..], &SMALL, more].concat(), folder)
}

/// A pole that no sample of the check meets stops the run where it stands.
#[test]
fn a_value_of_t_that_cannot_be_used_stops_the_run_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "[scene]\nduration = 1\n[[water]]\nkind = 'shallow-water'\nsize = [8, 8]\nresolution = 16\nlevel = 1\n\
                 [[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 1\nrate = '1e-3/(t - 0.4321)^2'\n";
    fs::write(folder.path().join("pole.toml"), scene).unwrap();
    let run = undine(&["run", "pole.toml", "--no-render"], folder.path());
    assert!(!run.status.success());
    let message = stderr(&run);
    assert!(
        message.contains("pole.toml:12:8: rate must be") && message.contains("(at t = 0.43"),
        "{message}"
    );
    assert!(message.contains("= help: "), "{message}");
}

#[test]
fn a_run_leaves_everything_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    let run = small_run(folder.path(), &["--json"]);
    assert!(run.status.success(), "{}", stderr(&run));
    assert_eq!(json(&run)["finished"], true);
    let out = folder.path().join("out/pond");
    let wanted = [
        "film.mp4",
        "frames/000003.png",
        "sheet.png",
        "metrics.csv",
        "timings.csv",
        "report.html",
        "cache",
        "checkpoints",
    ];
    for name in wanted {
        assert!(out.join(name).exists(), "{name} is missing");
    }
    let film = fs::read(out.join("film.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(["film.mp4", "sheet.png", "64 × 36, preview", "<svg"].iter().all(|part| report.contains(part)));
    assert_eq!(fs::read_to_string(out.join("metrics.csv")).unwrap().lines().count(), 5);

    // The second run into the same folder
    let again = small_run(folder.path(), &[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--resume") && stderr(&again).contains("--overwrite"));
    assert!(small_run(folder.path(), &["--overwrite"]).status.success());

    // Pictures and exports without simulating again
    let render =
        undine(&["render", "out/pond", "--out", "again", "--set", "picture.0.size=[32,18]"], folder.path());
    assert!(render.status.success(), "{}", stderr(&render));
    assert!(folder.path().join("again/film.mp4").exists());
    let export =
        undine(&["export", "out/pond", "--format", "ply,obj,exr,png16,csv", "--frames", "1"], folder.path());
    assert!(export.status.success(), "{}", stderr(&export));
    for (format, extension) in
        [("ply", "ply"), ("obj", "obj"), ("exr", "exr"), ("png16", "png"), ("csv", "csv")]
    {
        let files: Vec<_> =
            fs::read_dir(out.join(format)).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(
            !files.is_empty() && files.iter().all(|file| file.extension().unwrap() == extension),
            "{files:?}"
        );
    }
}

#[test]
fn a_cache_is_rendered_with_other_cameras_and_skies() {
    let folder = tempfile::tempdir().unwrap();
    assert!(small_run(folder.path(), &[]).status.success());
    let still = |out: &str, more: &[&str]| {
        let args =
            [&["render", "out/pond", "--still", "2", "--size", "32x18", "--out", out][..], more].concat();
        let output = undine(&args, folder.path());
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        let path = folder.path().join(out).join("still-000002.png");
        let picture = undine::export::png::read_rgb8(&path).unwrap();
        assert_eq!((picture.width, picture.height), (32, 18), "{args:?}");
        assert!(!folder.path().join(out).join("film.mp4").exists());
        picture.pixels
    };
    let usual = still("usual", &[]);
    let others = [
        still("look", &["--look", "muddy-river"]),
        still("top", &["--camera", "top"]),
        still("eye", &["--camera", "eye=-3,2,1,at=0,0,0,fov=60"]),
        still("near", &["--camera", "distance=2"]),
        still("dusk", &["--sky", "sun_elevation=1"]),
        still("traced", &["--trace", "--set", "picture.0.paths=2"]),
    ];
    for (at, other) in others.iter().enumerate() {
        assert!(*other != usual && !others[..at].contains(other), "{at}");
    }

    // A frozen frame on a turntable
    let around =
        ["render", "out/pond", "--frame", "2", "--turntable", "4", "--size", "32x18", "--out", "around"];
    let output = undine(&around, folder.path());
    assert!(output.status.success(), "{}", stderr(&output));
    let bytes = |name: &str| fs::read(folder.path().join("around").join(name)).unwrap();
    let quarters = [0, 1, 2, 3].map(|quarter| bytes(&format!("frames/{quarter:06}.png")));
    assert!((1..4).all(|at| !quarters[..at].contains(&quarters[at])));
    assert!(!bytes("film.mp4").is_empty() && !bytes("sheet.png").is_empty());
    let flight = ["--waypoint", "time=0,eye=4,-4,2,at=0,0,0", "--waypoint", "time=0.1,eye=-4,-4,2,at=0,0,0"];
    let output = undine(
        &[&["render", "out/pond", "--frame", "2", "--json", "--size", "32x18"][..], &flight].concat(),
        folder.path(),
    );
    assert_eq!(json(&output)["frames"], 3, "{}", stderr(&output));
    assert!(folder.path().join("out/pond/around-000002/film.mp4").exists(), "the film of the run stays");
}

#[test]
fn the_last_line_of_a_run_is_a_command_that_traces_its_film() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pond", "--frames", "0..2", "--scale", "0.1", "--size", "32x18", "--out", "my pond"];
    let run = undine(&args, folder.path());
    let said = stdout(&run);
    assert!(run.status.success() && said.contains("\ntraced  about "), "{said}{}", stderr(&run));
    let drawn = fs::read(folder.path().join("my pond/frames/000001.png")).unwrap();
    // As pasted into a shell
    let command = said.trim_end().lines().last().unwrap().trim();
    let pasted = Command::new("sh").args(["-c", command]).current_dir(folder.path()).output().unwrap();
    assert!(pasted.status.success(), "{command}: {}", stderr(&pasted));
    assert!(stderr(&pasted).contains("picture trace: 32 × 18, quality "), "{}", stderr(&pasted));
    let traced = fs::read(folder.path().join("my pond/traced/frames/000001.png")).unwrap();
    assert_ne!(traced, drawn);
    assert!(folder.path().join("my pond/traced/film.mp4").exists());
    assert_eq!(
        fs::read(folder.path().join("my pond/frames/000001.png")).unwrap(),
        drawn,
        "the preview stays"
    );
    // A run that is traced has nothing to add
    let run = undine(&[&args[..], &["--trace", "--overwrite"]].concat(), folder.path());
    assert!(run.status.success() && !stdout(&run).contains("traced"), "{}", stderr(&run));
}

#[test]
fn the_effort_of_a_run_is_chosen_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out/pond");
    let run = |more: &[&str]| {
        let args = ["run", "pond", "--scale", "0.1", "--frames", "0..2", "--size", "32x18", "--trace"];
        let output = undine(&[&args, more].concat(), folder.path());
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let said = run(&["--threads", "1"]);
    assert!(
        said.contains("picture trace: 32 × 18, quality ") && said.contains(" paths for a pixel"),
        "{said}"
    );
    let record = fs::read_to_string(out.join("pictures.csv")).unwrap();
    assert!(record.starts_with("picture,width,height,quality,paths\ntrace,32,18,"), "{record}");
    let first = fs::read(out.join("frames/000001.png")).unwrap();

    // What is made again is the same, on any number of threads
    fs::remove_file(out.join("frames/000001.png")).unwrap();
    run(&["--resume", "--threads", "2"]);
    assert_eq!(fs::read(out.join("frames/000001.png")).unwrap(), first);

    // A run that began on a smaller machine keeps its effort
    fs::write(out.join("pictures.csv"), "picture,width,height,quality,paths\ntrace,32,18,draft,1\n").unwrap();
    fs::remove_file(out.join("frames/000001.png")).unwrap();
    assert!(run(&["--resume"]).contains("quality draft, up to 1 paths"));
    assert_ne!(fs::read(out.join("frames/000001.png")).unwrap(), first);
}

#[test]
fn a_resume_makes_outputs_that_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out/pond");
    let run = |more: &[&str]| undine(&[&["run", "pond"][..], &SMALL, more].concat(), folder.path());
    assert!(run(&["--frames", "2..4", "--no-render"]).status.success());
    assert!(!out.join("frames").exists());
    let resumed = run(&["--frames", "0..6", "--resume"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert!(stderr(&resumed).contains("is missing and is made again"), "{}", stderr(&resumed));
    let count = |name: &str| fs::read_dir(out.join(name)).unwrap().count();
    assert_eq!((count("frames"), count("cache")), (6, 7));
    assert_eq!(fs::read_to_string(out.join("metrics.csv")).unwrap().lines().count(), 7);

    // Deleted files are made again, and complete ones are kept
    let cached = fs::read(out.join("cache/000001.undine")).unwrap();
    fs::remove_file(out.join("frames/000002.png")).unwrap();
    fs::remove_file(out.join("cache/manifest.txt")).unwrap();
    assert!(run(&["--frames", "0..6", "--resume"]).status.success());
    assert_eq!((count("frames"), count("cache")), (6, 7));
    assert_eq!(fs::read(out.join("cache/000001.undine")).unwrap(), cached);

    // The manifest of another scene is refused and kept
    let manifest = out.join("cache/manifest.txt");
    let text = fs::read_to_string(&manifest).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let of_other_scene = format!("{text}\n# another scene");
    for other in [format!("undine cache 1\n{rest}"), of_other_scene, format!("{first}\n")] {
        fs::write(&manifest, &other).unwrap();
        let refused = run(&["--frames", "0..6", "--resume"]);
        assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
        let said = stderr(&refused);
        assert!(said.contains("cache") && said.contains("--overwrite"), "{said}");
        assert_eq!(fs::read_to_string(&manifest).unwrap(), other);
    }
    fs::write(&manifest, &text).unwrap();

    // A broken checkpoint is skipped; one of another version is refused
    let checkpoint = out.join("checkpoints/000005.checkpoint");
    let whole = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &whole[..whole.len() / 2]).unwrap();
    let passed_over = run(&["--frames", "0..6", "--resume"]);
    assert!(passed_over.status.success() && stderr(&passed_over).contains("not a whole checkpoint"));
    let mut old = whole.clone();
    old[8] = 99;
    fs::write(&checkpoint, &old).unwrap();
    let refused = run(&["--frames", "0..6", "--resume"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--overwrite"), "{}", stderr(&refused));
}

#[test]
fn a_list_has_a_line_per_entry_and_a_page_has_the_keys() {
    let folder = tempfile::tempdir().unwrap();
    // The page of an entry has its keys, the list has not
    for (command, name, key) in [("models", "gerstner", "wavelength"), ("keys", "camera", "azimuth")] {
        let listed = json(&undine(&[command, "--json"], folder.path()));
        let list = undine(&[command], folder.path());
        let lines: Vec<String> = stdout(&list).lines().map(str::to_owned).collect();
        assert!(list.status.success() && lines.len() == listed.as_array().unwrap().len(), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with(name)) && !lines.concat().contains(key));
        assert!(stdout(&undine(&[command, name], folder.path())).contains(key));
        assert!(listed.to_string().contains(&format!("{key:?}")), "the JSON of the list has all keys");
    }
    let scenes = stdout(&undine(&["scenes"], folder.path()));
    assert!(scenes.lines().all(|line| line.chars().count() <= 100), "{scenes}");
    for (section, key) in [("scene", "duration"), ("sky", "turbidity"), ("output", "formats")] {
        assert!(stdout(&undine(&["keys", section], folder.path())).contains(key), "{section}");
    }
}

#[test]
fn a_page_into_a_pipe_is_never_paged() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_undine"));
    let output =
        command.args(["models", "liquid"]).env("UNDINE_PAGER", "head -n 1").current_dir(folder.path());
    assert!(stdout(&output.output().unwrap()).lines().count() > 24);
}

/// The output on a pseudo-terminal made by script(1); `None` where that is missing.
#[cfg(target_os = "linux")]
fn on_a_terminal(command: &str, pager: &str) -> Option<String> {
    let line = format!("{} {command}", env!("CARGO_BIN_EXE_undine"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).stdin(std::process::Stdio::null());
    let output = script.env("UNDINE_PAGER", pager).env("TERM", "xterm").output().ok()?;
    assert!(output.status.success(), "{}", stdout(&output));
    Some(stdout(&output))
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_page_on_a_terminal_goes_through_the_pager() {
    let Some(first) = on_a_terminal("models liquid", "head -n 1") else { return };
    assert_eq!(first.trim_end(), "liquid (stable)", "a pager that leaves early is no error");
    let whole = on_a_terminal("models liquid --no-pager", "head -n 1").unwrap();
    assert!(whole.lines().count() > 24);
    // No pager for a short list, for JSON, or if the pager is missing or empty
    assert!(on_a_terminal("models", "head -n 1").unwrap().contains("`undine models NAME`"));
    assert!(on_a_terminal("models liquid --json", "head -c 1").unwrap().starts_with("[{"));
    assert_eq!(on_a_terminal("models liquid", "").unwrap(), whole);
    let missing = on_a_terminal("models liquid", "no-such-pager").unwrap();
    assert!(missing.starts_with("cannot start the pager no-such-pager") && missing.ends_with(&whole));
}

#[test]
fn lists_are_arrays_with_names_and_summaries() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["scenes", "models", "keys"] {
        let listed = json(&undine(&[command, "--json"], folder.path()));
        let entries = listed.as_array().unwrap();
        assert!(entries.len() >= 2);
        for entry in entries {
            assert!(
                !entry["name"].as_str().unwrap().is_empty() && !entry["summary"].as_str().unwrap().is_empty()
            );
        }
    }
    let page = stdout(&undine(&["models", "gerstner"], folder.path()));
    assert!(
        page.contains("wavelength") && page.contains("in m") && page.contains("Water Simulating"),
        "{page}"
    );
    assert!(stdout(&undine(&["scenes", "pond", "--file"], folder.path())).contains("[scene]"));
    assert!(stdout(&undine(&["completions", "bash"], folder.path())).contains("undine"));
}

#[test]
fn check_reports_problems_and_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let checked =
        |more: &[&str]| json(&undine(&[&["check", "swell", "--json"], more].concat(), folder.path()));
    let good = checked(&[]);
    assert!(good["ok"] == true && good["memory_bytes"].as_u64().unwrap() > 1000);
    assert!(good["cells"].as_u64().unwrap() > 1000 && good["particles"] == 0);
    assert!(good["simulate_s"].as_f64().unwrap() > 0.0 && good["pictures"] == serde_json::json!([]));
    // Where the scene does not ask for more, films are previews
    let [preview, traced] = ["--preview", "--trace"].map(|kind| checked(&[kind, "--size", "160x90"]));
    assert!(preview["pictures"] == serde_json::json!([]));
    assert!(traced["pictures"][0]["paths"].as_u64().unwrap() >= 4);
    // Other tests run at the same time, so that the two times cannot be compared
    assert!([&preview, &traced].iter().all(|checked| checked["render_s"].as_f64().unwrap() > 0.0));

    // A box of 8 × 8 cells, its lower half full, four particles to a cell
    let text = "[scene]\nduration = 1\n[[water]]\nkind = 'liquid'\nresolution = 8\nband = 0\n\
                [[fill]]\nkind = 'level'\nlevel = 0.5\n";
    fs::write(folder.path().join("half.toml"), text).unwrap();
    let half = json(&undine(&["check", "half.toml", "--json"], folder.path()));
    assert_eq!([&half["cells"], &half["particles"]], [64, 128]);
    let half = stdout(&undine(&["check", "half.toml"], folder.path()));
    assert!(half.contains("64 cells, 128 particles\n"), "{half}");

    let text = "[scene]\nduration = 1\n[[water]]\nkind = 'gerstner'\nwave = [{ amplitude = 1, wavelenth = 5 }]\n[sky]\nsun = 1\n";
    fs::write(folder.path().join("bad.toml"), text).unwrap();
    let bad = undine(&["check", "bad.toml"], folder.path());
    assert_eq!(bad.status.code(), Some(2));
    let message = stderr(&bad);
    assert!(
        message.contains("bad.toml:5:26: ") && message.contains("did you mean \"wavelength\"?"),
        "{message}"
    );
    assert!(message.contains("bad.toml:7:1: "), "all problems at once: {message}");
    let bad = undine(&["check", "bad.toml", "--json"], folder.path());
    assert!(json(&bad)["problems"].as_array().unwrap().len() >= 2);
}

#[test]
fn every_refusal_gives_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], hint: &str| {
        let output = undine(args, folder.path());
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(hint), "{args:?}: {text}");
        assert!(!text.contains("panicked"), "{args:?}: {text}");
    };
    refused(&["run", "pnd"], "did you mean \"pond\"?");
    refused(&["run", "pond", "--set", "water.0.resolution=0"], "resolution must be");
    refused(&["run", "pond", "--set", "water.7.depth=1"], "--set");
    refused(&["run", "pond", "--set", "scene.duration=nan"], "duration");
    refused(&["run", "pond", "--scale", "0"], "--scale must be above 0");
    refused(&["run", "pond", "--threads", "0"], "--threads must be from 1");
    refused(&["run", "pond", "--frames", "9..3"], "holds no frame");
    refused(&["run", "pond", "--frames", "100000.."], "the scene has frames");
    refused(&["run", "swell", "--set", "water.0.wave.0.amplitude=90"], "loops = \"allow\"");
    refused(&["run", "pond", "--set", "water.0.resolution=16384", "--set", "water.0.size=[1,1000]"], "GiB");
    refused(
        &["run", "pond", "--set", "picture.0.kind=plot", "--set", "picture.0.field=heigt"],
        "did you mean \"height\"?",
    );
    refused(&["run", "pond", "--set", "picture.0.size=[5000,400]"], "too many for a film");
    refused(&["run", "pond", "--set", "water.0.driven_by=sea"], "cannot be driven");
    refused(&["run", "pond", "--set", "water.0.name=a,b"], "cannot name a water");
    refused(&["run", "lake-breeze", "--set", "water.0.wave.0.decay=2"], "give it an onset");
    refused(&["run", "pond", "--scale", "1000"], "GiB");
    refused(&["keys", "camra"], "did you mean \"camera\"?");
    refused(&["models", "gerstener"], "did you mean \"gerstner\"?");
    refused(&["export", "nowhere", "--format", "plx"], "one of ply, obj, exr, png16, csv");
    assert!(!folder.path().join("out").exists(), "a refused run leaves nothing behind");
    refused(&["render", "nowhere"], "nowhere");
    refused(&["run", "pond", "--look", "tropicl"], "did you mean \"tropical\"?");
    refused(&["run", "pond", "--camera", "frnt"], "did you mean \"front\"?");
    refused(&["run", "pond", "--camera", "eye=1,2"], "eye");
    refused(&["run", "pond", "--sky", "sun=3"], "one of kind, sun_azimuth");
    refused(&["run", "pond", "--size", "wide"], "1920x1080");
    refused(&["run", "pond", "--waypoint", "time=0,eye=1,2,3"], "at least two waypoints");
    refused(&["run", "pond", "--preview", "--trace"], "--trace");

    assert!(small_run(folder.path(), &[]).status.success());
    refused(&["render", "out/pond", "--still", "999"], "holds frames 0 to 3");
    refused(&["render", "out/pond", "--frame", "1"], "add --turntable or --waypoint");
    refused(&["render", "out/pond", "--look", "tropicl"], "did you mean \"tropical\"?");
}

#[test]
fn loops_are_allowed_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["check", "swell", "--set", "water.0.wave.0.amplitude=90", "--set", "water.0.loops=allow"];
    let output = undine(&args, folder.path());
    assert!(
        output.status.success() && stdout(&output).contains("fold over themselves"),
        "{}",
        stdout(&output)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_undine"));
    command.args(["run", "pond", "--frames", "0..4"]).args(SMALL).current_dir(folder.path());
    let silent = command.stdout(std::process::Stdio::null()).stderr(full()).status().unwrap();
    assert!(silent.success(), "{silent}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_undine"));
    let lost = command.args(["models", "--json"]).stdout(full()).status().unwrap();
    assert_eq!(lost.code(), Some(1), "a result that could not be written is a failure");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_nothing_is_lost() {
    // A table linked to /dev/full simulates a full disk
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out/pond");
    assert!(small_run(folder.path(), &[]).status.success());
    let frame = fs::read(out.join("frames/000003.png")).unwrap();
    fs::remove_file(out.join("metrics.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/full", out.join("metrics.csv.partial")).unwrap();
    let output = small_run(folder.path(), &["--resume"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("metrics.csv") && text.contains("resume with"), "{text}");
    assert_eq!(fs::read(out.join("frames/000003.png")).unwrap(), frame);
}

#[cfg(unix)]
#[test]
fn the_studio_is_found_and_started_or_reported_missing() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("undine");
    fs::copy(env!("CARGO_BIN_EXE_undine"), &own).unwrap();
    let studio = |args: &[&str]| {
        let mut command = Command::new(&own);
        command.arg("studio").args(args).env("PATH", folder.path().join("bin")).output().unwrap()
    };
    let missing = studio(&["pond"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("cargo install --path crates/studio"), "{}", stderr(&missing));
    let help = studio(&["--help"]);
    assert!(help.status.success() && stdout(&help).contains("--web"), "{}", stderr(&help));

    // On the search path, then beside the executable, which takes precedence
    let install = |place: &str, says: &str| {
        let program = folder.path().join(place);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\necho {says} \"$@\"\nexit 7\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    install("bin/undine-studio", "path");
    let started = studio(&["my pond", "--web", "--port", "0"]);
    assert_eq!(
        (started.status.code(), stdout(&started).as_str()),
        (Some(7), "path my pond --web --port 0\n")
    );
    install("undine-studio", "beside");
    assert_eq!(stdout(&studio(&["--no-open"])), "beside --no-open\n");
}

#[cfg(unix)]
#[test]
fn validate_and_bench_start_the_checks_program() {
    use std::os::unix::fs::PermissionsExt;

    // Outside a checkout, as when installed
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("bin/undine");
    let install = |place: &str, says: &str| {
        let program = folder.path().join(place);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\necho {says} \"$@\"\nexit 3\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    fs::create_dir_all(folder.path().join("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_undine"), &own).unwrap();
    let undine = |args: &[&str]| {
        let mut command = Command::new(&own);
        command.args(args).env("PATH", folder.path()).env_remove("CARGO_MANIFEST_DIR");
        command.env("CARGO", folder.path().join("cargo")).output().unwrap()
    };
    let missing = undine(&["validate"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("cargo install --path crates/checks-cli"), "{}", stderr(&missing));
    install("bin/undine-checks", "beside");
    let started = undine(&["validate", "gerstner", "--quick", "--json"]);
    assert_eq!(
        (started.status.code(), stdout(&started).as_str()),
        (Some(3), "beside validate gerstner --quick --json\n")
    );
    assert_eq!(stdout(&undine(&["bench", "grid", "--threads", "2"])), "beside bench grid --threads 2\n");

    // Wrong flags are refused, and help is given, before anything is started
    let wrong = undine(&["bench", "--quik"]);
    assert!(wrong.status.code() == Some(2) && stdout(&wrong).is_empty(), "{}", stderr(&wrong));
    assert!(stdout(&undine(&["validate", "--help"])).contains("--quick"));

    // In a checkout they are built first
    let manifest = folder.path().join("crates/checks-cli/Cargo.toml");
    fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    fs::write(manifest, "").unwrap();
    install("cargo", "cargo");
    let built = undine(&["bench", "grid"]);
    assert_eq!(stdout(&built), "cargo run --release --package undine-checks-cli -- bench grid\n");
}
