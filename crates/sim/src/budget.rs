//! The budget of a water: volume ledger, momentum and energy.

/// Volume as a ledger, in m³: held = initial + inflow − outflow + prescribed.
///
/// A model that evolves a state keeps `prescribed` at zero, and the ledger closes to rounding. A closed form is not a
/// flow: what its formula adds or takes away without a way in or out is entered as prescribed, not hidden.
///
/// ```
/// use undine_sim::Volume;
/// let tub = Volume { held: 0.11, initial: 0.1, inflow: 0.03, outflow: 0.02, prescribed: 0.0 };
/// assert!(tub.error().abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Volume {
    /// Current volume, measured from the state.
    pub held: f64,
    /// Volume at the start.
    pub initial: f64,
    /// Inflow through sides and sources since then.
    pub inflow: f64,
    /// Outflow through sides and drains since then.
    pub outflow: f64,
    /// Volume added by a closed form itself.
    pub prescribed: f64,
}

impl Volume {
    /// Expected volume: initial + inflow − outflow + prescribed.
    pub fn expected(&self) -> f64 {
        self.initial + self.inflow - self.outflow + self.prescribed
    }

    /// Error of the ledger: held − expected.
    pub fn error(&self) -> f64 {
        self.held - self.expected()
    }

    /// The error as a share of all water that has been in the ledger.
    pub fn relative_error(&self) -> f64 {
        let turnover = self.initial.abs() + self.inflow.abs();
        if turnover > 0.0 { self.error() / turnover } else { self.error() }
    }
}

/// Volume, momentum and energy of a water.
///
/// ```
/// use undine_sim::Budget;
/// let still = Budget::default();
/// assert!(still.is_finite() && still.values().len() == Budget::NAMES.len());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// The volume ledger.
    pub volume: Volume,
    /// Momentum in kg·m/s.
    pub momentum: [f64; 3],
    /// Kinetic energy in joules.
    pub kinetic_energy: f64,
    /// Potential energy in joules, above the water at rest.
    pub potential_energy: f64,
    /// How much more water is seen inside the surface than is held, as a share; for waters whose surface is drawn around
    /// what they hold, and zero for all others.
    pub volume_drift: f64,
}

impl Budget {
    /// The names of [`values`](Budget::values), in order: the columns of `metrics.csv`.
    pub const NAMES: [&'static str; 12] = [
        "volume_m3",
        "inflow_m3",
        "outflow_m3",
        "prescribed_m3",
        "volume_error_m3",
        "volume_error_relative",
        "momentum_x",
        "momentum_y",
        "momentum_z",
        "kinetic_energy_J",
        "potential_energy_J",
        "volume_drift",
    ];

    /// All entries as numbers.
    pub fn values(&self) -> [f64; 12] {
        let Budget { volume, momentum, kinetic_energy, potential_energy, volume_drift } = *self;
        [
            volume.held,
            volume.inflow,
            volume.outflow,
            volume.prescribed,
            volume.error(),
            volume.relative_error(),
            momentum[0],
            momentum[1],
            momentum[2],
            kinetic_energy,
            potential_energy,
            volume_drift,
        ]
    }

    /// Whether every entry is a finite number. The last guard against a NaN that a step let through.
    pub fn is_finite(&self) -> bool {
        self.values().iter().all(|value| value.is_finite())
    }
}
