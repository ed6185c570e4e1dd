//! The collocated layout of the theses [li2007 §3.6.4, demeulenaere2008 §3.5].
//!
//! All components lie at cell centres, with a border of one cell. A step is viscosity, advection, projection:
//!
//! - viscosity: x ← (Σ neighbours + α x₀)/(2D + α), α = Δ²/(ν Δt), a fixed number of Gauss–Seidel sweeps;
//! - advection: semi-Lagrangian with one Euler backtrace, clamped to the box, multilinear interpolation;
//! - projection: β = Δ ∇·u by central differences over two cells, φ ← (Σ neighbours − β)/(2D) by as many sweeps from
//!   zero, u −= ∇φ over two cells.
//!
//! After each sweep the border is set: the normal component is negated, all others are copied, and a corner is the mean
//! of its neighbours. Cells inside obstacles have the velocity of the obstacle; solid cells beside the fluid have
//! free slip: the velocity of the adjacent fluid cell without its normal component.
//!
//! Stable for any step. Neither converged nor divergence-free: the sweeps are too few, and central differences over two
//! cells do not see the chequerboard mode. Use the staggered layout for accuracy, this one to reproduce the theses. The
//! Gauss–Seidel sweeps are in lexicographic order, so they run on one thread per component.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, Side, neighbour, par};

use super::sides::{BoundaryType, Sides};
use crate::solids::{SOLID, Solids};

/// The arrays of the collocated layout.
pub struct Collocated<const D: usize> {
    velocity: [Field<f64, D>; D],
    previous: [Field<f64, D>; D],
    phi: Field<f64, D>,
    beta: Field<f64, D>,
    sweeps: usize,
    wall_cells: Vec<WallCell<D>>,
    /// 1 in cells inside obstacles.
    is_solid: Field<u8, D>,
}

/// A solid cell beside the fluid.
struct WallCell<const D: usize> {
    cell: [usize; D],
    /// The adjacent fluid cell that is nearest to the direction of the normal.
    nearest: [usize; D],
    normal: [f64; D],
}

/// Value of a border cell from the cell inside it: `factor · inside + offset`.
#[derive(Clone, Copy)]
struct GhostRule {
    factor: f64,
    offset: f64,
}

type GhostRules<const D: usize> = [[GhostRule; 2]; D];

impl<const D: usize> Collocated<D> {
    /// Fluid at rest on a grid extended by a border.
    pub fn new(grid: Grid<D>, sweeps: usize, solids: Option<&Solids<D>>) -> Result<Self, FieldError> {
        let (cells, spacing, origin) = (grid.cells(), grid.spacing(), grid.origin());
        let bordered = Grid::new(
            cells.map(|n| n + 2),
            spacing,
            std::array::from_fn(|axis| origin[axis] - spacing[axis]),
        )
        .map_err(|_| FieldError::Memory { size: cells.to_vec() })?;
        let field = || Field::new(bordered, Location::Center, Condition::Open, 1);
        let fields = || -> Result<[Field<f64, D>; D], FieldError> {
            let first = field()?;
            Ok(std::array::from_fn(|_| first.clone()))
        };
        let mut layout = Collocated {
            velocity: fields()?,
            previous: fields()?,
            phi: field()?,
            beta: field()?,
            sweeps,
            wall_cells: Vec::new(),
            is_solid: Field::new(bordered, Location::Center, Condition::Open, 1)?,
        };
        if let Some(solids) = solids {
            layout.refresh(solids);
            layout.wall_cells.reserve(4 * layout.wall_cells.len() + 64);
        }
        Ok(layout)
    }

    /// The components, border included.
    pub fn velocity(&self) -> &[Field<f64, D>; D] {
        &self.velocity
    }

    /// Like [`Collocated::velocity`], to write to.
    pub fn velocity_mut(&mut self) -> &mut [Field<f64, D>; D] {
        &mut self.velocity
    }

    /// Pressure in a cell for a density of one after a step of `dt`.
    pub fn pressure(&self, cell: [isize; D], dt: f64) -> f64 {
        if dt > 0.0 { self.phi.at(cell.map(|x| x + 1)) / dt } else { 0.0 }
    }

