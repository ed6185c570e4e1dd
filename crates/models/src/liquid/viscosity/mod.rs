//! Viscosity of a liquid with a free surface: ∂u/∂t = ∇·(2ν ε), ε = ½(∇u + ∇uᵀ), implicit [batty2008].
//!
//! A step of dt leads to the velocity that minimises ½ Σ V |u − u*|² + dt Σ V ν ε:ε over all faces, cells and edges of a
//! staggered grid. u* is the velocity before and V is the share of each small cube that is liquid. The stress at the
//! free surface then vanishes by itself, and since the whole of ε is in it, turning liquid is not slowed: momentum and
//! angular momentum are kept to rounding wherever no wall is near. Honey can coil and buckle.
//!
//! ε of one axis lives at cell centres, ε of two axes at edges (nodes in the plane):
//!
//! ```text
//!   u + τ(edge below) − τ(edge above) + τ(cell before) − τ(cell behind) = u*,    each τ = dt ν V (differences of u) / Δ²
//! ```
//!
//! At walls and solids the liquid sticks. Faces that are wholly closed move as the solid does. An edge that is only
//! partly open has the liquid nearer to the wall than a cell: its stress is as many times greater. Across an aligned wall
//! that is exact; across a slanted one it is of first order.
//!
//! The matrix is symmetric and positive, so any dt is stable and energy never grows. It is solved for the change of u, by
//! conjugate gradients with Jacobi's preconditioner, only where there is liquid. Iterations grow with the root of
//! k = ν dt/Δ²: 10 for k = 0.2, 50 for 4, 160 for 40, 400 for 400.
//!
//! Not modelled: liquids whose viscosity depends on how fast they are sheared; the pull of viscosity on the pressure at
//! the surface.

mod coefficients;
mod conjugate_gradients;
mod row_span;
mod stencil;
#[cfg(test)]
mod tests;

use undine_grid::{Field, FieldError, Grid, Location, par};

use coefficients::Coefficients;
use conjugate_gradients::ConjugateGradients;

/// What a side of the box does to a liquid that flows along it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViscousSide {
    /// A wall at rest that the liquid sticks to.
    NoSlip,
    /// A wall that the liquid slides along.
    Slip,
    /// No wall: the liquid leaves without stress.
    Open,
}

/// The kinematic viscosity ν in m²/s.
#[derive(Debug, Clone, Copy)]
pub enum KinematicViscosity<'a, const D: usize> {
    /// The same everywhere: 1e-6 for water, 1e-3 for glycerine, 7e-3 for honey.
    Uniform(f64),
    /// At cell centres.
    Varying(&'a Field<f32, D>),
}

/// What a step depends on besides the velocity.
#[derive(Debug, Clone, Copy)]
pub struct ViscosityInputs<'a, const D: usize> {
    /// Signed distance from the surface at cell centres in metres, negative in the liquid, extended into solids.
    pub distance: &'a Field<f32, D>,
    /// How far each face is open, from 0 (solid) to 1; absent where there are no solids.
    pub open: Option<&'a [Field<f32, D>; D]>,
    /// The velocity of solids at faces; absent where they are at rest.
    pub solid_velocity: Option<&'a [Field<f32, D>; D]>,
    /// ν.
    pub viscosity: KinematicViscosity<'a, D>,
    /// The step in seconds.
    pub dt: f64,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViscousStop {
    /// Residual to reach, as a share of the momentum and of the residual at the start, whichever is less.
    pub tolerance: f64,
    /// Iterations after which to give up. What has been reached is then kept: it is stable too.
    pub max_iterations: usize,
}

