//! A river bed, or the valley of a river.
//!
//! Around the course of the river the ground is level over the bed's width, then rises with the slope of the banks, in
//! a rounded turn. Without `bed_level` the banks end at the level 0: added to the ground, that cuts a channel of this
//! depth into it. With `bed_level` they rise without end, and `combine = "min"` cuts a valley.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::river_path::{Path, RiverPath};
use super::{LandShape, direction};
use crate::smooth;

static POINT_KEYS: &[Key] = &[Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("a point of the river")];

pub(crate) const KEYS: &[Key] = &[
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e8, 1e8)
        .help("a point on the axis of a straight river; distances downstream count from here"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where a straight river flows to, as a vector of any length"),
    Key::tables("point", POINT_KEYS)
        .help("the river runs smoothly through these, downstream, instead of straight"),
    Key::number("width").unit("m").positive_to(1e7).help("width of the level bed"),
    Key::number("depth")
        .unit("m")
        .optional("bed_level is given")
        .positive_to(1e5)
        .help("depth below the ground so far"),
    Key::number("bed_level")
        .unit("m")
        .optional("the bed is depth below the level 0")
        .within(-1e6, 1e6)
        .help("level of the bed at the start; the banks then rise without end"),
    Key::number("fall")
        .or(0.0)
        .within(-10.0, 10.0)
        .help("metres that the bed falls to a metre from start to end, as the crow flies"),
    Key::number("bank_slope").or(0.5).positive_to(1e3).help("metres up to a metre away from the bed"),
    Key::number("rounding")
        .unit("m")
        .optional("a quarter of the width")
        .within(0.0, 1e7)
        .help("distance on both sides of the bed's edge over which the bed turns into the bank"),
    Key::number("meander")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e7)
        .help("how far a straight river swings out to each side"),
    Key::number("meander_length")
        .unit("m")
        .optional("ten times the width")
        .positive_to(1e8)
        .help("distance from swing to swing"),
];

#[derive(Debug)]
struct RiverChannel {
    river_path: RiverPath,
    half_width: f64,
    bed: f64,
    is_capped: bool,
    fall: f64,
    bank_slope: f64,
    rounding: f64,
}

impl LandShape for RiverChannel {
    fn height(&self, at: DVec2) -> f64 {
        let spot = self.river_path.nearest(at);
        let bank = self.bank_slope * ramp(spot.away - self.half_width, self.rounding);
        let bed = self.bed - self.fall * spot.downstream;
        match self.is_capped {
            // A fifth of the height of the banks is rounded at their top.
            true => smooth::min(bed + bank, 0.0, 0.2 * (-bed).max(0.0)),
            false => bed + bank,
        }
    }
}

/// Zero before `-rounding`, t from `rounding` on, and a parabola between.
fn ramp(t: f64, rounding: f64) -> f64 {
    if t.abs() < rounding { (t + rounding) * (t + rounding) / (4.0 * rounding) } else { t.max(0.0) }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let width = values.number("width");
    let (bed_level, depth) = (values.number_if("bed_level"), values.number_if("depth"));
    let Some(bed) = bed_level.or(depth.map(|depth| -depth)) else {
        return Err(values
            .problem("depth", "the channel has no depth", "add depth = …, or bed_level = …")
            .into());
    };
    if bed_level.is_some() && depth.is_some() {
        let message = "both depth and bed_level say where the bed is";
        return Err(values.problem("bed_level", message, "keep one of them").into());
    }
    Ok(Box::new(RiverChannel {
        river_path: read_course(values, width)?,
        half_width: 0.5 * width,
        bed,
        is_capped: bed_level.is_none(),
        fall: values.number("fall"),
        bank_slope: values.number("bank_slope"),
        rounding: values.number_if("rounding").unwrap_or(0.25 * width),
    }))
}

fn read_course(values: &Values, width: f64) -> Result<RiverPath, SceneErrors> {
    let meander = values.number("meander");
    let points: Vec<DVec2> =
        values.tables("point").iter().map(|point| DVec2::from(point.vector::<2>("at"))).collect();
    if points.is_empty() {
        return Ok(RiverPath::Straight {
            center: DVec2::from(values.vector::<2>("center")),
            direction: direction(values)?,
            meander,
            wave_number: std::f64::consts::TAU / values.number_if("meander_length").unwrap_or(10.0 * width),
        });
    }
    if meander > 0.0 {
        let message = "a river through points does not meander by itself";
        return Err(values.problem("meander", message, "give it more points").into());
    }
    let path = Path::through(&points).ok_or_else(|| {
        values.problem(
            "point",
            "a river runs through two points at least",
            "add [[terrain.point]] with at = [x, y]",
        )
    })?;
    Ok(RiverPath::Through(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_turns_smoothly() {
        assert_eq!([ramp(-3.0, 2.0), ramp(-2.0, 2.0), ramp(2.0, 2.0), ramp(5.0, 2.0)], [0.0, 0.0, 2.0, 5.0]);
        assert_eq!([ramp(-1.0, 0.0), ramp(0.0, 0.0), ramp(1.0, 0.0)], [0.0, 0.0, 1.0]);
        assert_eq!(ramp(0.0, 2.0), 0.5);
    }
}
