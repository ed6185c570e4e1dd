//! Numbers of t: rates enter as their means over the step, states at their time, and a value that cannot be used stops
//! the run with its place.

use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Reader, Runner, StepError, Writer};

/// A runner of a scene of half a second with this many frames per second.
fn build(fps: u32, text: &str) -> Runner {
    let text = format!("[scene]\nduration = 0.5\nfps = {fps}\n{text}");
    let scene = Scene::parse("rates", &text, &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    Runner::new(&scene, MODELS, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(runner: &mut Runner, frames: u32) {
    (0..frames).for_each(|_| _ = runner.next_frame().unwrap_or_else(|failure| panic!("{failure}")));
}

/// The volume that has come in and gone out by the end of the scene, in m³.
fn poured(fps: u32, text: &str) -> [f64; 2] {
    let mut runner = build(fps, text);
    run(&mut runner, fps.div_ceil(2));
    let volume = runner.waters()[0].simulation.volume();
    assert!(volume.relative_error().abs() < 1e-6, "{volume:?}");
    [volume.inflow, volume.outflow]
}

/// A pulse of a size, so many seconds long, somewhere within a step.
fn pulse(size: f64, width: f64) -> String {
    format!("{:?}*pulse(t - 0.1234, {width:?})", size / width)
}

const POND: &str =
    "[[water]]\nkind = 'kass-miller'\nsize = [8, 8]\nresolution = 16\nlevel = 1\nprecision = 'double'\n";
const LAKE: &str = "[[water]]\nkind = 'shallow-water'\nsize = [8, 8]\nresolution = 16\nlevel = 1\n";

/// Widths of pulses: two frames, and about 1e-4 of a step and less.
const WIDTHS: [f64; 3] = [0.1, 1e-3, 1e-6];

/// The volume to 1e-6, whatever the length of the steps.
#[test]
fn springs_drains_and_rain_pour_the_integral_of_their_rate() {
    for water in [POND, LAKE] {
        for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
            let half = pulse(0.5, width);
            let spring =
                format!("{water}[[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 2\nrate = '{half}'\n");
            let [inflow, outflow] = poured(fps, &spring);
            assert!((inflow - 0.5).abs() < 0.5e-6 && outflow == 0.0, "{spring}{inflow}");
            let drain = spring.replace("spring", "drain");
            let [inflow, outflow] = poured(fps, &drain);
            assert!((outflow - 0.5).abs() < 0.5e-6 && inflow == 0.0, "{drain}{outflow}");
            // 0.5 m³ on 64 m² in mm/h
            let rain = pulse(0.5 / 64.0 * 3.6e6, width.max(1e-3));
            let rain = format!("{water}[[source]]\nkind = 'rain'\nrate = '{rain}'\n");
            let [inflow, _] = poured(fps, &rain);
            assert!((inflow - 0.5).abs() < 0.5e-6, "{rain}{inflow}");
        }
    }
}

#[test]
fn a_discharge_lets_in_the_integral_of_its_rate() {
    for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
        for key in [format!("flow = '{}'", pulse(0.5, width)), format!("rate = '{}'", pulse(0.0625, width))] {
            let text = format!("{LAKE}west = {{ kind = 'discharge', {} }}\n", key.replace('\'', "\""));
            let [inflow, outflow] = poured(fps, &text);
            assert!((inflow - outflow - 0.5).abs() < 0.5e-6, "{text}{inflow} {outflow}");
        }
    }
}

const CHANNEL: &str =
    "[[water]]\nkind = 'stable-fluids'\nsize = [2, 1]\nresolution = 16\neast = { kind = 'outflow' }\n";

#[test]
fn an_inflow_side_lets_in_the_integral_of_its_speed() {
    for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
        let speed = pulse(0.005, width);
        let text = format!("{CHANNEL}west = {{ kind = \"inflow\", speed = \"{speed}\" }}\n");
        let [inflow, _] = poured(fps, &text);
        assert!((inflow - 0.005).abs() < 0.5e-8, "{text}{inflow}");
    }
}

