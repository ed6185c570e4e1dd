//! Adaptive resolution: fewer pixels while the water moves, if the GPU is too slow.
//!
//! While pictures take so long that simulation frames are skipped, the resolution is reduced. After a series of
//! pictures without skipped frames it is increased again; the length of the series doubles each time that fails. A
//! paused picture has full resolution.

use egui::{Rect, Ui};

use super::StudioApp;

/// Seconds between pictures above which the resolution is reduced, and below which there is headroom.
const SLOW_FRAME: f64 = 0.085;
const FAST_FRAME: f64 = 0.035;
/// Factor on the resolution per step, and its minimum.
const SCALE_STEP: f32 = 0.8;
const MIN_FRACTION: f32 = 0.4;
/// Least number of pixels: fewer would not render noticeably faster.
const MIN_PIXELS: f32 = 640.0 * 360.0;
/// Pictures that are averaged before the next change.
const AVERAGED_FRAMES: u32 = 4;
/// Pictures without a skipped frame before the resolution is increased, at first and at most.
const RETRY_AFTER: [u32; 2] = [30, 2000];

/// The resolution of moving pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveResolution {
    fraction: f32,
    /// Pictures since the last change, consecutive ones without a skipped frame, and the mean of the seconds between
    /// them.
    count: u32,
    complete: u32,
    mean: f64,
    retry_after: u32,
}

impl Default for AdaptiveResolution {
    fn default() -> Self {
        AdaptiveResolution { fraction: 1.0, count: 0, complete: 0, mean: 0.0, retry_after: RETRY_AFTER[0] }
    }
}

impl AdaptiveResolution {
    /// Records a picture: the seconds since the one before, and whether simulation frames were skipped in between.
    pub fn record(&mut self, seconds: f64, has_missed: bool) {
        self.count += 1;
        self.complete = if has_missed { 0 } else { self.complete + 1 };
        // The first picture after a change includes its cost
        if self.count == 1 {
            return;
        }
        let weight = 1.0 / f64::from((self.count - 1).min(AVERAGED_FRAMES));
        self.mean += weight * (seconds - self.mean);
        if self.count <= AVERAGED_FRAMES {
            return;
        }
        let has_headroom = self.mean < FAST_FRAME || self.complete >= self.retry_after;
        if has_missed && self.mean > SLOW_FRAME && self.fraction > MIN_FRACTION {
            let retry_after = (2 * self.retry_after).min(RETRY_AFTER[1]);
            *self = AdaptiveResolution {
                fraction: (self.fraction * SCALE_STEP).max(MIN_FRACTION),
                retry_after,
                ..AdaptiveResolution::default()
            };
        } else if has_headroom && self.fraction < 1.0 {
            let (fraction, retry_after) = ((self.fraction / SCALE_STEP).min(1.0), self.retry_after);
            *self = AdaptiveResolution { fraction, retry_after, ..AdaptiveResolution::default() };
        }
    }

    /// Resets the averages after a pause.
    pub fn reset(&mut self) {
        (self.count, self.complete, self.mean) = (0, 0, 0.0);
    }

    /// The fraction of the full resolution for a moving picture with so many pixels in full; small pictures are not
    /// reduced.
    pub fn fraction_for(self, pixels: f32) -> f32 {
        self.fraction.max((MIN_PIXELS / pixels).sqrt()).min(1.0)
    }
}

impl StudioApp {
    /// The fraction of the full resolution now: reduced while the water or the view moves.
    pub(super) fn resolution_fraction(&self, ui: &Ui, rect: Rect) -> f32 {
        let is_turned = ui.input(|input| {
            input.pointer.any_down()
                || input.smooth_scroll_delta() != egui::Vec2::ZERO
                || !input.keys_down.is_empty()
        });
        let is_moving = self.update.is_playing || is_turned;
        let points = (rect.area() * ui.ctx().pixels_per_point().powi(2)).max(1.0);
        if self.preferences.adapts_resolution && is_moving {
            self.resolution.fraction_for(points)
        } else {
            1.0
        }
    }

    /// Records the time between pictures of running water.
    pub(super) fn adapt_resolution(&mut self, ui: &Ui, before: u64) {
        if !self.update.is_playing {
            return self.resolution.reset();
        }
        if self.pictures() > before {
            let now = (self.update.runs.first().map_or(0, |run| run.frame), ui.input(|input| input.time));
            let last = std::mem::replace(&mut self.last_picture, now);
            self.resolution.record(now.1 - last.1, now.0 > last.0 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a GPU that takes `full` seconds for a picture of full resolution, with water at `fps` frames per
    /// second.
    fn render(resolution: &mut AdaptiveResolution, full: f64, fps: f64, pictures: usize) {
        for _ in 0..pictures {
            let needed = full * f64::from(resolution.fraction * resolution.fraction);
            resolution.record(needed.max(1.0 / fps), needed > 1.5 / fps);
        }
    }

    #[test]
    fn a_slow_gpu_reduces_the_resolution_until_it_keeps_up() {
        let mut resolution = AdaptiveResolution::default();
        render(&mut resolution, 0.2, 60.0, 60);
        let settled = resolution.fraction;
        assert!(settled < 1.0 && 0.2 * f64::from(settled * settled) < SLOW_FRAME, "{settled}");
        render(&mut resolution, 0.2, 60.0, 200);
        assert_eq!(resolution.fraction, settled);
        render(&mut resolution, 10.0, 60.0, 200);
        assert_eq!(resolution.fraction, MIN_FRACTION);
    }

    #[test]
    fn a_fast_gpu_returns_to_full_resolution() {
        let mut resolution = AdaptiveResolution::default();
        render(&mut resolution, 0.3, 60.0, 60);
        render(&mut resolution, 0.01, 60.0, 200);
        assert_eq!(resolution.fraction, 1.0);
    }

    #[test]
    fn a_slow_simulation_does_not_reduce_the_resolution() {
        let mut resolution = AdaptiveResolution::default();
        render(&mut resolution, 0.05, 2.0, 100);
        assert_eq!(resolution.fraction, 1.0);
        // Nor does one slow picture
        render(&mut resolution, 0.01, 60.0, 10);
        resolution.record(0.15, true);
        render(&mut resolution, 0.01, 60.0, 10);
        assert_eq!(resolution.fraction, 1.0);
    }

    #[test]
    fn small_pictures_keep_full_resolution() {
        let coarse = AdaptiveResolution { fraction: MIN_FRACTION, ..AdaptiveResolution::default() };
        assert_eq!(coarse.fraction_for(300.0 * 300.0), 1.0);
        assert_eq!(coarse.fraction_for(4e6), MIN_FRACTION);
        assert!((coarse.fraction_for(1280.0 * 720.0) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn failed_increases_are_retried_less_often() {
        let (mut resolution, mut changes) = (AdaptiveResolution::default(), 0);
        for _ in 0..3000 {
            let before = resolution.fraction;
            render(&mut resolution, 0.2, 12.0, 1);
            changes += u32::from(resolution.fraction != before);
        }
        assert!(changes < 24, "{changes} changes");
    }
}