    /// φ, border included.
    pub fn phi(&self) -> &Field<f64, D> {
        &self.phi
    }

    /// Like [`Collocated::phi`], to write to.
    pub fn phi_mut(&mut self) -> &mut Field<f64, D> {
        &mut self.phi
    }

    /// Finds the solid cells, and those beside the fluid, after obstacles have moved.
    pub fn refresh(&mut self, solids: &Solids<D>) {
        let kinds = solids.cell_kinds();
        let size = kinds.size();
        self.wall_cells.clear();
        self.is_solid.fill(0);
        for (cell, kind) in kinds.iter().filter(|(_, kind)| kind & SOLID != 0) {
            debug_assert!(kind != 0);
            self.is_solid[cell.map(|x| x + 1)] = 1;
            let normal = outward_normal(solids.distances(), cell);
            let nearest = (0..2 * D)
                .filter_map(|direction| adjacent_cell(cell, size, direction).map(|to| (direction, to)))
                .filter(|(_, to)| kinds[*to] & SOLID == 0)
                .max_by(|(one, _), (other, _)| {
                    component_towards(normal, *one).total_cmp(&component_towards(normal, *other))
                });
            if let Some((_, nearest)) = nearest {
                let shifted = |cell: [usize; D]| cell.map(|x| x + 1);
                self.wall_cells.push(WallCell { cell: shifted(cell), nearest: shifted(nearest), normal });
            }
        }
    }

    /// Viscosity for `amount` = ν Δt.
    pub fn diffuse(&mut self, amount: f64, sides: &Sides<D>, solids: Option<&Solids<D>>) {
        if amount <= 0.0 {
            return self.set_border(sides, solids);
        }
        let alpha = self.spacing().powi(2) / amount;
        let rate = 1.0 / (2.0 * D as f64 + alpha);
        for (previous, velocity) in self.previous.iter_mut().zip(&self.velocity) {
            previous.storage_mut().copy_from_slice(velocity.storage());
        }
        for _ in 0..self.sweeps {
            let previous = &self.previous;
            for_each_component(&mut self.velocity, |axis, component| {
                gauss_seidel_sweep(component, &previous[axis], alpha, rate);
            });
            self.set_border(sides, solids);
        }
    }

    /// Semi-Lagrangian self-advection.
    pub fn advect(&mut self, dt: f64, sides: &Sides<D>, solids: Option<&Solids<D>>) {
        std::mem::swap(&mut self.velocity, &mut self.previous);
        let previous = &self.previous;
        let scale = dt / self.spacing();
        for axis in 0..D {
            let from = &previous[axis];
            par::rows(&mut self.velocity[axis], |at, row| {
                for (x, value) in row.iter_mut().enumerate() {
                    let cell = neighbour(at, 0, x as isize);
                    let back = |x: usize| cell[x] as f64 - scale * previous[x].at(cell);
                    *value = interpolate(from, std::array::from_fn(back));
                }
            });
        }
        self.set_border(sides, solids);
    }

    /// Projection: subtracts ∇φ, with ∇²φ = ∇·u relaxed by a fixed number of sweeps.
    pub fn project(&mut self, sides: &Sides<D>, solids: Option<&Solids<D>>) {
        let size = self.phi.size();
        let velocity = &self.velocity;
        let spacing = self.spacing();
        // β = Δ ∇·u by central differences
        par::rows(&mut self.beta, |at, row| {
            for x in 1..size[0] - 1 {
                let cell = neighbour(at, 0, x as isize);
                let rise = |axis: usize| {
                    velocity[axis].at(neighbour(cell, axis, 1)) - velocity[axis].at(neighbour(cell, axis, -1))
                };
                row[x] = 0.5 * spacing * (0..D).map(rise).sum::<f64>();
            }
        });
        // Gauss–Seidel on φ from zero; solid cells beside the fluid copy φ, so ∂φ/∂n = 0
        let border = pressure_border(sides);
        fill_border(&mut self.beta, border);
        self.phi.fill(0.0);
        for _ in 0..self.sweeps {
            gauss_seidel_sweep(&mut self.phi, &self.beta, -1.0, 1.0 / (2.0 * D as f64));
            fill_border(&mut self.phi, border);
            for wall_cell in &self.wall_cells {
                self.phi[wall_cell.cell] = self.phi[wall_cell.nearest];
            }
        }
        // u −= ∇φ by central differences
        let phi = &self.phi;
        for (axis, component) in self.velocity.iter_mut().enumerate() {
            par::rows(component, |at, row| {
                for x in 1..size[0] - 1 {
                    let cell = neighbour(at, 0, x as isize);
                    let rise = phi.at(neighbour(cell, axis, 1)) - phi.at(neighbour(cell, axis, -1));
                    row[x] -= 0.5 * rise / spacing;
                }
            });
        }
        self.set_border(sides, solids);
    }

