//! Flux through the face between two neighbouring samples: eqs. (6) and (7) of [kass1990], discrete in time.
//!
//! D is the depth at the face, u the velocity through it, m = √D u. With p the weight of the end of the step, f = 1 − τ,
//! Δ a difference from the low sample to the high one, and y = h' − h the rise of a sample in the step,
//!
//! ```text
//!     m' = f m − (g Δt / Δx) √D (Δh + p Δy)
//!     F  = (Δt / Δx) √D (p m' + (1 − p) m)            metres of depth per step
//! ```
//!
//! Substituting m' gives F = E − B Δy with the explicit flux E and the conductance B.
//!
//! **Why m**, and not u or the flux D u: Σ (g h² + m²)/2 is an energy norm that does not depend on the depths. In it a
//! step at p = ½ is a rotation of (√g h, m), one at p > ½ a contraction, and depths that change from step to step add
//! no energy. With u instead, large waves gain energy where water converges, and the scheme becomes unstable.
//!
//! **p** is raised where the curvature of the surface is not resolved (wavelengths below about eleven samples) or its
//! step exceeds half of the depth, at bores, shores and falls, to suppress oscillations there.
//!
//! **D** is the mean depth of eq. (6), except near the shore, where the mean would let the level of dry ground act on
//! the water and let a film lose more than its depth. So D ≤ 2 H with H the height of the higher surface above the
//! higher bed, and the face is closed unless H exceeds the film. Where the depth is at least half of that of the
//! neighbour, D is the mean.
//!
//! **Speed limit**: without advection nothing bounds the speed of water that runs downhill; in rivers advection does,
//! near the speed of long waves. So |u| ≤ √(g D). In waves u is smaller than that by the ratio of height to depth.

use undine_grid::Real;

/// Smaller than any relevant value, and larger than subnormal numbers, which are slow.
const TINY: f64 = 1e-20;

/// p is raised where the bend of Δh, its difference from the mean of its neighbours, exceeds this fraction of the sum of
/// all three: the bend of a wave of eleven samples …
const ROUGH: f64 = 0.06;

/// … and is at its maximum at this fraction: that of a wave of five samples.
const ROUGHEST: f64 = 0.35;

/// A standing wave is flat at the instant of greatest velocity, when rounding errors would look rough. Its amplitude is
/// then in m/√g, of which this fraction counts as a rise between samples.
const SWING: f64 = 0.07;

/// Courant number at which D is capped: beyond it F is a small difference of large numbers, which single precision
/// cannot represent. Levels still equalise.
const MAX_COURANT: f64 = 200.0;

/// The constants of a step along one axis.
#[derive(Debug, Clone, Copy)]
pub struct FaceFlux<T> {
    /// Δt / Δx.
    pub dt_over_dx: T,
    /// g (Δt / Δx)²; times D, the square of the Courant number.
    pub courant_factor: T,
    /// √g Δt / Δx.
    pub root_courant_factor: T,
    /// g Δt / Δx.
    pub g_dt_over_dx: T,
    /// √g.
    pub root_gravity: T,
    /// D at the Courant number [`MAX_COURANT`].
    pub deepest: T,
    /// Fraction of m that counts as a rise.
    pub swing: T,
    /// Rises below this fraction of the depth count as rounding errors.
    pub noise: T,
    /// f = 1 − τ.
    pub undamped: T,
    /// p where the surface is smooth.
    pub implicit: T,
    /// 1 to raise p where the surface is rough, 0 to keep it.
    pub smoothing: T,
    /// Depth up to which a sample counts as bare, in metres.
    pub film: T,
}

/// Depth and bed at a sample.
#[derive(Debug, Clone, Copy)]
pub struct WaterColumn<T> {
    /// Depth of the water, never below zero.
    pub depth: T,
    /// Level of the ground.
    pub bed: T,
}

/// Depth and level difference at a face.
#[derive(Debug, Clone, Copy, Default)]
pub struct FaceGeometry<T> {
    /// D; zero when shut.
    pub depth: T,
    /// Δh; zero when shut.
    pub rise: T,
}

/// State of a face at the start of a step.
#[derive(Debug, Clone, Copy)]
pub struct FaceState<T> {
    /// √D.
    pub root: T,
    /// Δh.
    pub rise: T,
    /// p.
    pub implicit: T,
    /// m.
    pub flow: T,
}

