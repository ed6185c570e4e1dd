//! The collocated layout, as the theses have it [li2007 §3.6.4, demeulenaere2008 §3.5].
//!
//! All components lie at centres, and a border of one cell around them belongs to the arrays. A step is viscosity,
//! advection, projection:
//!
//! - viscosity: x ← (Σ neighbours + α x₀)/(2D + α), α = Δ²/(ν Δt), a fixed number of Gauss–Seidel sweeps;
//! - advection: one straight step back, kept inside, linear between samples;
//! - projection: β = Δ ∇·u by central differences over two cells, φ ← (Σ neighbours − β)/(2D) by as many sweeps from
//!   zero, u −= ∇φ over two cells.
//!
//! After each sweep the border is set: the component across a side changes its sign there, all else is repeated, and a
//! corner is the mean of its neighbours. In obstacles the fluid moves with the obstacle; cells along their banks take
//! the velocity of the nearest fluid projected on the bank.
//!
//! Stable for any step. Not converged and not free of divergence: sweeps are too few for that, and differences over two
//! cells do not see a chequerboard. Use the staggered layout for numbers, this one to see what they saw. The sweeps go
//! cell by cell in order, so they run on one thread per component.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, Side, neighbour, par};

use super::sides::{SideKind, Sides};
use crate::solids::{SOLID, Solids};

/// The arrays of the collocated layout.
pub struct Collocated<const D: usize> {
    velocity: [Field<f64, D>; D],
    before: [Field<f64, D>; D],
    phi: Field<f64, D>,
    beta: Field<f64, D>,
    sweeps: usize,
    banks: Vec<Bank<D>>,
    /// Cells inside obstacles: all that are not fluid.
    is_solid: Field<u8, D>,
}

/// A cell of an obstacle beside the fluid.
struct Bank<const D: usize> {
    cell: [usize; D],
    /// The cell of fluid next to it.
    nearest: [usize; D],
    normal: [f64; D],
}

/// How a border cell follows from the cell inside it: `factor · inside + given`.
#[derive(Clone, Copy)]
struct Image {
    factor: f64,
    given: f64,
}

type Border<const D: usize> = [[Image; 2]; D];

