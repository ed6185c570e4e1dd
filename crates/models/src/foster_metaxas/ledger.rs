//! The volume ledger: held = initial + flux in − flux out, through the faces of ports.
//!
//! Markers and chains have no mass (p. 9 of [foster1996]), so the ledger is that of the velocity; what the surface encloses is
//! compared with it as drift. A 2-D water has a thickness of one metre.

use std::io;

use undine_sim::{Reader, Volume, Writer};

/// Volumes in m³.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct FluxTotals {
    pub initial: f64,
    pub inflow: f64,
    pub outflow: f64,
    /// Inflow that found no room.
    pub refused: f64,
    /// Inside the tracked surface, now.
    pub seen: f64,
    /// When inflow was refused first.
    pub first_refusal: Option<f64>,
}

impl FluxTotals {
    /// Current volume by the fluxes.
    pub fn held(&self) -> f64 {
        self.initial + self.inflow - self.outflow
    }

    /// The ledger.
    pub fn volume(&self) -> Volume {
        Volume {
            held: self.held(),
            initial: self.initial,
            inflow: self.inflow,
            outflow: self.outflow,
            prescribed: 0.0,
        }
    }

    /// How much more the surface encloses than is held, as a share of it.
    pub fn drift(&self) -> f64 {
        let held = self.held();
        if held.abs() > 0.0 { (self.seen - held) / held } else { 0.0 }
    }

    /// Adds inflow that found no room at a time.
    pub fn refuse(&mut self, volume: f64, time: f64) {
        if volume > 0.0 {
            self.refused += volume;
            self.first_refusal.get_or_insert(time);
        }
    }

    /// Writes the volumes.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let first_refusal = self.first_refusal.unwrap_or(-1.0);
        to.values(
            "volumes",
            &[self.initial, self.inflow, self.outflow, self.refused, self.seen, first_refusal],
        )
    }

    /// Reads the volumes that were written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let [initial, inflow, outflow, refused, seen, first] = from.array("volumes")?;
        let first_refusal = (first >= 0.0).then_some(first);
        *self = FluxTotals { initial, inflow, outflow, refused, seen, first_refusal };
        Ok(())
    }
}