impl<T: Real> FaceFlux<T> {
    /// The constants of a step of `dt` along an axis of this spacing.
    pub fn new(dt: f64, spacing: f64, gravity: f64, implicit: f64, damping: f64, film: f64) -> FaceFlux<T> {
        // All constants in double precision, rounded to T together at the end
        let dt_over_dx = dt / spacing;
        let [
            dt_over_dx,
            courant_factor,
            root_courant_factor,
            g_dt_over_dx,
            root_gravity,
            deepest,
            swing,
            noise,
            undamped,
            smoothing,
            implicit,
            film,
        ] = [
            dt_over_dx,
            gravity * dt_over_dx * dt_over_dx,
            gravity.sqrt() * dt_over_dx,
            gravity * dt_over_dx,
            gravity.sqrt(),
            MAX_COURANT * MAX_COURANT / (gravity * dt_over_dx * dt_over_dx),
            SWING / gravity.sqrt(),
            if size_of::<T>() == 4 { 1024.0 * f64::from(f32::EPSILON) } else { 1024.0 * f64::EPSILON },
            1.0 - damping,
            if implicit < 1.0 { 1.0 } else { 0.0 },
            implicit,
            film,
        ]
        .map(T::from_f64);
        FaceFlux {
            dt_over_dx,
            courant_factor,
            root_courant_factor,
            g_dt_over_dx,
            root_gravity,
            deepest,
            swing,
            noise,
            undamped,
            implicit,
            smoothing,
            film,
        }
    }

    /// D = min(½ (d_low + d_high), 2 H) and Δh at a face; both zero when it is closed.
    #[inline(always)]
    pub fn geometry(&self, low: WaterColumn<T>, high: WaterColumn<T>) -> FaceGeometry<T> {
        let [zero, half, two] = [0.0, 0.5, 2.0].map(T::from_f64);
        let step = high.bed - low.bed;
        // Heights of both surfaces above the higher bed, and H
        let (above_low, above_high) = (low.depth - greater(step, zero), high.depth + lesser(step, zero));
        let head = greater(above_low, above_high);
        let depth = lesser(half * (low.depth + high.depth), two * head);
        // Free overfall onto lower ground: the flux is at most half of the depth above the edge
        let fall = -lesser(above_low, above_high);
        let demand = greater(self.courant_factor * fall, T::from_f64(TINY));
        let depth = lesser(lesser(depth, half * head / demand), self.deepest);
        let is_open = head > self.film;
        FaceGeometry {
            depth: if is_open { depth } else { zero },
            rise: if is_open { (high.depth - low.depth) + step } else { zero },
        }
    }

    /// p at a face, from the roughness of Δh over three neighbouring faces.
    #[inline(always)]
    pub fn implicit_weight(
        &self,
        geometry: FaceGeometry<T>,
        root: T,
        [before, after]: [T; 2],
        flows: [T; 3],
    ) -> T {
        let [zero, half, one, four, five] = [0.0, 0.5, 1.0, 4.0, 5.0].map(T::from_f64);
        let FaceGeometry { depth, rise } = geometry;
        let bend = (rise - half * (before + after)).abs();
        let flow = flows[0].abs() + flows[1].abs() + flows[2].abs();
        let sum = before.abs() + rise.abs() + after.abs() + self.swing * flow + self.noise * depth;
        let rough = greater(bend - T::from_f64(ROUGH) * sum, rise.abs() - half * depth);
        let width = greater(T::from_f64(ROUGHEST - ROUGH) * sum, T::from_f64(TINY));
        let fraction = self.smoothing * lesser(greater(rough, zero) / width, one);
        // At small Courant numbers p = 1 damps little, so the maximum of p grows up to 4
        let smooth = lesser(greater(five - four * (self.root_courant_factor * root), one), four);
        self.implicit + fraction * (smooth - self.implicit)
    }

    /// E = (Δt/Δx) √D ((p f + 1 − p) m − p (g Δt/Δx) √D Δh): the flux at y = 0.
    #[inline(always)]
    pub fn explicit_flux(&self, face: &FaceState<T>) -> T {
        let FaceState { root, rise, implicit, flow } = *face;
        let undamped = implicit * self.undamped + (T::from_f64(1.0) - implicit);
        self.dt_over_dx * root * (undamped * flow - implicit * (self.g_dt_over_dx * root * rise))
    }