impl<const D: usize> Collocated<D> {
    /// Fluid at rest on a grid, to which a border is added.
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
            before: fields()?,
            phi: field()?,
            beta: field()?,
            sweeps,
            banks: Vec::new(),
            is_solid: Field::new(bordered, Location::Center, Condition::Open, 1)?,
        };
        if let Some(solids) = solids {
            layout.refresh(solids);
            layout.banks.reserve(4 * layout.banks.len() + 64);
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

    /// Finds the banks of obstacles again.
    pub fn refresh(&mut self, solids: &Solids<D>) {
        let kinds = solids.cell_kinds();
        let size = kinds.size();
        self.banks.clear();
        self.is_solid.fill(0);
        for (cell, kind) in kinds.iter().filter(|(_, kind)| kind & SOLID != 0) {
            debug_assert!(kind != 0);
            self.is_solid[cell.map(|x| x + 1)] = 1;
            let normal = outward_normal(solids.distances(), cell);
            let nearest = (0..2 * D)
                .filter_map(|way| beside(cell, size, way).map(|to| (way, to)))
                .filter(|(_, to)| kinds[*to] & SOLID == 0)
                .max_by(|(one, _), (other, _)| along(normal, *one).total_cmp(&along(normal, *other)));
            if let Some((_, nearest)) = nearest {
                let shifted = |cell: [usize; D]| cell.map(|x| x + 1);
                self.banks.push(Bank { cell: shifted(cell), nearest: shifted(nearest), normal });
            }
        }
    }

    /// The viscosity of `amount` = ν Δt.
    pub fn diffuse(&mut self, amount: f64, sides: &Sides<D>, time: f64, solids: Option<&Solids<D>>) {
        if amount <= 0.0 {
            return self.set_border(sides, time, solids);
        }
        let alpha = self.spacing().powi(2) / amount;
        let rate = 1.0 / (2.0 * D as f64 + alpha);
        for (before, velocity) in self.before.iter_mut().zip(&self.velocity) {
            before.storage_mut().copy_from_slice(velocity.storage());
        }
        for _ in 0..self.sweeps {
            let before = &self.before;
            for_each_component(&mut self.velocity, |axis, component| {
                relax(component, &before[axis], alpha, rate);
            });
            self.set_border(sides, time, solids);
        }
    }

    /// Lets the velocity carry itself.
    pub fn advect(&mut self, dt: f64, sides: &Sides<D>, time: f64, solids: Option<&Solids<D>>) {
        std::mem::swap(&mut self.velocity, &mut self.before);
        let before = &self.before;
        let scale = dt / self.spacing();
        for axis in 0..D {
            let from = &before[axis];
            par::rows(&mut self.velocity[axis], |at, row| {
                for (x, value) in row.iter_mut().enumerate() {
                    let cell = neighbour(at, 0, x as isize);
                    let back = |x: usize| cell[x] as f64 - scale * before[x].at(cell);
                    *value = linear(from, std::array::from_fn(back));
                }
            });
        }
        self.set_border(sides, time, solids);
    }

    /// Takes off the gradient that makes the divergence small.
    pub fn project(&mut self, sides: &Sides<D>, time: f64, solids: Option<&Solids<D>>) {
        let size = self.phi.size();
        let velocity = &self.velocity;
        let spacing = self.spacing();
        par::rows(&mut self.beta, |at, row| {
            for x in 1..size[0] - 1 {
                let cell = neighbour(at, 0, x as isize);
                let rise = |axis: usize| {
                    velocity[axis].at(neighbour(cell, axis, 1)) - velocity[axis].at(neighbour(cell, axis, -1))
                };
                row[x] = 0.5 * spacing * (0..D).map(rise).sum::<f64>();
            }
        });
        let border = pressure_border(sides);
        set_images(&mut self.beta, border);
        self.phi.fill(0.0);
        for _ in 0..self.sweeps {
            relax(&mut self.phi, &self.beta, -1.0, 1.0 / (2.0 * D as f64));
            set_images(&mut self.phi, border);
            for bank in &self.banks {
                self.phi[bank.cell] = self.phi[bank.nearest];
            }
        }
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
        self.set_border(sides, time, solids);
    }

    /// Sets the border of the velocity, and what it is in obstacles and along their banks.
    pub fn set_border(&mut self, sides: &Sides<D>, time: f64, solids: Option<&Solids<D>>) {
        for (axis, component) in self.velocity.iter_mut().enumerate() {
            set_images(component, velocity_border(sides, axis, time));
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
        for bank in &self.banks {
            slide_along(&mut self.velocity, bank);
        }
    }

    /// Writes the velocity on the faces between cells: the mean of both.
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

    /// Takes the velocity at centres from that on faces: the mean of both.
    pub fn take_faces(&mut self, faces: &MacVelocity<f64, D>) {
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

    /// The mean spacing, as [demeulenaere2008] takes it.
    fn spacing(&self) -> f64 {
        self.phi.grid().spacing().iter().sum::<f64>() / D as f64
    }
}

/// Works on all components, on as many threads.
fn for_each_component<const D: usize>(
    components: &mut [Field<f64, D>; D],
    work: impl Fn(usize, &mut Field<f64, D>) + Sync,
) {
    par::for_each_chunk(components, 1, |axis, chunk| {
        chunk.iter_mut().for_each(|component| work(axis, component))
    });
}

/// One Gauss–Seidel sweep of x ← rate (Σ neighbours + alpha x₀) over all cells inside the border.
fn relax<const D: usize>(field: &mut Field<f64, D>, given: &Field<f64, D>, alpha: f64, rate: f64) {
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
        let given = given.run(at, size[0] - 2);
        let values = field.storage_mut();
        for (x, given) in given.iter().enumerate() {
            let here = start + x;
            let sum: f64 = strides.iter().map(|stride| values[here - stride] + values[here + stride]).sum();
            values[here] = rate * (sum + alpha * given);
        }
    }
}

/// The value of a field between its samples, at a point kept half a cell away from its border cells' middles.
fn linear<const D: usize>(field: &Field<f64, D>, point: [f64; D]) -> f64 {
    let size = field.size();
    let mut below = [0; D];
    let mut share = [0.0; D];
    for axis in 0..D {
        let kept = point[axis].clamp(0.5, size[axis] as f64 - 1.5);
        below[axis] = kept as isize;
        share[axis] = kept - below[axis] as f64;
    }
    let corner = |number: usize| {
        let at = std::array::from_fn(|axis| below[axis] + (number >> axis & 1) as isize);
        let weight = |axis: usize| if number >> axis & 1 == 1 { share[axis] } else { 1.0 - share[axis] };
        field.at(at) * (0..D).map(weight).product::<f64>()
    };
    (0..1 << D).map(corner).sum()
}

/// What the border of a velocity component is at a time.
fn velocity_border<const D: usize>(sides: &Sides<D>, component: usize, time: f64) -> Border<D> {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let side = Side::ALL[2 * axis + high];
            let about = |value: f64| Image { factor: -1.0, given: 2.0 * value };
            match sides.kind(side) {
                SideKind::Moving | SideKind::Inflow => about(sides.velocity(side, time)[component]),
                SideKind::NoSlip => about(0.0),
                SideKind::FreeSlip if axis == component => about(0.0),
                _ => Image { factor: 1.0, given: 0.0 },
            }
        })
    })
}

