//! `undine validate`: physics against exact solutions and published tables.
//!
//! A case is a function and a line in [`CASES`]; what it claims, and from where the numbers come, stands in
//! `validation/<case>/README.md`.

pub mod basin;
mod gerstner;
mod kass_miller;
mod kass_miller_shores;
mod liquid;
mod poisson;
mod render;
mod shallow_water;
mod sine_waves;
mod stable_fluids;
mod stable_fluids_tables;
mod table;
pub mod tanks;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use undine::{LoadOptions, MODELS, Runner, Scene};

use crate::commands::run::progress::ProgressBar;
use crate::style::{Exit, say, say_json, say_list};

/// Check the physics against exact solutions and published tables
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine validate                     everything
  undine validate gerstner            all cases below a name
  undine validate --quick --json")]
pub struct Args {
    /// Cases, or beginnings of their names
    cases: Vec<String>,

    /// Leave out what takes long; stays below five minutes on two cores
    #[arg(long)]
    quick: bool,

    /// List the cases and do nothing
    #[arg(long)]
    list: bool,

    /// Print one JSON object per check
    #[arg(long)]
    json: bool,
}

/// A case: some checks that belong together.
pub struct Case {
    /// `<model or room>/<what>`, also its folder below `validation/`.
    pub name: &'static str,
    /// Whether `--quick` runs it.
    pub is_quick: bool,
    /// Makes the measurements.
    pub run: fn(&mut Checks) -> anyhow::Result<()>,
}

/// Every case.
static CASES: &[Case] = &[
    Case { name: "sine-waves/formula", is_quick: true, run: sine_waves::formula },
    Case { name: "sine-waves/dispersion", is_quick: true, run: sine_waves::dispersion },
    Case { name: "sine-waves/ring-front", is_quick: true, run: sine_waves::ring_front },
    Case { name: "sine-waves/ledger", is_quick: true, run: sine_waves::ledger },
    Case { name: "gerstner/formula", is_quick: true, run: gerstner::formula },
    Case { name: "gerstner/dispersion", is_quick: true, run: gerstner::dispersion },
    Case { name: "gerstner/inversion", is_quick: true, run: gerstner::inversion },
    Case { name: "gerstner/velocity", is_quick: true, run: gerstner::velocity },
    Case { name: "gerstner/mean-level", is_quick: true, run: gerstner::mean_level },
    Case { name: "gerstner/orbits", is_quick: true, run: gerstner::orbits },
    Case { name: "kass-miller/standing-wave", is_quick: true, run: kass_miller::standing_wave },
    Case { name: "kass-miller/endurance", is_quick: true, run: kass_miller::endurance },
    Case { name: "kass-miller/long-waves", is_quick: true, run: kass_miller::long_waves },
    Case { name: "kass-miller/courant", is_quick: true, run: kass_miller::courant },
    Case { name: "kass-miller/volume", is_quick: true, run: kass_miller_shores::volume },
    Case { name: "kass-miller/refraction", is_quick: true, run: kass_miller_shores::refraction },
    Case { name: "kass-miller/reflection", is_quick: true, run: kass_miller_shores::reflection },
    Case { name: "shallow-water/lake-at-rest", is_quick: true, run: shallow_water::rest },
    Case { name: "shallow-water/bump", is_quick: true, run: shallow_water::steady },
    Case { name: "shallow-water/dam-break", is_quick: true, run: shallow_water::dam_break },
    Case { name: "shallow-water/thacker-valley", is_quick: true, run: shallow_water::thacker },
    Case { name: "shallow-water/thacker-circling", is_quick: true, run: shallow_water::circling },
    Case { name: "shallow-water/thacker-pulsing", is_quick: true, run: shallow_water::pulsing },
    Case { name: "shallow-water/damped-parabola", is_quick: true, run: shallow_water::damped },
    Case { name: "shallow-water/macdonald", is_quick: true, run: shallow_water::macdonald },
    Case { name: "shallow-water/mass", is_quick: true, run: shallow_water::mass },
    Case { name: "shallow-water/symmetry", is_quick: true, run: shallow_water::symmetry },
    Case { name: "poisson/agreement", is_quick: true, run: poisson::agreement },
    Case { name: "poisson/order", is_quick: true, run: poisson::order },
    Case { name: "poisson/growth", is_quick: true, run: poisson::growth },
    Case { name: "poisson/iterations", is_quick: true, run: poisson::iterations },
    Case { name: "poisson/iterations-fine", is_quick: false, run: poisson::iterations_fine },
    Case { name: "poisson/liquids", is_quick: true, run: poisson::liquids },
    Case { name: "poisson/liquids-fine", is_quick: false, run: poisson::liquids_fine },
    Case { name: "stable-fluids/poiseuille", is_quick: true, run: stable_fluids::poiseuille },
    Case { name: "stable-fluids/couette", is_quick: true, run: stable_fluids::couette },
    Case { name: "stable-fluids/taylor-green", is_quick: true, run: stable_fluids::taylor_green },
    Case { name: "stable-fluids/divergence", is_quick: true, run: stable_fluids::divergence },
    Case { name: "stable-fluids/energy", is_quick: true, run: stable_fluids::energy },
    Case { name: "stable-fluids/dimensions", is_quick: true, run: stable_fluids::dimensions },
    Case { name: "stable-fluids/cavity", is_quick: true, run: stable_fluids_tables::cavity },
    Case { name: "stable-fluids/cavity-fine", is_quick: false, run: stable_fluids_tables::cavity_fine },
    Case { name: "stable-fluids/cavity-1000", is_quick: false, run: stable_fluids_tables::cavity_1000 },
    Case { name: "stable-fluids/cavity-3200", is_quick: false, run: stable_fluids_tables::cavity_3200 },
    Case { name: "stable-fluids/street", is_quick: false, run: stable_fluids_tables::street },
    Case { name: "render/flat-water", is_quick: true, run: render::flat_water },
    Case { name: "render/balance", is_quick: true, run: render::balance },
    Case { name: "render/focal-depth", is_quick: true, run: render::focal_depth },
    Case { name: "render/agreement", is_quick: true, run: render::agreement },
    Case { name: "render/furnace", is_quick: true, run: render::furnace },
    Case { name: "render/interface", is_quick: true, run: render::interface },
    Case { name: "liquid/tilted-tank", is_quick: true, run: liquid::tilted_tank },
    Case { name: "liquid/tilted-tank-fine", is_quick: false, run: liquid::tilted_tank_fine },
    Case { name: "liquid/disk", is_quick: true, run: liquid::disk },
    Case { name: "liquid/dam-break", is_quick: true, run: liquid::dam_break },
    Case { name: "liquid/dam-break-fine", is_quick: false, run: liquid::dam_break_fine },
    Case { name: "liquid/sloshing", is_quick: true, run: liquid::sloshing },
    Case { name: "liquid/drop", is_quick: true, run: liquid::drop },
    Case { name: "liquid/drop-fine", is_quick: false, run: liquid::drop_fine },
    Case { name: "liquid/volume", is_quick: true, run: liquid::volume },
    Case { name: "liquid/volume-fine", is_quick: false, run: liquid::volume_fine },
    Case { name: "liquid/thin-wall", is_quick: true, run: liquid::thin_wall },
    Case { name: "liquid/thin-wall-fine", is_quick: false, run: liquid::thin_wall_fine },
];

