//! Seen volume of a run: the volume inside the drawn surface of each liquid, beside what the liquid holds.
//!
//! It is taken from the meshes of a frame where a sink wants them, and else made for this purpose alone, also without
//! pictures: once a frame.

use std::cell::RefCell;

use undine_frame::{Frame, FrameRequest};
use undine_sim::{Runner, SurfaceView, Water};
use undine_surface::{Tessellation, seen_volumes};

/// The relative difference of seen and held volume that is worth a warning, and for how many seconds.
const MAX_DRIFT: f64 = 0.02;
const MAX_DRIFT_SECONDS: f64 = 0.25;

/// Held and seen volume of a water at a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WaterVolumes {
    /// Volume held in m³.
    pub held: f64,
    /// Seen volume in m³; none for waters that are no liquid.
    pub seen: Option<f64>,
}

impl WaterVolumes {
    /// seen/held − 1; none without a liquid.
    pub fn drift(&self) -> Option<f64> {
        self.seen.filter(|_| self.held > 0.0).map(|seen| seen / self.held - 1.0)
    }
}

/// Measures the seen volumes of a run.
pub(crate) struct SeenVolumes<'a> {
    tessellation: &'a Tessellation,
    /// Number of the frame that a sink got last, and the volumes of its meshes.
    latest: RefCell<(u64, Vec<Option<f64>>)>,
}

impl<'a> SeenVolumes<'a> {
    /// With these settings of the surface.
    pub fn new(tessellation: &'a Tessellation) -> Self {
        SeenVolumes { tessellation, latest: RefCell::default() }
    }

    /// Measures the meshes of a frame that was captured for sinks.
    pub fn take(&self, frame: &Frame, request: &FrameRequest) {
        if request.liquid_meshes {
            *self.latest.borrow_mut() = (frame.index, seen_volumes(frame, self.tessellation));
        }
    }

    /// The volumes of all waters at the frame of a runner.
    pub fn measure(&self, runner: &Runner) -> Vec<WaterVolumes> {
        let waters = runner.waters();
        let (frame, mut seen) = self.latest.take();
        let is_known = |number: usize| seen.get(number).is_some_and(Option::is_some);
        let is_missing = |(number, water): (usize, &Water)| is_liquid(water) && !is_known(number);
        if frame != runner.frame() || seen.len() != waters.len() || waters.iter().enumerate().any(is_missing)
        {
            seen = match waters.iter().any(is_liquid) {
                true => {
                    let request = FrameRequest { liquid_meshes: true, ..FrameRequest::default() };
                    seen_volumes(&undine_sim::capture(runner, &request), self.tessellation)
                }
                false => vec![None; waters.len()],
            };
        }
        let held = waters.iter().map(|water| water.simulation.volume().held);
        held.zip(seen).map(|(held, seen)| WaterVolumes { held, seen }).collect()
    }
}

fn is_liquid(water: &Water) -> bool {
    water.simulation.view().surfaces.iter().any(|surface| matches!(surface, SurfaceView::Liquid(_)))
}

/// Finds waters of which more or less is seen than is held for some time.
#[derive(Debug, Default)]
pub(crate) struct DriftWatch {
    /// Since when the drift of each water has been too great; negative infinity once that was reported.
    since: Vec<Option<f64>>,
}

impl DriftWatch {
    /// The warning that is due for a water at a time, once.
    pub fn warning(
        &mut self,
        number: usize,
        name: &str,
        time: f64,
        volumes: &WaterVolumes,
    ) -> Option<String> {
        if self.since.len() <= number {
            self.since.resize(number + 1, None);
        }
        let since = &mut self.since[number];
        if *since == Some(f64::NEG_INFINITY) {
            return None;
        }
        // How long it has been beyond the limit
        let drift = volumes.drift().filter(|drift| drift.abs() > MAX_DRIFT);
        let (Some(drift), Some(seen)) = (drift, volumes.seen) else {
            *since = None;
            return None;
        };
        let start = *since.get_or_insert(time);
        if time - start < MAX_DRIFT_SECONDS {
            return None;
        }
        *since = Some(f64::NEG_INFINITY);
        // The warning, once
        let (held, amount) = (volumes.held, 100.0 * drift.abs());
        let [relation, cause, remedy] = if drift < 0.0 {
            let cause = "thin sheets and drops are drawn too small, or the liquid is compressed";
            ["less", cause, "raise resolution (or --scale)"]
        } else {
            let cause = "drops are drawn too large, or the liquid encloses gaps";
            ["more", cause, "raise resolution (or --scale), or cells of [[surface]]"]
        };
        Some(format!(
            "since t = {start:.3} s {amount:.1} % {relation} of {name} is seen than is held ({seen:.4} of {held:.4} m³): \
             {cause}; {remedy}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_is_reported_once_and_only_when_it_lasts() {
        let mut watch = DriftWatch::default();
        let volumes = |seen: f64| WaterVolumes { held: 2.0, seen: Some(seen) };
        let mut warn = |time: f64, seen: f64| watch.warning(0, "sea", time, &volumes(seen));
        // Too short, then within the bound again
        assert_eq!(
            (warn(0.0, 1.9), warn(0.2, 1.9), warn(0.3, 1.97), warn(0.4, 1.9)),
            (None, None, None, None)
        );
        let text = warn(0.7, 1.9).unwrap();
        assert!(text.contains("t = 0.400 s") && text.contains("5.0 % less of sea"), "{text}");
        assert_eq!(warn(2.0, 1.0), None);
        let solid = WaterVolumes { held: 1.0, seen: None };
        assert_eq!((solid.drift(), watch.warning(1, "pond", 9.0, &solid)), (None, None));
    }
}