/// What the border of φ and β is: the same as inside, and its opposite at an outflow.
fn pressure_border<const D: usize>(sides: &Sides<D>) -> Border<D> {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let is_out = sides.kind(Side::ALL[2 * axis + high]) == SideKind::Outflow;
            Image { factor: if is_out { -1.0 } else { 1.0 }, given: 0.0 }
        })
    })
}

/// Sets the border cells of an array: images of the cells inside, and means at corners.
fn set_images<const D: usize>(field: &mut Field<f64, D>, border: Border<D>) {
    let size = field.size();
    let count: usize = size.iter().product();
    // Cells on one side first, then those on two, then those on three: each reads the ones before
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
                    set_image(field, border, at, size, sides);
                }
            }
        }
    }
}

/// Sets one border cell if it lies on exactly so many sides.
fn set_image<const D: usize>(
    field: &mut Field<f64, D>,
    border: Border<D>,
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
        last = image.factor * inside + image.given;
    }
    field[at] = if sides == 1 { last } else { sum / sides as f64 };
}

/// Gives a bank the velocity of the fluid beside it without the part across the bank; what the bank itself moves at is
/// kept across.
fn slide_along<const D: usize>(velocity: &mut [Field<f64, D>; D], bank: &Bank<D>) {
    let fluid: [f64; D] = std::array::from_fn(|axis| velocity[axis][bank.nearest]);
    let own: [f64; D] = std::array::from_fn(|axis| velocity[axis][bank.cell]);
    let across: f64 = (0..D).map(|axis| (own[axis] - fluid[axis]) * bank.normal[axis]).sum();
    for axis in 0..D {
        velocity[axis][bank.cell] = fluid[axis] + across * bank.normal[axis];
    }
}

/// Unit normal of the nearest surface at a cell, out of the solid.
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

/// The cell beside another: way 2a is down along axis a, 2a + 1 is up.
fn beside<const D: usize>(cell: [usize; D], size: [usize; D], way: usize) -> Option<[usize; D]> {
    let mut to = cell;
    let axis = way / 2;
    to[axis] = if way % 2 == 1 { to[axis] + 1 } else { to[axis].checked_sub(1)? };
    (to[axis] < size[axis]).then_some(to)
}

fn along<const D: usize>(normal: [f64; D], way: usize) -> f64 {
    if way % 2 == 1 { normal[way / 2] } else { -normal[way / 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_has_the_signs_and_corners_of_the_thesis() {
        let grid = Grid::new([5, 5], [1.0; 2], [0.0; 2]).unwrap();
        let mut field = Field::<f64, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        field.set_by_position(|[x, y]| 10.0 * x.floor() + y.floor());
        let [across, repeated] = [-1.0, 1.0].map(|factor| Image { factor, given: 0.0 });
        // setBoundary with b = 1: the component along x
        set_images(&mut field, [[across; 2], [repeated; 2]]);
        for along in 1..4 {
            let inside = along as f64;
            assert_eq!([field[[0, along]], field[[4, along]]], [-10.0 - inside, -30.0 - inside]);
            assert_eq!([field[[along, 0]], field[[along, 4]]], [10.0 * inside + 1.0, 10.0 * inside + 3.0]);
        }
        assert_eq!(field[[0, 0]], 0.5 * (field[[1, 0]] + field[[0, 1]]));
        assert_eq!(field[[4, 0]], 0.5 * (field[[3, 0]] + field[[4, 1]]));
        assert_eq!(field[[4, 4]], 0.5 * (field[[3, 4]] + field[[4, 3]]));
    }

    #[test]
    fn banks_let_the_fluid_slide_along_them() {
        let grid = Grid::new([4, 4], [1.0; 2], [0.0; 2]).unwrap();
        let field = Field::<f64, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let mut velocity = [field.clone(), field];
        velocity[0][[1, 2]] = 3.0;
        velocity[1][[1, 2]] = 1.0;
        let normal = [0.6, 0.8];
        slide_along(&mut velocity, &Bank { cell: [1, 1], nearest: [1, 2], normal });
        let bank: [f64; 2] = std::array::from_fn(|axis| velocity[axis][[1, 1]]);
        assert!((bank[0] * normal[0] + bank[1] * normal[1]).abs() < 1e-15);
        // (3, 1) along (0.8, −0.6) is 1.8
        assert!((bank[0] - 1.44).abs() < 1e-15 && (bank[1] + 1.08).abs() < 1e-15);
    }
}