    /// Sets the velocity in the border and inside obstacles.
    pub fn set_border(&mut self, sides: &Sides<D>, solids: Option<&Solids<D>>) {
        for (axis, component) in self.velocity.iter_mut().enumerate() {
            fill_border(component, velocity_border(sides, axis));
        }
        let Some(solids) = solids else { return };
        for (axis, component) in self.velocity.iter_mut().enumerate() {
            let is_solid = &self.is_solid;
            par::rows(component, |at, row| {
                let is_solid = is_solid.row(at);
                for x in (0..row.len()).filter(|&x| is_solid[x] != 0) {
                    let cell = neighbour(at, 0, x as isize);
                    row[x] = solids.velocity(axis, cell.map(|c| c - 1));
                }
            });
        }
        for wall_cell in &self.wall_cells {
            impose_free_slip(&mut self.velocity, wall_cell);
        }
    }

    /// Interpolates the velocity to faces: the mean of the adjacent cells.
    pub fn to_faces(&self, faces: &mut MacVelocity<f64, D>) {
        for (axis, component) in self.velocity.iter().enumerate() {
            par::rows(&mut faces[axis], |at, row| {
                // The border shifts all coordinates by one
                let high = at.map(|x| x + 1);
                let (low, high) =
                    (component.run(neighbour(high, axis, -1), row.len()), component.run(high, row.len()));
                for x in 0..row.len() {
                    row[x] = 0.5 * (low[x] + high[x]);
                }
            });
        }
    }

    /// Interpolates the velocity at centres from faces: the mean of both.
    pub fn set_from_faces(&mut self, faces: &MacVelocity<f64, D>) {
        for (axis, component) in self.velocity.iter_mut().enumerate() {
            let from = &faces[axis];
            let cells = from.grid().cells();
            for (at, _) in
                self.phi.iter().filter(|(at, _)| (0..D).all(|axis| (1..=cells[axis]).contains(&at[axis])))
            {
                let low = at.map(|x| x - 1);
                let mut high = low;
                high[axis] += 1;
                component[at] = 0.5 * (from[low] + from[high]);
            }
        }
    }

    /// The mean spacing, as in [demeulenaere2008].
    fn spacing(&self) -> f64 {
        self.phi.grid().spacing().iter().sum::<f64>() / D as f64
    }
}

/// Processes the components in parallel.
fn for_each_component<const D: usize>(
    components: &mut [Field<f64, D>; D],
    work: impl Fn(usize, &mut Field<f64, D>) + Sync,
) {
    par::for_each_chunk(components, 1, |axis, chunk| {
        chunk.iter_mut().for_each(|component| work(axis, component))
    });
}

/// One Gauss–Seidel sweep of x ← rate (Σ neighbours + alpha x₀) over all cells inside the border.
fn gauss_seidel_sweep<const D: usize>(
    field: &mut Field<f64, D>,
    source: &Field<f64, D>,
    alpha: f64,
    rate: f64,
) {
    let (size, strides) = (field.size(), field.layout().strides());
    let rows: usize = (1..D).map(|axis| size[axis] - 2).product();
    for number in 0..rows {
        let mut at = [1; D];
        let mut rest = number;
        for axis in 1..D {
            at[axis] = (rest % (size[axis] - 2) + 1) as isize;
            rest /= size[axis] - 2;
        }
        let start = field.layout().offset(at);
        let source = source.run(at, size[0] - 2);
        let values = field.storage_mut();
        for (x, source) in source.iter().enumerate() {
            let here = start + x;
            let sum: f64 = strides.iter().map(|stride| values[here - stride] + values[here + stride]).sum();
            values[here] = rate * (sum + alpha * source);
        }
    }
}

