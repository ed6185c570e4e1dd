//! What happens at the face between two neighbouring samples: eqs. (6) and (7) of [kass1990], discrete in time.
//!
//! With p the weight of the end of the step and f = 1 − τ,
//!
//! ```text
//!     u' = f u − (g Δt / Δx) (Δh + p Δy)                 Δ: high sample minus low sample, y = h' − h
//!     F  = (Δt / Δx) D (p u' + (1 − p) u)                metres of depth that pass in the step
//! ```
//!
//! Putting u' into F gives F = E − B Δy: what passes whatever the levels do, and how much a rise of the far side holds
//! back. p = 1 is the first-order step of the paper, p = ½ keeps the energy of every wave.
//!
//! D is the mean depth of eq. (6), except near the shore. There the mean lets ground push water, and lets a film lose
//! more than it has. So D is at most twice H, the height of the higher surface above the higher bed, and a face is shut
//! unless H is more than a film. On ground that changes by less than its depth from sample to sample, D is the mean.

use undine_grid::Real;

/// Less than anything that matters, and more than the numbers over which processors slow down.
const TINY: f64 = 1e-20;

/// The constants of a step along one axis.
#[derive(Debug, Clone, Copy)]
pub struct Law<T> {
    /// Δt / Δx.
    pub pace: T,
    /// g (Δt / Δx)², so that times a depth it is the square of the Courant number.
    pub gain: T,
    /// f: what is left of a velocity after damping.
    pub kept: T,
    /// p in open water.
    pub implicit: T,
    /// Water thinner than this clings to the ground, in metres.
    pub film: T,
}

/// A face at the beginning of a step.
#[derive(Debug, Clone, Copy)]
pub struct Face<T> {
    /// D, the depth through which water passes; zero when shut.
    pub depth: T,
    /// p at this face.
    pub implicit: T,
    /// Δh, the rise of the surface from the low side to the high one.
    pub rise: T,
    /// Velocity towards the high side.
    pub velocity: T,
}

/// A sample: its depth and its bed.
#[derive(Debug, Clone, Copy)]
pub struct Column<T> {
    /// Depth of the water, never below zero.
    pub depth: T,
    /// Level of the ground.
    pub bed: T,
}

impl<T: Real> Law<T> {
    /// The face between two samples.
    #[inline(always)]
    pub fn face(&self, low: Column<T>, high: Column<T>, velocity: T) -> Face<T> {
        let [zero, half, two, one] = [0.0, 0.5, 2.0, 1.0].map(T::from_f64);
        let step = high.bed - low.bed;
        // Both surfaces above the higher bed: negative where one lies below it.
        let (above_low, above_high) = (low.depth - greater(step, zero), high.depth + lesser(step, zero));
        let head = greater(above_low, above_high);
        let mean = half * (low.depth + high.depth);
        let passage = lesser(mean, two * head);
        // A fall onto lower ground takes no more than half of what stands above the edge.
        let fall = -lesser(above_low, above_high);
        let demand = greater(self.gain * fall, T::from_f64(TINY));
        let passage = lesser(passage, half * head / demand);
        let depth = if head > self.film { passage } else { zero };
        let rise = (high.depth - low.depth) + step;
        // Steps of the surface that are no longer small beside the depth are bores and shores: the paper's own step
        // smooths them, the energy-keeping one would let them ring.
        let implicit = if two * magnitude(rise) > depth { one } else { self.implicit };
        Face { depth, implicit, rise, velocity }
    }

    /// E: what passes in the step while the levels stay as they are.
    #[inline(always)]
    pub fn explicit(&self, face: &Face<T>) -> T {
        let one = T::from_f64(1.0);
        let inertia = (face.implicit * self.kept + (one - face.implicit)) * self.pace * face.velocity;
        face.depth * (inertia - face.implicit * self.gain * face.rise)
    }

    /// B: how much less passes for each metre by which the high side rises more than the low one.
    #[inline(always)]
    pub fn conductance(&self, face: &Face<T>) -> T {
        face.implicit * face.implicit * self.gain * face.depth
    }

    /// The velocity after the step in which the high side rose by `rise` more than the low one.
    #[inline(always)]
    pub fn velocity(&self, face: &Face<T>, rise: T) -> T {
        let velocity = self.kept * face.velocity
            - self.gain / self.pace * (face.rise + face.implicit * rise);
        if face.depth > T::from_f64(0.0) { settled(velocity) } else { T::from_f64(0.0) }
    }
}

/// The number, or zero in place of one so small that processors slow down over it.
#[inline(always)]
pub fn settled<T: Real>(number: T) -> T {
    let zero = T::from_f64(0.0);
    if magnitude(number) < T::from_f64(TINY) { zero } else { number }
}

#[inline(always)]
pub fn magnitude<T: Real>(number: T) -> T {
    if number < T::from_f64(0.0) { -number } else { number }
}

#[inline(always)]
pub fn greater<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[inline(always)]
pub fn lesser<T: Real>(a: T, b: T) -> T {
    if a < b { a } else { b }
}