#[test]
fn emitters_of_particles_emit_the_integral_of_their_rate() {
    for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
        let emitter = |rate: &str, more: &str| {
            let text = format!(
                "{CHANNEL}[[emitter]]\nkind = 'jet'\nat = [0.5, 0.5]\nradius = 0.2\nparticles = \"{rate}\"\n{more}"
            );
            let mut runner = build(fps, &text);
            run(&mut runner, fps.div_ceil(2));
            runner.waters()[0]
                .simulation
                .view()
                .clouds
                .iter()
                .map(|cloud| cloud.positions.len())
                .sum::<usize>()
        };
        // 0.9 particles more than that: the last one is not complete
        let size = (1e6 * width).min(200.0).floor() + 0.9;
        let rate = pulse(size, width);
        if size / width <= 1e6 {
            assert_eq!(emitter(&rate, ""), size as usize, "{rate}");
        }
        assert_eq!(emitter("400", "from = 0.1\nuntil = 0.2261"), 50);
    }
}

#[test]
fn a_liquid_emitter_adds_whole_particles_of_the_integral_of_its_rate() {
    let particle = 0.05_f64.powi(2) / 4.0;
    let tank = "[[water]]\nkind = 'liquid'\nsize = [1, 1]\nresolution = 20\n";
    for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
        // The pulse falls into one step; 40 particles have room in the region
        let emitter = "[[emitter]]\nkind = 'rectangle'\nat = [0.5, 0.8]\nsize = [0.4, 0.3]\n";
        let rate = pulse(40.5 * particle, width);
        let [inflow, _] = poured(fps, &format!("{tank}{emitter}rate = \"{rate}\"\n"));
        assert!((inflow - 40.0 * particle).abs() < 1e-9, "{rate} at {fps}: {} particles", inflow / particle);
        // The same as a switch, and as an interval
        let rate = 40.5 * particle / width;
        for switch in [
            format!("active = \"pulse(t - 0.1234, {width:?}) - 0.5\""),
            format!("from = 0.1234\nuntil = {:?}", 0.1234 + width),
        ] {
            let [inflow, _] = poured(fps, &format!("{tank}{emitter}rate = {rate:?}\n{switch}\n"));
            assert!((inflow - 40.0 * particle).abs() < 1e-9, "{switch} at {fps}: {}", inflow / particle);
        }
        let full = format!("{tank}[[fill]]\nkind = 'level'\nlevel = 0.5\n");
        let rate = pulse(40.5 * particle, width);
        let drain = format!("{full}[[drain]]\nkind = 'rectangle'\nat = [0.5, 0.2]\nsize = [0.4, 0.2]\n");
        let [_, outflow] = poured(fps, &format!("{drain}rate = \"{rate}\"\n"));
        assert!((outflow - 40.0 * particle).abs() < 1e-9, "{rate} at {fps}: {}", outflow / particle);
    }
}

/// A force of 1e-4 of a step accelerates the fluid by its integral.
#[test]
fn forces_give_the_momentum_of_their_integral() {
    for (width, fps) in WIDTHS.into_iter().flat_map(|width| [10, 24, 47].map(|fps| (width, fps))) {
        let text = format!(
            "[[water]]\nkind = 'stable-fluids'\nsize = [1, 1]\nresolution = 8\nwest = {{ kind = 'periodic' }}\n\
             east = {{ kind = 'periodic' }}\nsouth = {{ kind = 'periodic' }}\nnorth = {{ kind = 'periodic' }}\n\
             force_x = \"{}\"\n",
            pulse(0.3, width)
        );
        let mut runner = build(fps, &text);
        run(&mut runner, fps.div_ceil(2) + 2);
        let budget = runner.waters()[0].simulation.budget();
        let speed = (2.0 * budget.kinetic_energy / budget.momentum[0]).abs();
        assert!((speed - 0.3).abs() < 0.3e-6, "{text}{speed}");
    }
}

