//! Volume control: what the surface encloses is led back to what the ledger says.
//!
//! Particles are never lost, but the surface drawn around them may enclose more or less than they stand for, as they
//! crowd or spread. A controller with a proportional and an integral part asks the pressure for a small divergence
//! everywhere in the liquid, ∇·u = (e + ∫ e dt/T)/T with the relative error e, until the two agree [kim2007].

use std::io;

use undine_sim::{Reader, Writer};

/// The time T in which the error falls, in seconds.
const TIME_CONSTANT: f64 = 1.0;
/// The greatest divergence that is asked for, in 1/s: it cannot be seen.
const MAX_DIVERGENCE: f64 = 0.2;

/// A controller of the volume.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VolumeController {
    is_active: bool,
    integral: f64,
    /// The last error as a share of the volume.
    error: f64,
}

impl VolumeController {
    /// A controller, or one that only measures.
    pub fn new(is_active: bool) -> Self {
        VolumeController { is_active, ..VolumeController::default() }
    }

    /// How much too large what is seen is, as a share of what is held.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The divergence to ask for in the next `dt` seconds, when so much is seen of so much held, in m³.
    pub fn divergence(&mut self, enclosed: f64, held: f64, dt: f64) -> f32 {
        if held <= 0.0 {
            return 0.0;
        }
        self.error = enclosed / held - 1.0;
        if !self.is_active {
            return 0.0;
        }
        let wanted = -(self.error + self.integral) / TIME_CONSTANT;
        // The integral stands still while the answer is cut off
        if wanted.abs() < MAX_DIVERGENCE {
            self.integral += self.error * dt / TIME_CONSTANT;
        }
        wanted.clamp(-MAX_DIVERGENCE, MAX_DIVERGENCE) as f32
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
        let (mut control, mut enclosed, dt) = (VolumeController::new(true), 1.05, 0.01);
        for _ in 0..2000 {
            let divergence = f64::from(control.divergence(enclosed, 1.0, dt));
            assert!(divergence.abs() <= MAX_DIVERGENCE + 1e-6);
            // It loses a share of 1e-3 per second by itself
            enclosed *= 1.0 + dt * (divergence - 1e-3);
        }
        assert!((enclosed - 1.0).abs() < 1e-5, "{enclosed}");
        let mut watching = VolumeController::new(false);
        assert_eq!((watching.divergence(1.1, 1.0, dt), (watching.error() * 1e6).round()), (0.0, 1e5));
    }
}