impl Default for ViscousStop {
    fn default() -> Self {
        ViscousStop { tolerance: 1e-4, max_iterations: 1000 }
    }
}

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViscousOutcome {
    /// Iterations taken.
    pub iterations: usize,
    /// The residual left, as a share of what the tolerance is a share of.
    pub residual: f64,
    /// Whether that is within the tolerance.
    pub has_converged: bool,
}

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ViscosityError {
    /// Cells that are no cubes.
    #[error("viscosity needs cells of the same length along every axis, not {spacing:?}")]
    NotCubes {
        /// Their lengths.
        spacing: Vec<f64>,
    },
    /// A field of another grid or at another place.
    #[error("the {what} must lie at each {location} of the grid")]
    Misfit {
        /// The field.
        what: &'static str,
        /// Where it must lie.
        location: Location,
    },
    /// A viscosity or a step that is negative or no number.
    #[error("viscosity times the step is {0} m²; it must be a finite number from zero upwards")]
    Strength(f64),
    /// Velocities, distances or viscosities that are infinite or no numbers.
    #[error("the velocity, the distance or the viscosity of the liquid is not finite")]
    NotFinite,
    /// Not enough memory.
    #[error(transparent)]
    Memory(#[from] FieldError),
}

/// Slows liquids down by their viscosity. Keeps its memory between steps.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location};
/// use undine_models::liquid::viscosity::{KinematicViscosity, Surroundings, Viscosity, ViscousSide, ViscousStop};
///
/// // A tank full of syrup, stirred at one face
/// let grid = Grid::new([16, 16], [0.01; 2], [0.0; 2])?;
/// let mut distance = Field::new(grid, Location::Center, Condition::Open, 1)?;
/// distance.fill(-1.0_f32);
/// let component = |axis| Field::<f32, 2>::new(grid, Location::Face(axis), Condition::Open, 1);
/// let mut velocity = [component(0)?, component(1)?];
/// velocity[0][[8, 8]] = 1.0;
///
/// let mut viscosity = Viscosity::new(grid, [[ViscousSide::NoSlip; 2]; 2])?;
/// let syrup = Surroundings {
///     distance: &distance,
///     open: None,
///     solid_velocity: None,
///     viscosity: KinematicViscosity::Uniform(1e-2),
///     dt: 0.01,
/// };
/// let outcome = viscosity.solve(&mut velocity, &syrup, ViscousStop::default())?;
/// assert!(outcome.has_converged && velocity[0][[8, 8]] < 0.5 && velocity[0][[8, 9]] > 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Viscosity<const D: usize> {
    grid: Grid<D>,
    coefficients: Coefficients<D>,
    gradients: ConjugateGradients<D>,
}

impl<const D: usize> Viscosity<D> {
    /// Memory for a grid of cubes between sides.
    pub fn new(grid: Grid<D>, sides: [[ViscousSide; 2]; D]) -> Result<Self, ViscosityError> {
        let spacing = grid.spacing();
        if spacing.iter().any(|along| (along / spacing[0] - 1.0).abs() > 1e-6) {
            return Err(ViscosityError::NotCubes { spacing: spacing.to_vec() });
        }
        let (coefficients, gradients) = (Coefficients::new(grid, sides)?, ConjugateGradients::new(grid)?);
        Ok(Viscosity { grid, coefficients, gradients })
    }

    /// Advances the velocity by a step of viscosity. Faces in air and in solids are left as they are.
    pub fn solve(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        inputs: &ViscosityInputs<'_, D>,
        stop: ViscousStop,
    ) -> Result<ViscousOutcome, ViscosityError> {
        self.check(velocity, inputs)?;
        self.coefficients.set(inputs);
        self.gradients.take(&self.coefficients, velocity, inputs);
        let outcome = self.gradients.solve(&self.coefficients, stop)?;
        self.gradients.give(&self.coefficients, velocity);
        Ok(outcome)
    }

    fn check(
        &self,
        velocity: &[Field<f32, D>; D],
        inputs: &ViscosityInputs<'_, D>,
    ) -> Result<(), ViscosityError> {
        self.check_field("distance", inputs.distance, Location::Center)?;
        let on_faces = [
            ("velocity", Some(velocity)),
            ("open faces", inputs.open),
            ("solid velocity", inputs.solid_velocity),
        ];
        for (what, components) in on_faces {
            for (axis, component) in components.into_iter().flatten().enumerate() {
                self.check_field(what, component, Location::Face(axis))?;
            }
        }
        if par::max(inputs.distance, f64::from).is_nan() {
            return Err(ViscosityError::NotFinite);
        }
        let [least, greatest] = match inputs.viscosity {
            KinematicViscosity::Uniform(nu) => [nu; 2],
            KinematicViscosity::Varying(nu) => {
                self.check_field("viscosity", nu, Location::Center)?;
                [par::min(nu, f64::from), par::max(nu, f64::from)]
            }
        };
        let is_sound = |number: f64| number >= 0.0 && number.is_finite();
        let strengths = [least * inputs.dt, greatest * inputs.dt];
        match strengths.into_iter().chain([inputs.dt]).find(|&strength| !is_sound(strength)) {
            Some(strength) => Err(ViscosityError::Strength(strength)),
            None => Ok(()),
        }
    }

    fn check_field(
        &self,
        what: &'static str,
        field: &Field<f32, D>,
        location: Location,
    ) -> Result<(), ViscosityError> {
        match *field.grid() == self.grid && field.location() == location {
            true => Ok(()),
            false => Err(ViscosityError::Misfit { what, location }),
        }
    }
}
