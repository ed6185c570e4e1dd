//! Steady flow: normal depth in a channel with friction, and the head over a weir.

use undine_checks::{Checks, Target, measured};

use super::{build, run_until};

/// Uniform flow in a wide channel has the depth of Manning's formula, d = (n q/√S)^(3/5).
pub fn normal_depth(checks: &mut Checks) -> anyhow::Result<()> {
    for (slope, manning, discharge, cell) in
        [(0.002, 0.03, 1.0, 10.0), (0.0005, 0.02, 0.5, 50.0), (0.01, 0.05, 0.3, 10.0)]
    {
        // A hundred cells in a row; the outlet draws the water down over a length of about d/S
        let mut water = build(&format!(
            "size = [{}, {cell}]\nresolution = 100\ncurve = true\nfriction = 0\nmanning = {manning}\neast = \"open\"\n\
             manager = \"none\"\n[[terrain]]\nkind = \"slope\"\nfall = {slope}\nlevel = 10\n\
             [[source]]\nkind = \"spring\"\nat = [{}, 0]\nradius = {}\nrate = {}\n",
            100.0 * cell,
            -48.0 * cell,
            1.5 * cell,
            cell * discharge
        ))?;
        run_until(&mut water, 40_000.0, 5.0)?;
        let expected = (manning * discharge / f64::sqrt(slope)).powf(0.6);
        let error = (measured(water.depth_in([40, 0])) / expected - 1.0).abs();
        let target = Target::ours(0.02, "asked of this model: Manning's normal depth within 2 %");
        checks.at_most(
            format!("error of the depth, slope {slope}, n {manning}, q {discharge}"),
            error,
            target,
        );
    }
    Ok(())
}

/// Water over an edge inside the domain: q = 1.705 H^1.5.
pub fn weir(checks: &mut Checks) -> anyhow::Result<()> {
    for discharge in [0.05, 0.2, 1.0] {
        let mut water = build(&format!(
            "size = [40, 0.5]\nresolution = 80\ncurve = true\nfriction = 0.1\nmanager = \"none\"\neast = \"open\"\n\
             [[terrain]]\nkind = \"walls\"\nwall = [{{ from = [-20, -1], to = [0, 1], height = 6 }}]\n\
             [[source]]\nkind = \"spring\"\nat = [-15, 0]\nradius = 2\nrate = {}\n",
            0.5 * discharge
        ))?;
        run_until(&mut water, 600.0, 0.05)?;
        let head = measured(water.depth_in([39, 0]));
        let error = (1.705 * head.powf(1.5) / discharge - 1.0).abs();
        let target = Target::ours(0.05, "asked of this model: the rating of a broad-crested weir within 5 %");
        checks.at_most(format!("error of the discharge, q {discharge}"), error, target);
    }
    Ok(())
}