/// Multilinear interpolation at a point clamped to the box.
fn interpolate<const D: usize>(field: &Field<f64, D>, point: [f64; D]) -> f64 {
    let size = field.size();
    let mut below = [0; D];
    let mut fraction = [0.0; D];
    for axis in 0..D {
        let kept = point[axis].clamp(0.5, size[axis] as f64 - 1.5);
        below[axis] = kept as isize;
        fraction[axis] = kept - below[axis] as f64;
    }
    let corner = |number: usize| {
        let at = std::array::from_fn(|axis| below[axis] + (number >> axis & 1) as isize);
        let weight =
            |axis: usize| if number >> axis & 1 == 1 { fraction[axis] } else { 1.0 - fraction[axis] };
        field.at(at) * (0..D).map(weight).product::<f64>()
    };
    (0..1 << D).map(corner).sum()
}

/// Border values of a velocity component in the current step.
fn velocity_border<const D: usize>(sides: &Sides<D>, component: usize) -> GhostRules<D> {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let side = Side::ALL[2 * axis + high];
            let about = |value: f64| GhostRule { factor: -1.0, offset: 2.0 * value };
            match sides.kind(side) {
                BoundaryType::Moving | BoundaryType::Inflow => about(sides.velocity(side)[component]),
                BoundaryType::NoSlip => about(0.0),
                BoundaryType::FreeSlip if axis == component => about(0.0),
                _ => GhostRule { factor: 1.0, offset: 0.0 },
            }
        })
    })
}

/// Border values of φ and β: Neumann, and Dirichlet zero at an outflow.
fn pressure_border<const D: usize>(sides: &Sides<D>) -> GhostRules<D> {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let is_out = sides.kind(Side::ALL[2 * axis + high]) == BoundaryType::Outflow;
            GhostRule { factor: if is_out { -1.0 } else { 1.0 }, offset: 0.0 }
        })
    })
}

/// Sets the border cells of an array from the cells inside; means at edges and corners.
fn fill_border<const D: usize>(field: &mut Field<f64, D>, border: GhostRules<D>) {
    let size = field.size();
    let count: usize = size.iter().product();
    // Faces first, then edges, then corners: each reads the ones before
    for sides in 1..=D {
        for axis in 0..D {
            let plane = count / size[axis];
            for number in 0..plane {
                let mut at = [0; D];
                let mut rest = number;
                for other in (0..D).filter(|&other| other != axis) {
                    at[other] = rest % size[other];
                    rest /= size[other];
                }
                for high in 0..2 {
                    at[axis] = high * (size[axis] - 1);
                    fill_border_cell(field, border, at, size, sides);
                }
            }
        }
    }
}

/// Sets one border cell if it lies on exactly `sides` sides.
fn fill_border_cell<const D: usize>(
    field: &mut Field<f64, D>,
    border: GhostRules<D>,
    at: [usize; D],
    size: [usize; D],
    sides: usize,
) {
    let is_on = |axis: usize| at[axis] == 0 || at[axis] + 1 == size[axis];
    if (0..D).filter(|&axis| is_on(axis)).count() != sides {
        return;
    }
    let inwards = |axis: usize| {
        let mut inside = at;
        inside[axis] = if at[axis] == 0 { 1 } else { size[axis] - 2 };
        inside
    };
    let (mut sum, mut last) = (0.0, 0.0);
    for axis in (0..D).filter(|&axis| is_on(axis)) {
        let image = border[axis][usize::from(at[axis] != 0)];
        let inside = field[inwards(axis)];
        sum += inside;
        last = image.factor * inside + image.offset;
    }
    field[at] = if sides == 1 { last } else { sum / sides as f64 };
}