/// Goes on until the scene cannot be used any more.
fn refusal(text: &str) -> String {
    let mut runner = build(24, text);
    let mut before = Vec::new();
    for _ in 0..48 {
        before.clear();
        runner.save(&mut Writer::new(&mut before)).unwrap();
        let Err(failure) = runner.next_frame() else { continue };
        assert!(matches!(failure.reason, StepError::Scene(_)), "{failure}");
        assert_eq!(failure.retakes, 0, "shorter steps do not help");
        // It stands at the last frame that was sound
        let mut after = Vec::new();
        runner.save(&mut Writer::new(&mut after)).unwrap();
        assert!(before == after, "{failure}");
        return failure.to_string();
    }
    panic!("it did not stop: {text}");
}

/// Every number of t of every model; the scene was read to half a second only, and the run goes on.
#[test]
fn values_that_cannot_be_used_stop_the_run_with_their_place() {
    let liquid = "[[water]]\nkind = 'liquid'\nsize = [1, 1]\nresolution = 16\n";
    let tank = format!("{liquid}[[fill]]\nkind = 'level'\nlevel = 0.3\n");
    let sine = "[[water]]\nkind = 'sine-waves'\nsize = [4, 4]\nresolution = 16\n";
    let source = |water: &str, keys: &str| format!("{water}[[source]]\n{keys}");
    let cases = [
        source(POND, "kind = 'spring'\nat = [0, 0]\nradius = 1\nrate = \"EX\"\n"),
        source(LAKE, "kind = 'spring'\nat = [0, 0]\nradius = 1\nrate = \"EX\"\n"),
        source(LAKE, "kind = 'drain'\nat = [0, 0]\nradius = 1\nrate = \"EX\"\n"),
        source(LAKE, "kind = 'rain'\nrate = \"EX\"\n"),
        source(LAKE, "kind = 'rain'\ndrops = true\nrate = \"EX\"\n"),
        source(&format!("{POND}west = 'open'\n"), "kind = 'waves'\nside = 'west'\nlevel = \"EX\"\n"),
        source(
            &format!("{LAKE}west = {{ kind = 'open' }}\n"),
            "kind = 'waves'\nside = 'west'\nlevel = \"EX\"\n",
        ),
        format!("{LAKE}west = {{ kind = 'stage', level = \"EX\" }}\n"),
        format!("{LAKE}west = {{ kind = 'discharge', rate = \"EX\" }}\n"),
        format!("{LAKE}west = {{ kind = 'discharge', flow = \"EX\" }}\n"),
        format!("{CHANNEL}west = {{ kind = 'inflow', speed = \"EX\" }}\n"),
        format!("{CHANNEL}south = {{ kind = 'moving', speed = \"EX\" }}\n"),
        format!("{CHANNEL}layout = 'collocated'\nforce_y = \"EX\"\n"),
        format!("{CHANNEL}force_x = \"EX\"\n"),
        format!("{CHANNEL}[[obstacle]]\nkind = 'circle'\nat = [1, 0.5]\nradius = 0.2\nmove_y = \"EX\"\n"),
        format!(
            "{CHANNEL}[[obstacle]]\nkind = 'rectangle'\nat = [1, 0.5]\nsize = [0.2, 0.2]\nturn = \"EX\"\n"
        ),
        format!("{CHANNEL}[[emitter]]\nkind = 'jet'\nat = [1, 0.5]\nradius = 0.2\nspeed = \"EX\"\n"),
        format!("{CHANNEL}[[emitter]]\nkind = 'jet'\nat = [1, 0.5]\nradius = 0.2\nparticles = \"EX\"\n"),
        format!("{CHANNEL}[[emitter]]\nkind = 'fan'\nat = [1, 0.5]\nradius = 0.2\npush = \"EX\"\n"),
        format!("{liquid}west = {{ kind = 'inflow', speed = \"EX\" }}\n"),
        format!("{liquid}west = {{ kind = 'inflow', speed = 0.1, level = \"EX\" }}\n"),
        format!("{tank}[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.1\nmove_x = \"EX\"\n"),
        format!("{liquid}[[emitter]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.2\nrate = \"EX\"\n"),
        format!("{liquid}[[emitter]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.2\nspeed = \"EX\"\n"),
        format!("{liquid}[[emitter]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.2\nactive = \"EX\"\n"),
        format!("{tank}[[drain]]\nkind = 'circle'\nat = [0.5, 0.1]\nradius = 0.2\nrate = \"EX\"\n"),
        format!("{tank}[[drain]]\nkind = 'level'\nlevel = \"EX\"\n"),
        format!("{sine}wave = [{{ wavelength = 2, amplitude = \"EX\" }}]\n"),
        format!("{sine}wave = [{{ wavelength = 2, amplitude = \"EX\" }}]\n")
            .replace("sine-waves", "gerstner"),
    ];
    for case in cases {
        for (expression, value) in [
            ("0.01*sqrt(0.9 - t)", "not nan"),
            ("0.01*step(0.9 - t)/step(0.9 - t)", "not nan"),
            ("1e12*step(t - 0.9)", "not 1000000000000"),
            ("0.001/(1 - step(t - 0.9))", "not inf"),
        ] {
            let message = refusal(&case.replace("EX", expression));
            let line = 4 + case[..case.find("EX").unwrap()].matches('\n').count();
            assert!(message.contains(&format!("rates:{line}:")), "{case}{message}");
            assert!(message.contains(value) && message.contains("(at t = "), "{case}{message}");
            assert!(message.contains("= help: "), "{case}{message}");
        }
    }
}

