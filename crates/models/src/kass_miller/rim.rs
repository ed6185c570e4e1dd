//! Open sides: waves that come to them leave, and waves may be sent in.
//!
//! A long wave that leaves carries q = c η through each metre of the side, one that comes in −c η; so with an incoming
//! elevation η_in the outflow is q = c (η − 2 η_in), η above the level at rest [sommerfeld1949]. The step takes it at
//! the same weights as everything else: outflow E + p c (Δt/Δx) y with E = c (Δt/Δx) (η − 2 η_in). Waves that leave
//! at an angle θ to the side's normal are reflected by (1 − cos θ) / (1 + cos θ).
//!
//! Where the ground of a side lies above the still level, η counts from the ground: water flows off with the speed c.

use undine_grid::Real;

use super::law::Law;

/// An open side.
#[derive(Clone, Copy)]
pub struct Rim<'a, T> {
    /// For each line that ends here, how far the level at rest stands above the ground; not below zero.
    pub rest: &'a [T],
    /// For each line, twice the incoming elevation, averaged over the step.
    pub incoming: &'a [T],
}

/// What happens at one end of `W` lines; nothing at a wall.
#[derive(Debug, Clone, Copy)]
pub struct End<T, const W: usize> {
    /// E: what leaves in the step while the level stays as it is.
    pub explicit: [T; W],
    /// How much more leaves for each metre by which the sample rises.
    pub conductance: [T; W],
}

impl<T: Real, const W: usize> Default for End<T, W> {
    fn default() -> Self {
        End { explicit: [T::default(); W], conductance: [T::default(); W] }
    }
}

impl<T: Real> Rim<'_, T> {
    /// What happens at the end of the lines from `first` on, whose samples at the side have these depths.
    pub fn meet<const W: usize>(
        &self,
        law: &Law<T>,
        depths: &[T; W],
        first: usize,
        count: usize,
    ) -> End<T, W> {
        let mut end = End::default();
        for lane in 0..count {
            let depth = depths[lane];
            // The Courant number c Δt/Δx of the side.
            let courant = law.root_gain * depth.sqrt();
            let above_rest = depth - self.rest[first + lane];
            if depth > law.film {
                end.explicit[lane] = courant * (above_rest - self.incoming[first + lane]);
                end.conductance[lane] = law.implicit * courant;
            }
        }
        end
    }
}
