//! What happens beyond the limits of the explicit step.

use undine_checks::{Checks, Target, Worst};
use undine_sim::Runner;

use crate::checks::build;

/// A water beyond one limit and within the others.
struct Crossing {
    limit: &'static str,
    /// Gravity in m/s², and frames per second.
    scene: [f64; 2],
    keys: &'static str,
    sections: &'static str,
    /// The energy that can become kinetic, in J per metre of thickness.
    energy: f64,
    until: f64,
}

/// Two layers of 0.4 m that slide past each other with 1 m/s.
const LAYERS: &str = "[[fill]]\nkind = 'rectangle'\nat = [0.5, 0.2]\nsize = [1, 0.4]\nvelocity = [1, 0]\n\
                      [[fill]]\nkind = 'rectangle'\nat = [0.5, 0.6]\nsize = [1, 0.4]\nvelocity = [-1, 0]\n";
/// A surface that slopes by 0.2 m.
const SLOPE: &str = "[[fill]]\nkind = 'polygon'\ncorner = [{ at = [0, 0] }, { at = [1, 0] }, { at = [1, 0.5] }, { at = [0, 0.7] }]\n";

const CROSSINGS: [Crossing; 4] = [
    Crossing {
        limit: "convection",
        scene: [0.05, 5.0],
        keys: "time_step = 0.1",
        sections: LAYERS,
        energy: 400.0,
        until: 6.0,
    },
    Crossing {
        limit: "viscosity",
        scene: [0.05, 4.0],
        keys: "viscosity = 0.05\ntime_step = 0.025\ncourant = 1",
        sections: LAYERS,
        energy: 400.0,
        until: 6.0,
    },
    Crossing {
        limit: "gravity waves",
        scene: [9.81, 5.0],
        keys: "surface = 'height'\ntime_step = 0.1",
        sections: SLOPE,
        // ½ ρ g ∫η² dx
        energy: 0.5 * 1000.0 * 9.81 * 0.01 / 3.0,
        until: 6.0,
    },
    Crossing {
        limit: "central differences",
        scene: [0.05, 10.0],
        keys: "upwind = 0\nviscosity = 2.5e-3\ntime_step = 0.02",
        sections: LAYERS,
        energy: 400.0,
        until: 6.0,
    },
];

/// What a run has shown.
#[derive(Default)]
struct Course {
    /// Kinetic energy at the start, and the greatest of the frames after it.
    start: f64,
    energy: Worst,
    /// Numbers that are not finite in frames.
    broken: usize,
    /// Whether it was stopped, or has taken frames again.
    is_caught: bool,
}

impl Crossing {
    fn run(&self, limits: &str) -> anyhow::Result<Course> {
        let [gravity, fps] = self.scene;
        let text = format!(
            "[scene]\nduration = 20\ngravity = {gravity}\nfps = {fps}\n[[water]]\nkind = 'foster-metaxas'\nresolution = 20\n\
             limits = '{limits}'\n{}\n{}",
            self.keys, self.sections
        );
        let mut runner = build(&text, &[])?;
        let kinetic_energy = |runner: &Runner| runner.waters()[0].simulation.budget().kinetic_energy;
        let mut course = Course { start: kinetic_energy(&runner), ..Course::default() };
        while runner.time() < self.until {
            match runner.next_frame() {
                Ok(stats) => course.is_caught |= stats.retries + stats.retakes > 0,
                Err(_) => {
                    course.is_caught = true;
                    break;
                }
            }
            course.energy.add(kinetic_energy(&runner));
            course.broken += broken_numbers(&runner);
        }
        Ok(course)
    }
}

/// Numbers of all fields and clouds that are not finite.
fn broken_numbers(runner: &Runner) -> usize {
    let view = runner.waters()[0].simulation.view();
    let in_fields: usize = view
        .fields
        .iter()
        .map(|field| field.samples.values().iter().filter(|x| !x.is_finite()).count())
        .sum();
    let positions = view.clouds.iter().flat_map(|cloud| cloud.positions.iter().flatten());
    in_fields + positions.filter(|x| !x.is_finite()).count()
}

/// Each limit crossed, with the step as it is and shortened.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    for crossing in &CROSSINGS {
        let (ignored, shortened) = (crossing.run("ignore")?, crossing.run("substep")?);
        let limit = crossing.limit;
        let is_unstable = ignored.is_caught || ignored.energy.value() > 2.0 * shortened.energy.value();
        let mut unnoticed = Worst::default();
        unnoticed.compare(f64::from(u8::from(is_unstable)), 1.0);
        checks.at_most(
            format!("{limit}: stable though ignored"),
            unnoticed.value(),
            Target::ours(0.0, "the limits of the step"),
        );
        let mut broken = Worst::default();
        [&ignored, &shortened].iter().for_each(|course| broken.compare(course.broken as f64, 0.0));
        checks.at_most(
            format!("{limit}: numbers that are not finite"),
            broken.value(),
            Target::exact(0.0, "a frame holds numbers only"),
        );
        let greatest = Worst::of([shortened.start, shortened.energy.value()]).value();
        let share = undine_checks::measured(greatest) / crossing.energy;
        let source = "the energy of the start, and 5 % for the share of Surface cells";
        checks.at_most(format!("{limit}: energy with substeps / start"), share, Target::ours(1.05, source));
    }
    Ok(())
}
