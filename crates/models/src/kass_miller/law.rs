//! What happens at the face between two neighbouring samples: eqs. (6) and (7) of [kass1990], discrete in time.
//!
//! D is the depth at the face, u the velocity through it, m = √D u. With p the weight of the end of the step, f = 1 − τ,
//! Δ a difference from the low sample to the high one, and y = h' − h the rise of a sample in the step,
//!
//! ```text
//!     m' = f m − (g Δt / Δx) √D (Δh + p Δy)
//!     F  = (Δt / Δx) √D (p m' + (1 − p) m)            metres of depth that pass in the step
//! ```
//!
//! Putting m' into F gives F = E − B Δy: what passes whatever the levels do, and how much a rise of the far side holds
//! back.
//!
//! **Why m**, and not u or the flux D u, whose square is no energy: Σ (g h² + m²)/2 is the same number whatever the
//! depths are. A step at p = ½ turns (√g h, m) like a rotation, one at p > ½ shrinks it, and depths that change from step
//! to step add nothing. With u instead, large waves gain energy where water gathers, and blow up.
//!
//! **p** is larger than in open water where the surface bends too sharply for the lattice, which is anything shorter
//! than about eleven samples, or steps by half its depth: at bores, shores and falls. Without that they would ring.
//!
//! **D** is the mean depth of eq. (6), except near the shore. There the mean lets dry ground push water, and lets a film
//! lose more than it has. So D is at most twice H, the height of the higher surface above the higher bed, and a face is
//! shut unless H is more than a film. Where the depth is at least half of that of the next sample, D is the mean.
//!
//! **Speed**: without advection nothing stops water that runs downhill. In rivers advection does, near the speed of long
//! waves; so u is held to √(g D). In waves u is smaller than that by the ratio of height to depth.

use undine_grid::Real;

/// Less than anything that matters, and more than the numbers over which processors slow down.
const TINY: f64 = 1e-20;

/// A surface begins to be rough where a rise differs from the mean of its neighbours by more than this share of all
/// three: the bend of a wave of eleven samples …
const ROUGH: f64 = 0.06;

/// … and is as rough as can be at this: that of a wave of five.
const ROUGHEST: f64 = 0.35;

/// A standing wave is flat for a moment, and whatever noise there is looks rough then. What it will rise to is in its
/// flow: m/√g is the height of a wave, and this share of it its rise from sample to sample.
const SWING: f64 = 0.07;

/// Faces at which long waves run farther than this many samples in a step are taken to be shallower: F is a small
/// difference of large numbers there, and single precision would leave nothing of it. Levels even out all the same.
const MOST_COURANT: f64 = 200.0;

/// The constants of a step along one axis.
#[derive(Debug, Clone, Copy)]
pub struct Law<T> {
    /// Δt / Δx.
    pub pace: T,
    /// g (Δt / Δx)²: times a depth, the square of the Courant number.
    pub gain: T,
    /// √g Δt / Δx.
    pub root_gain: T,
    /// g Δt / Δx.
    pub pull: T,
    /// √g.
    pub root_gravity: T,
    /// The depth at which the Courant number is the greatest that the numbers can carry.
    pub deepest: T,
    /// How much of m counts as a rise.
    pub swing: T,
    /// Rises smaller than this share of the depth are taken for rounding.
    pub noise: T,
    /// f: what is left of a velocity after damping.
    pub kept: T,
    /// p in open water.
    pub implicit: T,
    /// 1 to raise p where the surface is rough, 0 to leave it.
    pub smoothing: T,
    /// Water thinner than this clings to the ground, in metres.
    pub film: T,
}

/// A sample.
#[derive(Debug, Clone, Copy)]
pub struct Column<T> {
    /// Depth of the water, never below zero.
    pub depth: T,
    /// Level of the ground.
    pub bed: T,
}

/// The way between two samples.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passage<T> {
    /// D; zero when shut.
    pub depth: T,
    /// Δh; zero when shut.
    pub rise: T,
}

/// A face at the beginning of a step.
#[derive(Debug, Clone, Copy)]
pub struct Face<T> {
    /// √D.
    pub root: T,
    /// Δh.
    pub rise: T,
    /// p.
    pub implicit: T,
    /// m.
    pub flow: T,
}

impl<T: Real> Law<T> {
    /// The constants of a step of `dt` along an axis of this spacing.
    pub fn new(dt: f64, spacing: f64, gravity: f64, implicit: f64, damping: f64, film: f64) -> Law<T> {
        let pace = dt / spacing;
        let [
            pace,
            gain,
            root_gain,
            pull,
            root_gravity,
            deepest,
            swing,
            noise,
            kept,
            smoothing,
            implicit,
            film,
        ] = [
            pace,
            gravity * pace * pace,
            gravity.sqrt() * pace,
            gravity * pace,
            gravity.sqrt(),
            MOST_COURANT * MOST_COURANT / (gravity * pace * pace),
            SWING / gravity.sqrt(),
            if size_of::<T>() == 4 { 1024.0 * f64::from(f32::EPSILON) } else { 1024.0 * f64::EPSILON },
            1.0 - damping,
            if implicit < 1.0 { 1.0 } else { 0.0 },
            implicit,
            film,
        ]
        .map(T::from_f64);
        Law {
            pace,
            gain,
            root_gain,
            pull,
            root_gravity,
            deepest,
            swing,
            noise,
            kept,
            implicit,
            smoothing,
            film,
        }
    }