/// A pole between two times that the check looks at, also one that is odd.
#[test]
fn poles_of_rates_are_found_wherever_they_are() {
    for expression in ["1e-3/(t - 0.23456)^2", "1e-3/(t - 0.23456)", "1e-3*tan(pi*(t - 0.23456) + pi/2)"] {
        let text =
            format!("{LAKE}[[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 1\nrate = \"{expression}\"\n");
        let message = refusal(&text);
        assert!(
            message.contains("rates:13:8: rate must be") && message.contains("(at t = 0.2345"),
            "{message}"
        );
    }
}

/// A run that is resumed has the same bits, whatever changes with t at that moment.
#[test]
fn a_resumed_run_goes_on_with_the_same_bits() {
    let changing = "0.2 + 0.1*sin(40*t) + pulse(t - 0.21, 0.001)";
    for text in [
        format!("{CHANNEL}west = {{ kind = 'inflow', speed = \"{changing}\", profile = 'parabolic' }}\n"),
        format!("{CHANNEL}layout = 'collocated'\nsouth = {{ kind = 'moving', speed = \"{changing}\" }}\n"),
        format!(
            "{CHANNEL}force_x = \"{changing}\"\n[[obstacle]]\nkind = 'circle'\nat = [1, 0.5]\nradius = 0.2\nmove_y = \"0.1*sin(9*t)\"\n"
        ),
        format!(
            "{LAKE}west = {{ kind = 'discharge', flow = \"{changing}\" }}\neast = {{ kind = 'stage', level = \"1 + 0.1*sin(t)\" }}\n"
        ),
        format!("{POND}[[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 1\nrate = \"{changing}\"\n"),
        format!(
            "[[water]]\nkind = 'liquid'\nsize = [1, 1]\nresolution = 16\nwest = {{ kind = 'inflow', speed = \"{changing}\", level = \"0.3 + 0.1*t\" }}\n"
        ),
    ] {
        let mut whole = build(24, &text);
        run(&mut whole, 5);
        let mut saved = Vec::new();
        whole.save(&mut Writer::new(&mut saved)).unwrap();
        let mut resumed = build(24, &text);
        resumed.restore(&mut Reader::new(&saved)).unwrap();
        run(&mut whole, 5);
        run(&mut resumed, 5);
        let state = |runner: &Runner| {
            let mut bytes = Vec::new();
            runner.save(&mut Writer::new(&mut bytes)).unwrap();
            bytes
        };
        assert!(state(&whole) == state(&resumed), "{text}");
    }
}
