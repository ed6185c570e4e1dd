//! Validation of light transport against exact results.

use undine_checks::{Case, Checks, Target};

use crate::caustics::{CausticsKind, checks as caustics};
use crate::trace::checks as trace;

/// Every validation case of rendering.
pub static CASES: &[Case] = &[
    Case { name: "render/flat-water", is_quick: true, is_chaotic: false, run: flat_water },
    Case { name: "render/balance", is_quick: true, is_chaotic: false, run: balance },
    Case { name: "render/focal-depth", is_quick: true, is_chaotic: false, run: focal_depth },
    Case { name: "render/agreement", is_quick: true, is_chaotic: false, run: agreement },
    Case { name: "render/furnace", is_quick: true, is_chaotic: false, run: furnace },
    Case { name: "render/interface", is_quick: true, is_chaotic: false, run: interface },
];

/// Irradiance under flat water is uniform and equals T cos θ.
pub fn flat_water(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, kind) in [("beams", CausticsKind::Beams), ("the map of 1990", CausticsKind::IlluminationMap)] {
        let metric = format!("{name}: light over T cos θ, less one");
        checks.at_most(metric, caustics::flat_water(kind), Target::exact(1e-6, "[born1999]"));
    }
    Ok(())
}

/// Energy balance: the power of the sun is received, absorbed or escapes; in clear water all that enters is received.
pub fn balance(checks: &mut Checks) -> anyhow::Result<()> {
    for setting in caustics::BALANCES {
        checks.at_most(setting, caustics::balance(setting), Target::exact(1e-6, "conservation of power"));
    }
    for (name, slope) in [("gentle", 0.1), ("steep", 0.6), ("folded", 1.6)] {
        let metric = format!("{name} waves: received over entered, less one");
        checks.at_most(metric, caustics::transmission(slope), Target::exact(1e-6, "conservation of power"));
    }
    Ok(())
}

/// The crests of a sinusoid focus light at the focal depth of a lens of their curvature.
pub fn focal_depth(checks: &mut Checks) -> anyhow::Result<()> {
    checks.at_most(
        "focal depth over n/((n − 1)ak²), less one",
        caustics::focal_depth(),
        Target::ours(0.02, "[born1999]"),
    );
    Ok(())
}

/// Beams and photons give the same caustics in a pool.
pub fn agreement(checks: &mut Checks) -> anyhow::Result<()> {
    checks.at_most("beams against photons, pool", caustics::agreement(), Target::ours(0.03, "[jensen1996]"));
    Ok(())
}

/// White furnace test: under uniform illumination, water without absorption is invisible.
pub fn furnace(checks: &mut Checks) -> anyhow::Result<()> {
    for trace::Furnace { name, mean, worst } in trace::white_furnace() {
        let seen = [("mean radiance", mean), ("radiance of the worst pixel", worst)];
        for (what, difference) in seen {
            let metric = format!("{name}: {what} in a white world, less one");
            checks.at_most(metric, f64::from(difference), Target::exact(1e-3, "conservation of radiance"));
        }
    }
    Ok(())
}

/// Fresnel reflectance and Snell refraction against double precision.
pub fn interface(checks: &mut Checks) -> anyhow::Result<()> {
    checks.at_most("share reflected, either way", trace::fresnel_error(), Target::exact(1e-6, "[born1999]"));
    checks.at_most(
        "direction refracted, either way",
        trace::snell_error(),
        Target::exact(1e-6, "[born1999]"),
    );
    Ok(())
}
