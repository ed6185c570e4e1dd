//! Volume control: a PI controller that keeps the volume enclosed by the surface equal to the volume in the ledger
//! [kim2007].
//!
//! Particles are never lost, but the surface around them may enclose more or less than their volume as they accumulate
//! or spread. With the relative error e of the enclosed volume, the divergence ∇·u = −(e + ∫ e dt/T)/T is prescribed
//! everywhere in the liquid.

use std::io;

use undine_sim::{Reader, Writer};

/// The time constant T in seconds.
const TIME_CONSTANT: f64 = 1.0;
/// The greatest divergence, in 1/s: too small to be seen.
const MAX_DIVERGENCE: f64 = 0.2;

/// The controller.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VolumeController {
    is_active: bool,
    integral: f64,
    /// The last e.
    error: f64,
}

impl VolumeController {
    /// A controller; inactive it only measures.
    pub fn new(is_active: bool) -> Self {
        VolumeController { is_active, ..VolumeController::default() }
    }

    /// e, the relative error of the enclosed volume.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The divergence for the next `dt` seconds, given the enclosed volume and that in the ledger, in m³.
    pub fn divergence(&mut self, enclosed: f64, held: f64, dt: f64) -> f32 {
        if held <= 0.0 {
            return 0.0;
        }
        self.error = enclosed / held - 1.0;
        if !self.is_active {
            return 0.0;
        }
        let divergence = -(self.error + self.integral) / TIME_CONSTANT;
        // Anti-windup: the integral rests while the output is limited
        if divergence.abs() < MAX_DIVERGENCE {
            self.integral += self.error * dt / TIME_CONSTANT;
        }
        divergence.clamp(-MAX_DIVERGENCE, MAX_DIVERGENCE) as f32
    }

    /// Writes the state.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("volume_control", &[self.integral, self.error])
    }

    /// Reads the state that was written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        [self.integral, self.error] = from.array("volume_control")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_is_compensated() {
        let (mut control, mut enclosed, dt) = (VolumeController::new(true), 1.05, 0.01);
        for _ in 0..2000 {
            let divergence = f64::from(control.divergence(enclosed, 1.0, dt));
            assert!(divergence.abs() <= MAX_DIVERGENCE + 1e-6);
            // A relative loss of 1e-3 per second
            enclosed *= 1.0 + dt * (divergence - 1e-3);
        }
        assert!((enclosed - 1.0).abs() < 1e-5, "{enclosed}");
        let mut watching = VolumeController::new(false);
        assert_eq!((watching.divergence(1.1, 1.0, dt), (watching.error() * 1e6).round()), (0.0, 1e5));
    }
}
