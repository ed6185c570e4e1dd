//! The divergence of Full cells after every step.

use undine_checks::{Checks, Target, Worst};
use undine_frame::CellKind;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, Step, World};

use crate::foster_metaxas::ENTRY;
use crate::foster_metaxas::build::assemble;
use crate::foster_metaxas::flow::Flow;
use crate::foster_metaxas::simulation::CellWater;

/// ε, the default of the key.
const TOLERANCE: f64 = 1e-4;
const STEPS: usize = 200;

const DAM: &str = "[[fill]]\nkind = 'rectangle'\nsize = [0.4, 0.6]\nat = [0.2, 0.3]\n\
                   [[obstacle]]\nkind = 'rectangle'\nsize = [0.15, 0.2]\nat = [0.7, 0.1]\n";
const DAM_IN_SPACE: &str = "[[fill]]\nkind = 'box'\nsize = [0.4, 1, 0.6]\nat = [0.2, 0.5, 0.3]\n\
                            [[obstacle]]\nkind = 'box'\nsize = [0.2, 0.4, 0.2]\nat = [0.7, 0.5, 0.1]\n";
const JET: &str = "[[fill]]\nkind = 'level'\nlevel = 0.2\n\
                   [[port]]\nkind = 'rectangle'\nsize = [0.08, 0.2]\nat = [0, 0.6]\nspeed = 0.8\n\
                   [[port]]\nkind = 'rectangle'\nflow = 'out'\nsize = [0.08, 0.2]\nat = [1, 0.1]\n";

fn water<const D: usize>(keys: &str, sections: &str) -> anyhow::Result<CellWater<D>> {
    let text = format!("[scene]\nduration = 10\n[[water]]\nkind = 'foster-metaxas'\n{keys}\n{sections}");
    let scene = Scene::parse("case", &text, &LoadOptions::default())?;
    let values = scene.sections("water")[0].read(&[undine_sim::WATER_KEYS, ENTRY.keys])?;
    Ok(assemble(&scene, &values)?.0)
}

/// The greatest |∇·u| of Full cells over many steps, after step 7 and before they are labelled again.
fn greatest_divergence<const D: usize>(keys: &str, sections: &str) -> anyhow::Result<f64> {
    let (mut water, mut worst) = (water::<D>(keys, sections)?, Worst::default());
    for _ in 0..STEPS {
        let kinds = water.flow.kinds.clone();
        let mut dt = water.max_dt();
        loop {
            let mut world = World { time: water.time, gravity: 9.81, seed: 0, driver: None };
            match water.step(dt, &mut world)? {
                Step::Done(_) => break,
                Step::Retry { dt: shorter } => dt = shorter,
            }
        }
        let (strides, inverse) = (water.flow.index.strides(), water.flow.inverse_spacing());
        for at in (0..kinds.len()).filter(|&at| kinds[at] == CellKind::Full) {
            worst.compare(Flow::missing_mass(&water.flow.velocity, at, strides, inverse), 0.0);
        }
    }
    Ok(worst.value())
}

/// Every tracked surface and both solvers.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let mut record = |name: &str, greatest: f64| {
        let target = Target::exact(TOLERANCE, "ε, the key `divergence`");
        checks.at_most(format!("{name}: greatest divergence, 1/s"), greatest, target);
    };
    for solver in ["relaxation", "projection"] {
        for surface in ["markers", "chains", "height"] {
            let keys = format!("resolution = 24\nsurface = '{surface}'\npressure_solver = '{solver}'");
            record(&format!("2-D, {surface}, {solver}"), greatest_divergence::<2>(&keys, DAM)?);
        }
        let keys = format!("resolution = 10\nheight = 1\npressure_solver = '{solver}'");
        record(&format!("3-D, markers, {solver}"), greatest_divergence::<3>(&keys, DAM_IN_SPACE)?);
    }
    let keys = "resolution = 10\nheight = 1\nsurface = 'height'";
    record("3-D, height, relaxation", greatest_divergence::<3>(keys, DAM_IN_SPACE)?);
    record("2-D, jet and outflow", greatest_divergence::<2>("resolution = 25", JET)?);
    Ok(())
}