/// Free slip: a solid cell takes the tangential velocity of the adjacent fluid and the normal velocity of the solid.
fn impose_free_slip<const D: usize>(velocity: &mut [Field<f64, D>; D], wall_cell: &WallCell<D>) {
    let fluid: [f64; D] = std::array::from_fn(|axis| velocity[axis][wall_cell.nearest]);
    let own: [f64; D] = std::array::from_fn(|axis| velocity[axis][wall_cell.cell]);
    let across: f64 = (0..D).map(|axis| (own[axis] - fluid[axis]) * wall_cell.normal[axis]).sum();
    for axis in 0..D {
        velocity[axis][wall_cell.cell] = fluid[axis] + across * wall_cell.normal[axis];
    }
}

/// Unit normal of the nearest surface at a cell, pointing out of the solid.
fn outward_normal<const D: usize>(distances: &Field<f64, D>, cell: [usize; D]) -> [f64; D] {
    let mut normal = [0.0; D];
    for (axis, component) in normal.iter_mut().enumerate() {
        for corner in 0..1_usize << D {
            let node = std::array::from_fn(|x| cell[x] + (corner >> x & 1));
            let sign = if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            *component += sign * distances[node];
        }
    }
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { normal.map(|x| x / length) } else { normal }
}

/// The adjacent cell in a direction: 2a is −a, 2a + 1 is +a.
fn adjacent_cell<const D: usize>(cell: [usize; D], size: [usize; D], direction: usize) -> Option<[usize; D]> {
    let mut to = cell;
    let axis = direction / 2;
    to[axis] = if direction % 2 == 1 { to[axis] + 1 } else { to[axis].checked_sub(1)? };
    (to[axis] < size[axis]).then_some(to)
}

fn component_towards<const D: usize>(normal: [f64; D], direction: usize) -> f64 {
    if direction % 2 == 1 { normal[direction / 2] } else { -normal[direction / 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_has_the_signs_and_corners_of_the_thesis() {
        let grid = Grid::new([5, 5], [1.0; 2], [0.0; 2]).unwrap();
        let mut field = Field::<f64, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        field.set_by_position(|[x, y]| 10.0 * x.floor() + y.floor());
        let [across, repeated] = [-1.0, 1.0].map(|factor| GhostRule { factor, offset: 0.0 });
        // setBoundary with b = 1: the component along x
        fill_border(&mut field, [[across; 2], [repeated; 2]]);
        for i in 1..4 {
            let inside = i as f64;
            assert_eq!([field[[0, i]], field[[4, i]]], [-10.0 - inside, -30.0 - inside]);
            assert_eq!([field[[i, 0]], field[[i, 4]]], [10.0 * inside + 1.0, 10.0 * inside + 3.0]);
        }
        assert_eq!(field[[0, 0]], 0.5 * (field[[1, 0]] + field[[0, 1]]));
        assert_eq!(field[[4, 0]], 0.5 * (field[[3, 0]] + field[[4, 1]]));
        assert_eq!(field[[4, 4]], 0.5 * (field[[3, 4]] + field[[4, 3]]));
    }

    #[test]
    fn wall_cells_have_free_slip() {
        let grid = Grid::new([4, 4], [1.0; 2], [0.0; 2]).unwrap();
        let field = Field::<f64, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let mut velocity = [field.clone(), field];
        velocity[0][[1, 2]] = 3.0;
        velocity[1][[1, 2]] = 1.0;
        let normal = [0.6, 0.8];
        impose_free_slip(&mut velocity, &WallCell { cell: [1, 1], nearest: [1, 2], normal });
        let wall_cell: [f64; 2] = std::array::from_fn(|axis| velocity[axis][[1, 1]]);
        assert!((wall_cell[0] * normal[0] + wall_cell[1] * normal[1]).abs() < 1e-15);
        // (3, 1) along (0.8, −0.6) is 1.8
        assert!((wall_cell[0] - 1.44).abs() < 1e-15 && (wall_cell[1] + 1.08).abs() < 1e-15);
    }
}
