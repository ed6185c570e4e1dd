//! Viscosity of a liquid with a free surface: ∂u/∂t = ∇·(2ν ε), ε = ½(∇u + ∇uᵀ), implicit [batty2008].
//!
//! A step of dt minimises ½ Σ V |u − u*|² + dt Σ V ν ε:ε over all faces, cells and edges of a staggered grid, where u*
//! is the velocity before and V the liquid fraction of the cube around each. Zero stress at the free surface is the
//! natural boundary condition of this minimum; and since all of ε is in it, rotation is not damped: momentum and
//! angular momentum are conserved to rounding away from walls. Honey can coil and buckle.
//!
//! ε of one axis is at cell centres, ε of two axes at edges (nodes in 2-D):
//!
//! ```text
//!   u + τ(edge below) − τ(edge above) + τ(cell before) − τ(cell behind) = u*,    each τ = dt ν V (differences of u) / Δ²
//! ```
//!
//! No slip at walls and solids. Faces that are wholly closed have the velocity of the solid. At an edge that is partly
//! open the distance between liquid and wall is a fraction of a cell, and the stress is divided by it: exact for walls
//! along the grid, first order for others.
//!
//! The matrix is symmetric positive definite, so that any dt is stable and energy never grows. It is solved for the
//! change of u, by conjugate gradients with Jacobi's preconditioner [hestenes1952], only where there is liquid.
//! Iterations grow with the root of k = ν dt/Δ²: 10 for k = 0.2, 50 for 4, 160 for 40, 400 for 400.
//!
//! Not modelled: non-Newtonian liquids; the viscous normal stress in the pressure at the surface.

mod coefficients;
mod conjugate_gradients;
mod row_span;
mod stencil;
#[cfg(test)]
mod tests;

use undine_grid::{Field, FieldError, Grid, Location, par};

use coefficients::Coefficients;
use conjugate_gradients::ViscousConjugateGradients;

/// The tangential boundary condition of a side of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViscousSide {
    /// A wall at rest with no slip.
    NoSlip,
    /// A wall with free slip.
    Slip,
    /// No wall: no stress.
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

/// The inputs of a step besides the velocity.
#[derive(Debug, Clone, Copy)]
pub struct ViscosityInputs<'a, const D: usize> {
    /// Signed distance from the surface at cell centres in metres, negative in the liquid, extrapolated into solids.
    pub distance: &'a Field<f32, D>,
    /// The open fraction of each face, from 0 (solid) to 1; absent without solids.
    pub open: Option<&'a [Field<f32, D>; D]>,
    /// The velocity of solids at faces; absent where they are at rest.
    pub solid_velocity: Option<&'a [Field<f32, D>; D]>,
    /// ν.
    pub viscosity: KinematicViscosity<'a, D>,
    /// The step in seconds.
    pub dt: f64,
}

/// The stopping criterion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViscousStop {
    /// Residual to reach, relative to the momentum or to the initial residual, whichever is less.
    pub tolerance: f64,
    /// The greatest number of iterations. The result is then used as it is: it is stable too.
    pub max_iterations: usize,
}

impl Default for ViscousStop {
    fn default() -> Self {
        ViscousStop { tolerance: 1e-4, max_iterations: 1000 }
    }
}

/// The outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViscousOutcome {
    /// Iterations taken.
    pub iterations: usize,
    /// The relative residual, as in the tolerance.
    pub residual: f64,
    /// Whether that is within the tolerance.
    pub has_converged: bool,
}

/// Why a solve was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ViscosityError {
    /// Cells that are not cubes.
    #[error("viscosity needs cells of the same length along every axis, not {spacing:?}")]
    NotCubes {
        /// Their lengths.
        spacing: Vec<f64>,
    },
    /// A field of another grid or at another location.
    #[error("the {what} must lie at each {location} of the grid")]
    Misfit {
        /// The field.
        what: &'static str,
        /// The location it must have.
        location: Location,
    },
    /// A viscosity or a step that is negative or not finite.
    #[error("viscosity times the step is {0} m²; it must be finite and not negative")]
    Strength(f64),
    /// Velocities, distances or viscosities that are not finite.
    #[error("the velocity, the distance or the viscosity of the liquid is not finite")]
    NotFinite,
    /// Not enough memory.
    #[error(transparent)]
    Memory(#[from] FieldError),
}

/// The viscosity solver; keeps its memory between steps.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location};
/// use undine_models::liquid::viscosity::{KinematicViscosity, Viscosity, ViscosityInputs, ViscousSide, ViscousStop};
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
/// let syrup = ViscosityInputs {
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
    gradients: ViscousConjugateGradients<D>,
}

impl<const D: usize> Viscosity<D> {
    /// Memory for a grid of cubes between sides.
    pub fn new(grid: Grid<D>, sides: [[ViscousSide; 2]; D]) -> Result<Self, ViscosityError> {
        let spacing = grid.spacing();
        if spacing.iter().any(|length| (length / spacing[0] - 1.0).abs() > 1e-6) {
            return Err(ViscosityError::NotCubes { spacing: spacing.to_vec() });
        }
        let (coefficients, gradients) =
            (Coefficients::new(grid, sides)?, ViscousConjugateGradients::new(grid)?);
        Ok(Viscosity { grid, coefficients, gradients })
    }

    /// Advances the velocity by a viscous step. Faces in air and in solids are unchanged.
    pub fn solve(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        inputs: &ViscosityInputs<'_, D>,
        stop: ViscousStop,
    ) -> Result<ViscousOutcome, ViscosityError> {
        self.check(velocity, inputs)?;
        self.coefficients.set(inputs);
        self.gradients.load(&self.coefficients, velocity, inputs);
        let outcome = self.gradients.solve(&self.coefficients, stop)?;
        self.gradients.add_change(&self.coefficients, velocity);
        Ok(outcome)
    }

    fn check(
        &self,
        velocity: &[Field<f32, D>; D],
        inputs: &ViscosityInputs<'_, D>,
    ) -> Result<(), ViscosityError> {
        // Every field on its location of this grid
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
        // Finite and not negative
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
        let is_valid = |number: f64| number >= 0.0 && number.is_finite();
        let strengths = [least * inputs.dt, greatest * inputs.dt];
        match strengths.into_iter().chain([inputs.dt]).find(|&strength| !is_valid(strength)) {
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
