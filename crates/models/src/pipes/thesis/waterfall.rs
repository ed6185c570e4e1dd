//! Where a waterfall lands: the traced drops of Algorithm 6 of [thompson2009].
//!
//! Two drops leave the lip of a waterfall's column with the velocities of eqs. (4.17) and (4.18), the furthest and the
//! least far that are expected:
//!
//! ```text
//!     v = i (1 ± C_xsply) u + j dh/dt        u = Q/(depth d)
//! ```
//!
//! with the flow Q over the lip; as printed the flow stands where the velocity should. They fall by gravity and drag,
//! F = m (g − f_drag v), until they touch ground or water, eq. (4.11); the columns between the two landings, in
//! ascending order, take what the waterfall carries. A drop that would leave the domain lands in its last column.

/// The part of a cell's width that a traced drop moves in a step, at most.
const TRACE_STEP: f64 = 0.125;

/// Steps that a drop is traced for.
const MAX_TRACE_STEPS: usize = 200_000;

/// A drop at the lip of a waterfall.
#[derive(Debug, Clone, Copy)]
pub struct TracedDrop {
    /// Its speed away from the lip in m/s, not negative.
    pub speed: f64,
    /// Its upward speed in m/s.
    pub rise: f64,
    /// Its height in metres.
    pub height: f64,
}

/// The air and the columns that it falls through.
#[derive(Debug, Clone, Copy)]
pub struct FallPhysics {
    /// Gravity in m/s².
    pub gravity: f64,
    /// f_drag in 1/s.
    pub drag: f64,
    /// Distance of two columns in metres.
    pub spacing: f64,
}

/// The end of a drop's flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touchdown {
    /// How many columns beyond the waterfall's own.
    pub column: usize,
    /// Time of flight in seconds.
    pub seconds: f64,
    /// Downward speed in m/s.
    pub speed: f64,
    /// Whether the drop has left the domain, after the column.
    pub is_outside: bool,
}

impl TracedDrop {
    /// How many columns beyond the waterfall's own the drop touches the surface; `surface` is the level of the ground or
    /// water that many columns away, `None` outside the domain.
    pub fn landing(self, physics: FallPhysics, surface: impl Fn(usize) -> Option<f64>) -> usize {
        self.touchdown(physics, surface).column
    }

    /// Where and when the drop touches the surface.
    pub fn touchdown(self, physics: FallPhysics, surface: impl Fn(usize) -> Option<f64>) -> Touchdown {
        let FallPhysics { gravity, drag, spacing } = physics;
        let TracedDrop { mut speed, mut rise, mut height } = self;
        let (mut distance, mut seconds, mut column) = (0.0_f64, 0.0, 1);
        for _ in 0..MAX_TRACE_STEPS {
            let Some(level) = surface(column) else {
                let column = (column - 1).max(1);
                return Touchdown { column, seconds, speed: -rise, is_outside: true };
            };
            if height <= level {
                break;
            }
            // Velocity first, then position with the new velocity
            let dt = TRACE_STEP * spacing / (speed + rise.abs() + (gravity * spacing).sqrt());
            speed /= 1.0 + dt * drag;
            rise = (rise - dt * gravity) / (1.0 + dt * drag);
            distance += dt * speed;
            height += dt * rise;
            seconds += dt;
            column = 1 + (distance / spacing) as usize;
        }
        Touchdown { column, seconds, speed: -rise, is_outside: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AIR: FallPhysics = FallPhysics { gravity: 9.81, drag: 0.0, spacing: 0.01 };

    #[test]
    fn without_drag_a_drop_follows_the_parabola() {
        for (speed, rise, height) in [(1.0, 0.0, 2.0), (3.0, 0.0, 0.5), (0.5, 1.5, 1.0)] {
            let column = TracedDrop { speed, rise, height }.landing(AIR, |_| Some(0.0));
            let g = AIR.gravity;
            let exact: f64 = speed * (rise + (rise * rise + 2.0 * g * height).sqrt()) / g;
            assert!((column as f64 - 0.5 - exact / AIR.spacing).abs() < 2.0, "{column} {exact}");
            let touchdown = TracedDrop { speed, rise, height }.touchdown(AIR, |_| Some(0.0));
            assert!((touchdown.seconds * speed / exact - 1.0).abs() < 0.01, "{touchdown:?}");
            assert!((touchdown.speed.powi(2) / (rise * rise + 2.0 * g * height) - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn drag_and_water_in_the_way_shorten_the_flight() {
        let drop = TracedDrop { speed: 2.0, rise: 0.0, height: 2.0 };
        let free = drop.landing(AIR, |_| Some(0.0));
        assert!(drop.landing(FallPhysics { drag: 1.0, ..AIR }, |_| Some(0.0)) < free);
        assert!(drop.landing(AIR, |_| Some(1.0)) < free);
        // A cliff right behind the lip's foot stops it
        assert_eq!(drop.landing(AIR, |column| Some(if column > 5 { 9.0 } else { 0.0 })), 6);
    }

    #[test]
    fn a_drop_stays_in_the_domain_and_lands_also_without_speed() {
        let drop = TracedDrop { speed: 50.0, rise: 0.0, height: 10.0 };
        assert_eq!(drop.landing(AIR, |column| (column < 4).then_some(0.0)), 3);
        assert_eq!(TracedDrop { speed: 0.0, ..drop }.landing(AIR, |_| Some(0.0)), 1);
        let level = TracedDrop { height: -1.0, ..drop };
        assert_eq!(level.landing(AIR, |_| Some(0.0)), 1);
    }
}
