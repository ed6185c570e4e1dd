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
    /// How much more water the solver's own surface encloses than is held, as a share; `None` for waters whose surface
    /// is not reconstructed around what they hold.
    pub volume_drift: Option<f64>,
    /// Prescribed inflow in m³ that was refused because there was no room; `None` for waters that cannot be full.
    pub refused: Option<f64>,
}

impl Budget {
    /// The names of [`values`](Budget::values), in order: the columns of `metrics.csv`.
    pub const NAMES: [&'static str; 13] = [
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
        "refused_m3",
    ];

    /// All entries as numbers; `None` for what a water does not have.
    pub fn values(&self) -> [Option<f64>; 13] {
        let Budget { volume, momentum, kinetic_energy, potential_energy, volume_drift, refused } = *self;
        [
            Some(volume.held),
            Some(volume.inflow),
            Some(volume.outflow),
            Some(volume.prescribed),
            Some(volume.error()),
            Some(volume.relative_error()),
            Some(momentum[0]),
            Some(momentum[1]),
            Some(momentum[2]),
            Some(kinetic_energy),
            Some(potential_energy),
            volume_drift,
            refused,
        ]
    }

    /// The sum of budgets. Drift is that of the waters that have one, weighted by the volume that they hold.
    ///
    /// ```
    /// use undine_sim::{Budget, Volume};
    /// let water = |held, volume_drift| {
    ///     let volume = Volume { held, initial: held, ..Volume::default() };
    ///     Budget { volume, volume_drift, ..Budget::default() }
    /// };
    /// let sum = Budget::total([water(1.0, Some(0.1)), water(3.0, Some(0.02)), water(9.0, None)]);
    /// assert_eq!(sum.volume.held, 13.0);
    /// assert!((sum.volume_drift.unwrap() - 0.04).abs() < 1e-15);
    /// assert_eq!(Budget::total([water(9.0, None)]).volume_drift, None);
    /// ```
    pub fn total(budgets: impl IntoIterator<Item = Budget>) -> Budget {
        let (mut sum, mut drifting) = (Budget::default(), 0.0);
        for one in budgets {
            sum.volume.held += one.volume.held;
            sum.volume.initial += one.volume.initial;
            sum.volume.inflow += one.volume.inflow;
            sum.volume.outflow += one.volume.outflow;
            sum.volume.prescribed += one.volume.prescribed;
            (0..3).for_each(|axis| sum.momentum[axis] += one.momentum[axis]);
            sum.kinetic_energy += one.kinetic_energy;
            sum.potential_energy += one.potential_energy;
            if let Some(drift) = one.volume_drift {
                // A sum of volumes until the end
                sum.volume_drift = Some(sum.volume_drift.unwrap_or(0.0) + drift * one.volume.held);
                drifting += one.volume.held;
            }
            if let Some(refused) = one.refused {
                sum.refused = Some(sum.refused.unwrap_or(0.0) + refused);
            }
        }
        sum.volume_drift =
            sum.volume_drift.map(|volume| if drifting > 0.0 { volume / drifting } else { 0.0 });
        sum
    }

    /// Whether every entry is a finite number. The last guard against a NaN that a step let through.
    pub fn is_finite(&self) -> bool {
        self.values().iter().flatten().all(|value| value.is_finite())
    }
}
