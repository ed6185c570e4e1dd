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

const ROUGH: f64 = 0.12;

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
    /// 1 to smooth what is too short for the lattice, 0 to leave p as it is.
    pub smoothing: T,
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
    /// m, towards the high side.
    pub flow: T,
}

/// The way between two samples.
#[derive(Debug, Clone, Copy)]
pub struct Passage<T> {
    /// D, the depth through which water passes; zero when shut.
    pub depth: T,
    /// Δh, the rise of the surface from the low side to the high one; zero when shut.
    pub rise: T,
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
    /// D and Δh between two samples; both are zero when the face is shut.
    #[inline(always)]
    pub fn passage(&self, low: Column<T>, high: Column<T>) -> Passage<T> {
        let [zero, half, two] = [0.0, 0.5, 2.0].map(T::from_f64);
        let step = high.bed - low.bed;
        // Both surfaces above the higher bed: negative where one lies below it.
        let (above_low, above_high) = (low.depth - greater(step, zero), high.depth + lesser(step, zero));
        let head = greater(above_low, above_high);
        let mean = half * (low.depth + high.depth);
        let depth = lesser(mean, two * head);
        // A fall onto lower ground takes no more than half of what stands above the edge.
        let fall = -lesser(above_low, above_high);
        let demand = greater(self.gain * fall, T::from_f64(TINY));
        let depth = lesser(depth, half * head / demand);
        let rise = (high.depth - low.depth) + step;
        let is_open = head > self.film;
        Passage { depth: if is_open { depth } else { zero }, rise: if is_open { rise } else { zero } }
    }

    /// A face with its flow, given the rises at the faces before and after it.
    #[inline(always)]
    pub fn face(&self, passage: Passage<T>, before: T, after: T, flow: T) -> Face<T> {
        let Passage { depth, rise } = passage;
        let [half, one] = [0.5, 1.0].map(T::from_f64);
        let bend = magnitude(rise - half * (before + after));
        let sum = magnitude(before) + magnitude(rise) + magnitude(after);
        let courant = (self.gain * depth).sqrt();
        let rough = one / lesser(greater(courant, T::from_f64(0.25)), one);
        let is_rough = bend > T::from_f64(ROUGH) * sum;
        let is_rough = is_rough || magnitude(rise) > half * depth;
        let implicit = if is_rough { self.implicit + self.smoothing * (rough - self.implicit) } else { self.implicit };
        Face { depth, implicit, rise, flow }
    }

    /// E: what passes in the step while the levels stay as they are.
    #[inline(always)]
    pub fn explicit(&self, face: &Face<T>) -> T {
        let one = T::from_f64(1.0);
        let kept = face.implicit * self.kept + (one - face.implicit);
        kept * self.pace * face.depth.sqrt() * face.flow - face.implicit * self.gain * face.depth * face.rise
    }

    /// B: how much less passes for each metre by which the high side rises more than the low one.
    #[inline(always)]
    pub fn conductance(&self, face: &Face<T>) -> T {
        face.implicit * face.implicit * self.gain * face.depth
    }

    /// m after the step in which the high side rose by `rise` more than the low one.
    #[inline(always)]
    pub fn flow(&self, face: &Face<T>, rise: T) -> T {
        let pull = self.gain / self.pace * face.depth.sqrt() * (face.rise + face.implicit * rise);
        let flow = self.kept * face.flow - pull;
        if face.depth > T::from_f64(0.0) { settled(flow) } else { T::from_f64(0.0) }
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
