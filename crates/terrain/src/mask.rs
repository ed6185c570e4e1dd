//! The mask of a layer.

use glam::DVec2;
use undine_scene::{Problem, SceneErrors, Values};

use crate::smooth;

/// A box or a disc, with a soft edge outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mask {
    region: MaskRegion,
    soft: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum MaskRegion {
    Everywhere,
    Box { center: DVec2, half: DVec2 },
    Disc { center: DVec2, radius: f64 },
}

impl Mask {
    pub fn read(values: &Values) -> Result<Mask, SceneErrors> {
        Ok(Mask { region: MaskRegion::read(values)?, soft: values.number("soft") })
    }

    /// Weight of the layer at a point, from 0 to 1.
    pub fn weight(&self, at: DVec2) -> f64 {
        let outside = match self.region {
            MaskRegion::Everywhere => return 1.0,
            MaskRegion::Box { center, half } => ((at - center).abs() - half).max(DVec2::ZERO).length(),
            MaskRegion::Disc { center, radius } => (at.distance(center) - radius).max(0.0),
        };
        match outside > 0.0 {
            true if self.soft > 0.0 => 1.0 - smooth::step(outside / self.soft),
            is_outside => f64::from(u8::from(!is_outside)),
        }
    }
}

impl MaskRegion {
    fn read(values: &Values) -> Result<MaskRegion, Problem> {
        let corners = (values.vector_if::<2>("within_from"), values.vector_if::<2>("within_to"));
        let disc = (values.vector_if::<2>("within_center"), values.number_if("within_radius"));
        match (corners, disc) {
            ((None, None), (None, None)) => Ok(MaskRegion::Everywhere),
            ((Some(from), Some(to)), (None, None)) => {
                let (from, to) = (DVec2::from(from), DVec2::from(to));
                Ok(MaskRegion::Box { center: 0.5 * (from + to), half: 0.5 * (to - from).abs() })
            }
            ((None, None), (center, Some(radius))) => {
                Ok(MaskRegion::Disc { center: center.map_or(DVec2::ZERO, DVec2::from), radius })
            }
            ((None, None), (Some(_), None)) => {
                Err(values.problem("within_center", "the disc has no radius", "add within_radius"))
            }
            ((from, _), (None, None)) => {
                let (key, missing) =
                    if from.is_some() { ("within_from", "within_to") } else { ("within_to", "within_from") };
                Err(values.problem(key, "the box has only one corner", format!("add {missing}")))
            }
            _ => {
                let message = "the layer acts within a box and within a disc";
                Err(values.problem("within_radius", message, "keep one of them"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soft_edge_fades_outside() {
        let region = MaskRegion::Box { center: DVec2::ZERO, half: DVec2::new(2.0, 1.0) };
        let hard = Mask { region, soft: 0.0 };
        let soft = Mask { region, soft: 2.0 };
        let at = |x: f64, y: f64| [hard, soft].map(|mask| mask.weight(DVec2::new(x, y)));
        assert_eq!(at(2.0, -1.0), [1.0, 1.0]);
        assert_eq!(at(3.0, 0.0), [0.0, 0.5]);
        assert_eq!(at(0.0, 3.5), [0.0, 0.0]);
        let disc = Mask { region: MaskRegion::Disc { center: DVec2::ONE, radius: 1.0 }, soft: 1.0 };
        assert_eq!(disc.weight(DVec2::new(1.0, 2.5)), 0.5);
        assert_eq!(disc.weight(DVec2::ONE), 1.0);
    }
}