/// Collects the checks of a case.
#[derive(Default)]
pub struct Checks {
    done: Vec<Check>,
}

struct Check {
    metric: String,
    value: f64,
    bound: f64,
    source: &'static str,
}

impl Check {
    /// NaN is never within a bound.
    fn is_ok(&self) -> bool {
        self.value <= self.bound
    }
}

impl Checks {
    /// An error, or anything else that must not exceed a bound. `source` says where the truth comes from.
    pub fn at_most(&mut self, metric: impl Into<String>, value: f64, bound: f64, source: &'static str) {
        self.done.push(Check { metric: metric.into(), value, bound, source });
    }
}

/// Runs the chosen cases.
pub fn run(args: &Args) -> Result<(), Exit> {
    let is_below = |case: &Case, wanted: &String| crate::commands::is_below(case.name, wanted);
    if let Some(stranger) = args.cases.iter().find(|wanted| !CASES.iter().any(|case| is_below(case, wanted)))
    {
        let known = undine::scene::known_words(stranger, CASES.iter().map(|case| case.name));
        return Err(Exit::Wrong(format!("there is no case {stranger:?}; {known}")));
    }
    let is_chosen =
        |case: &&Case| args.cases.is_empty() || args.cases.iter().any(|wanted| is_below(case, wanted));
    let chosen: Vec<&Case> =
        CASES.iter().filter(is_chosen).filter(|case| case.is_quick || !args.quick).collect();
    if args.list {
        say_list(&chosen.iter().map(|case| case.name).collect::<Vec<_>>(), args.json);
        return Ok(());
    }
    let mut bar = ProgressBar::new(Arc::new(AtomicBool::new(false)));
    let (mut passed, mut failed) = (0, 0);
    for (number, case) in chosen.iter().enumerate() {
        let mut checks = Checks::default();
        (case.run)(&mut checks).map_err(|error| error.context(case.name))?;
        for check in &checks.done {
            *(if check.is_ok() { &mut passed } else { &mut failed }) += 1;
            bar.suspend(|| print(case, check, args.json));
        }
        bar.step("case", number + 1, chosen.len());
    }
    bar.finish();
    if !args.json {
        say(format!("{passed} passed, {failed} failed"));
    }
    if failed > 0 { Err(Exit::ChecksFailed) } else { Ok(()) }
}

fn print(case: &Case, check: &Check, json: bool) {
    let ok = check.is_ok();
    if json {
        return say_json(&serde_json::json!({
            "case": case.name,
            "metric": check.metric,
            "value": check.value,
            "bound": check.bound,
            "ok": ok,
            "source": check.source,
        }));
    }
    let mark = if ok { "ok  " } else { "FAIL" };
    say(format!(
        "{mark} {:<24} {:<34} {:>10.3e} ≤ {:.1e}",
        case.name, check.metric, check.value, check.bound
    ));
}

/// Builds a scene that a case states.
fn build(text: &str, overrides: &[String]) -> anyhow::Result<Runner> {
    let options = LoadOptions { overrides: overrides.to_vec(), ..LoadOptions::default() };
    let scene = Scene::parse("case", text, &options)?;
    Ok(Runner::new(&scene, MODELS, None)?)
}
