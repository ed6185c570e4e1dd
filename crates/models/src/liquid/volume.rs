//! Volume control: what the surface encloses is led back to what the ledger says.
//!
//! Particles are never lost, but the surface drawn around them may enclose more or less than they stand for, as they
//! crowd or spread. A controller with a proportional and an integral part asks the pressure for a small divergence
//! everywhere in the liquid, ∇·u = (e + ∫ e dt/T)/T with the relative error e, until the two agree [kim2007].

use std::io;

use undine_sim::{Reader, Writer};

/// The time T in which the error falls, in seconds.
const TIME: f64 = 1.0;
/// The greatest divergence that is asked for, in 1/s: it cannot be seen.
const MOST: f64 = 0.2;

/// A controller of the volume.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Controller {
    is_on: bool,
    integral: f64,
    /// The last error as a share of the volume.
    error: f64,
}

impl Controller {
    /// A controller, or one that only measures.
    pub fn new(is_on: bool) -> Self {
        Controller { is_on, ..Controller::default() }
    }

    /// How much too large what is seen is, as a share of what is held.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The divergence to ask for in the next `dt` seconds, when so much is seen of so much held, in m³.
    pub fn gain(&mut self, seen: f64, held: f64, dt: f64) -> f32 {
        if held <= 0.0 {
            return 0.0;
        }
        self.error = seen / held - 1.0;
        if !self.is_on {
            return 0.0;
        }
        let wanted = -(self.error + self.integral) / TIME;
        // The integral stands still while the answer is cut off
        if wanted.abs() < MOST {
            self.integral += self.error * dt / TIME;
        }
        wanted.clamp(-MOST, MOST) as f32
    }

    /// Writes the state.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("volume_control", &[self.integral, self.error])
    }

    /// Takes the state that was written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        [self.integral, self.error] = from.array("volume_control")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_is_made_good() {
        let (mut control, mut seen, dt) = (Controller::new(true), 1.05, 0.01);
        for _ in 0..2000 {
            let gain = f64::from(control.gain(seen, 1.0, dt));
            assert!(gain.abs() <= MOST + 1e-6);
            // It loses a share of 1e-3 per second by itself
            seen *= 1.0 + dt * (gain - 1e-3);
        }
        assert!((seen - 1.0).abs() < 1e-5, "{seen}");
        let mut watching = Controller::new(false);
        assert_eq!((watching.gain(1.1, 1.0, dt), (watching.error() * 1e6).round()), (0.0, 1e5));
    }
}
