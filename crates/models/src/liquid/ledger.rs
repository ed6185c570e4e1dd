//! The volume ledger of a liquid, in particles: held = initial + inflow − outflow, exactly.
//!
//! A 2-D liquid has a thickness of one metre.

use std::io;

use undine_grid::Side;
use undine_sim::{Reader, Seconds, Volume, Writer};

/// Where liquid comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inlet {
    /// A side of the box.
    Side(Side),
    /// An emitter, by its number.
    Emitter(usize),
    /// A drop, a jet or rain that was added while the simulation runs.
    Disturbance,
}

impl Inlet {
    /// A number to be saved: sides first, then disturbances, then emitters.
    fn code(self) -> f64 {
        match self {
            Inlet::Side(side) => (2 * side.axis() + usize::from(side.is_high())) as f64,
            Inlet::Disturbance => Side::ALL.len() as f64,
            Inlet::Emitter(number) => (Side::ALL.len() + 1 + number) as f64,
        }
    }

    fn from_code(code: f64) -> Inlet {
        match code as usize {
            side if side < Side::ALL.len() => Inlet::Side(Side::ALL[side]),
            other => (other - Side::ALL.len()).checked_sub(1).map_or(Inlet::Disturbance, Inlet::Emitter),
        }
    }
}

/// Counts of particles.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParticleLedger {
    /// Volume of a particle in m³.
    particle_volume: f64,
    initial: u64,
    inflow: u64,
    outflow: u64,
    /// The pool: particles that the liquid holds without storing them, in its interior or spare.
    pooled: i64,
    /// Those of the pool that overfull cells gave, for sparse ones.
    spare: i64,
    /// Inflow in m³ that found no room.
    refused: f64,
    /// When and where inflow was refused first.
    first_refusal: Option<(Seconds, Inlet)>,
}

impl ParticleLedger {
    /// An empty ledger for particles of this volume in m³.
    pub fn new(particle_volume: f64) -> Self {
        ParticleLedger {
            particle_volume,
            initial: 0,
            inflow: 0,
            outflow: 0,
            pooled: 0,
            spare: 0,
            refused: 0.0,
            first_refusal: None,
        }
    }

    /// Volume of a particle in m³.
    pub fn particle_volume(&self) -> f64 {
        self.particle_volume
    }

    /// Sets the number at the start.
    pub fn set_initial(&mut self, count: usize) {
        self.initial = count as u64;
    }

    /// Adds particles that entered.
    pub fn add_inflow(&mut self, count: usize) {
        self.inflow += count as u64;
    }

    /// Adds particles that left.
    pub fn add_outflow(&mut self, count: usize) {
        self.outflow += count as u64;
    }

    /// Adds inflow in m³ that found no room at a time.
    pub fn refuse(&mut self, volume: f64, time: Seconds, inlet: Inlet) {
        // Less than a part of a particle is rounding
        if volume > 1e-6 * self.particle_volume {
            self.refused += volume;
            self.first_refusal.get_or_insert((time, inlet));
        }
    }

    /// Inflow in m³ that found no room.
    pub fn refused(&self) -> f64 {
        self.refused
    }

    /// When and where inflow was refused first.
    pub fn first_refusal(&self) -> Option<(Seconds, Inlet)> {
        self.first_refusal
    }

    /// initial + inflow − outflow in m³, also while some particles are marked as removed.
    pub fn expected_volume(&self) -> f64 {
        self.volume(0).expected()
    }

    /// Volume of the pool in m³.
    pub fn pooled_volume(&self) -> f64 {
        self.pooled as f64 * self.particle_volume
    }

    /// Particles of the pool for sparse cells.
    pub fn spare(&self) -> i64 {
        self.spare
    }

    /// Particles of the pool in the interior.
    pub fn in_interior(&self) -> i64 {
        self.pooled - self.spare
    }

    /// Without an interior, all of the pool is for sparse cells.
    pub fn release_interior(&mut self) {
        self.spare = self.pooled;
    }

    /// Adds spare particles to the pool, or takes them where negative.
    pub fn pool_spare(&mut self, count: i64) {
        self.spare += count;
        self.pooled += count;
    }

    /// Adds particles of the interior to the pool, or takes them where negative.
    pub fn pool(&mut self, count: i64) {
        self.pooled += count;
    }

    /// The ledger in m³, with so many particles stored.
    pub fn volume(&self, present: usize) -> Volume {
        let volume = |count: u64| count as f64 * self.particle_volume;
        Volume {
            held: (present as i64 + self.pooled) as f64 * self.particle_volume,
            initial: volume(self.initial),
            inflow: volume(self.inflow),
            outflow: volume(self.outflow),
            prescribed: 0.0,
        }
    }

    /// Writes the counts.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("initial", self.initial)?;
        to.integer("came", self.inflow)?;
        to.integer("went", self.outflow)?;
        to.integer("pooled", self.pooled.cast_unsigned())?;
        to.integer("spare", self.spare.cast_unsigned())?;
        let (time, inlet) = self.first_refusal.map_or((-1.0, -1.0), |(time, inlet)| (time, inlet.code()));
        to.values("refused", &[self.refused, time, inlet])
    }

    /// Reads the counts that were written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.initial = from.integer("initial")?;
        self.inflow = from.integer("came")?;
        self.outflow = from.integer("went")?;
        self.pooled = from.integer("pooled")?.cast_signed();
        self.spare = from.integer("spare")?.cast_signed();
        let [refused, time, inlet] = from.array("refused")?;
        self.refused = refused;
        self.first_refusal = (inlet >= 0.0).then(|| (time, Inlet::from_code(inlet)));
        Ok(())
    }
}