    /// D and Δh between two samples.
    #[inline(always)]
    pub fn passage(&self, low: Column<T>, high: Column<T>) -> Passage<T> {
        let [zero, half, two] = [0.0, 0.5, 2.0].map(T::from_f64);
        let step = high.bed - low.bed;
        // Both surfaces above the higher bed: negative where one lies below it.
        let (above_low, above_high) = (low.depth - greater(step, zero), high.depth + lesser(step, zero));
        let head = greater(above_low, above_high);
        let depth = lesser(half * (low.depth + high.depth), two * head);
        // A fall onto lower ground takes no more than half of what stands above the edge.
        let fall = -lesser(above_low, above_high);
        let demand = greater(self.gain * fall, T::from_f64(TINY));
        let depth = lesser(lesser(depth, half * head / demand), self.deepest);
        let is_open = head > self.film;
        Passage {
            depth: if is_open { depth } else { zero },
            rise: if is_open { (high.depth - low.depth) + step } else { zero },
        }
    }

    /// p at a face, from the rises and flows of three neighbouring faces.
    #[inline(always)]
    pub fn implicit(&self, passage: Passage<T>, root: T, [before, after]: [T; 2], flows: [T; 3]) -> T {
        let [zero, half, one, four, five] = [0.0, 0.5, 1.0, 4.0, 5.0].map(T::from_f64);
        let Passage { depth, rise } = passage;
        let bend = (rise - half * (before + after)).abs();
        let flow = flows[0].abs() + flows[1].abs() + flows[2].abs();
        let sum = before.abs() + rise.abs() + after.abs() + self.swing * flow + self.noise * depth;
        let rough = greater(bend - T::from_f64(ROUGH) * sum, rise.abs() - half * depth);
        let width = greater(T::from_f64(ROUGHEST - ROUGH) * sum, T::from_f64(TINY));
        let share = self.smoothing * lesser(greater(rough, zero) / width, one);
        // Short steps damp little even at p = 1, so p goes on beyond it as the Courant number falls.
        let smooth = lesser(greater(five - four * (self.root_gain * root), one), four);
        self.implicit + share * (smooth - self.implicit)
    }

    /// E: what passes in the step while the levels stay as they are.
    #[inline(always)]
    pub fn explicit(&self, face: &Face<T>) -> T {
        let Face { root, rise, implicit, flow } = *face;
        let kept = implicit * self.kept + (T::from_f64(1.0) - implicit);
        self.pace * root * (kept * flow - implicit * (self.pull * root * rise))
    }

    /// B: how much less passes for each metre by which the high side rises more than the low one.
    #[inline(always)]
    pub fn conductance(&self, face: &Face<T>) -> T {
        let root = face.implicit * face.root;
        self.gain * (root * root)
    }

    /// F and m' of a step in which the high side rose by `difference` more than the low one.
    #[inline(always)]
    pub fn pass(&self, face: &Face<T>, difference: T) -> (T, T) {
        let Face { root, rise, implicit, flow } = *face;
        let after = self.kept * flow - self.pull * root * (rise + implicit * difference);
        let passed = self.pace * root * (flow + implicit * (after - flow));
        let most = self.root_gravity * (root * root);
        (passed, settled(lesser(greater(after, -most), most)))
    }
}

/// The number, or zero in place of one so small that processors slow down over it.
#[inline(always)]
pub fn settled<T: Real>(number: T) -> T {
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

    fn law() -> Law<f64> {
        Law::new(1.0 / 30.0, 0.1, 9.81, 0.501, 0.0, 1e-4)
    }

    fn column(bed: f64, depth: f64) -> Column<f64> {
        Column { depth, bed }
    }

    #[test]
    fn open_water_passes_its_mean_depth() {
        let Passage { depth, rise } = law().passage(column(-1.0, 1.25), column(-0.5, 0.5));
        assert_eq!((depth, rise), (0.875, -0.25));
    }

    #[test]
    fn ground_above_the_water_is_a_wall_and_pushes_nothing() {
        for bed in [0.0, 0.3, 100.0] {
            let Passage { depth, rise } = law().passage(column(-1.0, 1.0), column(bed, 0.0));
            assert_eq!((depth, rise), (0.0, 0.0), "ground at {bed}");
        }
        assert!(law().passage(column(-1.0, 1.2), column(0.1, 0.0)).depth > 0.0);
    }

    #[test]
    fn a_thin_film_above_a_deep_pool_gives_no_more_than_it_has() {
        let law = law();
        for fall in [0.0, 0.01, 1.0, 50.0] {
            let (film, pool) = (column(fall, 0.002), column(-5.0, 5.0));
            let passage = law.passage(film, pool);
            assert!(passage.depth <= 0.004 && law.gain * passage.depth * fall <= 0.001 + 1e-15, "{fall}");
        }
    }

    #[test]
    fn passages_are_the_same_from_both_sides() {
        let ends = [column(-0.3, 0.1), column(0.2, 0.05), column(0.21, 0.0), column(-2.0, 3.0)];
        for a in ends {
            for b in ends {
                let (there, back) = (law().passage(a, b), law().passage(b, a));
                assert_eq!((there.depth, there.rise), (back.depth, -back.rise));
            }
        }
    }

    #[test]
    fn what_passes_is_what_the_system_was_told() {
        let law = law();
        let face = Face { root: 0.8, rise: 0.03, implicit: 0.7, flow: -0.2 };
        for difference in [-0.1, 0.0, 0.02] {
            let told = law.explicit(&face) - law.conductance(&face) * difference;
            assert!((law.pass(&face, difference).0 - told).abs() < 1e-15);
        }
    }

    #[test]
    fn water_downhill_reaches_the_speed_of_long_waves_and_no_more() {
        let law = law();
        let mut flow = 0.0;
        for _ in 0..1000 {
            (_, flow) = law.pass(&Face { root: 0.5, rise: -0.2, implicit: 1.0, flow }, 0.0);
        }
        let speed = flow / 0.25f64.sqrt();
        assert!((speed - (9.81f64 * 0.25).sqrt()).abs() < 1e-12);
    }
}