    /// B = g (Δt/Δx)² p² D: the decrease of F per metre of Δy.
    #[inline(always)]
    pub fn conductance(&self, face: &FaceState<T>) -> T {
        let root = face.implicit * face.root;
        self.courant_factor * (root * root)
    }

    /// F and m' of a step with Δy = `difference`; |m'| ≤ √g D.
    #[inline(always)]
    pub fn advance(&self, face: &FaceState<T>, difference: T) -> (T, T) {
        let FaceState { root, rise, implicit, flow } = *face;
        let after = self.undamped * flow - self.g_dt_over_dx * root * (rise + implicit * difference);
        let flux = self.dt_over_dx * root * (flow + implicit * (after - flow));
        let most = self.root_gravity * (root * root);
        (flux, flush_to_zero(lesser(greater(after, -most), most)))
    }
}

/// The number, or zero in place of one below [`TINY`], before it becomes subnormal.
#[inline(always)]
pub fn flush_to_zero<T: Real>(number: T) -> T {
    if number.abs() < T::from_f64(TINY) { T::from_f64(0.0) } else { number }
}

/// The greater of two numbers.
#[inline(always)]
pub fn greater<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The lesser of two numbers.
#[inline(always)]
pub fn lesser<T: Real>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face_flux() -> FaceFlux<f64> {
        FaceFlux::new(1.0 / 30.0, 0.1, 9.81, 0.501, 0.0, 1e-4)
    }

    fn column(bed: f64, depth: f64) -> WaterColumn<f64> {
        WaterColumn { depth, bed }
    }

    #[test]
    fn open_water_passes_its_mean_depth() {
        let FaceGeometry { depth, rise } = face_flux().geometry(column(-1.0, 1.25), column(-0.5, 0.5));
        assert_eq!((depth, rise), (0.875, -0.25));
    }

    #[test]
    fn ground_above_the_water_is_a_wall_and_pushes_nothing() {
        for bed in [0.0, 0.3, 100.0] {
            let FaceGeometry { depth, rise } = face_flux().geometry(column(-1.0, 1.0), column(bed, 0.0));
            assert_eq!((depth, rise), (0.0, 0.0), "ground at {bed}");
        }
        assert!(face_flux().geometry(column(-1.0, 1.2), column(0.1, 0.0)).depth > 0.0);
    }

    #[test]
    fn a_thin_film_above_a_deep_pool_gives_no_more_than_it_has() {
        let face_flux = face_flux();
        for fall in [0.0, 0.01, 1.0, 50.0] {
            let (film, pool) = (column(fall, 0.002), column(-5.0, 5.0));
            let geometry = face_flux.geometry(film, pool);
            assert!(
                geometry.depth <= 0.004 && face_flux.courant_factor * geometry.depth * fall <= 0.001 + 1e-15,
                "{fall}"
            );
        }
    }

    #[test]
    fn passages_are_the_same_from_both_sides() {
        let ends = [column(-0.3, 0.1), column(0.2, 0.05), column(0.21, 0.0), column(-2.0, 3.0)];
        for a in ends {
            for b in ends {
                let (there, back) = (face_flux().geometry(a, b), face_flux().geometry(b, a));
                assert_eq!((there.depth, there.rise), (back.depth, -back.rise));
            }
        }
    }

    #[test]
    fn what_passes_is_what_the_system_was_told() {
        let face_flux = face_flux();
        let face = FaceState { root: 0.8, rise: 0.03, implicit: 0.7, flow: -0.2 };
        for difference in [-0.1, 0.0, 0.02] {
            let told = face_flux.explicit_flux(&face) - face_flux.conductance(&face) * difference;
            assert!((face_flux.advance(&face, difference).0 - told).abs() < 1e-15);
        }
    }

    #[test]
    fn water_downhill_reaches_the_speed_of_long_waves_and_no_more() {
        let face_flux = face_flux();
        let mut flow = 0.0;
        for _ in 0..1000 {
            (_, flow) = face_flux.advance(&FaceState { root: 0.5, rise: -0.2, implicit: 1.0, flow }, 0.0);
        }
        let speed = flow / 0.25f64.sqrt();
        assert!((speed - (9.81f64 * 0.25).sqrt()).abs() < 1e-12);
    }
}
