//! The three passes over a box, sixteen lines at a time.

use super::super::SideKind;
use super::super::lanes::{Work, fastest};
use super::basis::{Basis, LINES, Line};
use super::cyclic::Axis;
use super::fourier::{LANES, Lane};
use super::{LastAxis, PoissonError, Problem};
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Tasks that a pass is cut into, at most: each has memory of its own.
const TASKS: usize = 32;

/// Everything that is prepared for a box.
#[derive(Debug)]
pub(super) struct Plan<T, const D: usize> {
    last_axis: LastAxis,
    key: Key<D>,
    /// The waves along each axis, and their eigenvalues.
    bases: [Basis<T>; D],
    eigenvalues: [Vec<T>; D],
    shape: Shape,
    /// What all transforms multiply by, inverted.
    scale: f64,
    /// Planes, by tasks of some planes; then lines along the last axis, by tasks of some sixteens.
    planes: Vec<Line<T>>,
    columns: Vec<Line<T>>,
    spare: Vec<Line<f64>>,
}

/// What a plan depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key<const D: usize> {
    cells: [usize; D],
    sides: [[SideKind; 2]; D],
    weights: [f64; D],
    shift: f64,
}

/// Sizes, in sixteens where lines are side by side. A line of cells in 1-D is a box one cell wide.
#[derive(Debug, Clone, Copy)]
struct Shape {
    width: usize,
    /// Sixteens of a row.
    groups: usize,
    /// Rows of a plane.
    rows: usize,
    /// Planes, or cells along the last axis.
    last: usize,
    planes_per_task: usize,
    columns_per_task: usize,
    /// Lines of memory that a task has beside its planes or columns.
    buffer: usize,
}

impl Shape {
    fn new<const D: usize>(cells: [usize; D], buffer: usize) -> Self {
        let width = if D > 1 { cells[0] } else { 1 };
        let rows = if D > 2 { cells[1] } else { 1 };
        let (groups, last) = (width.div_ceil(LINES), cells[D - 1]);
        // Sixteen rows are transformed together
        let planes_per_task = last.div_ceil(TASKS).next_multiple_of(LINES.div_ceil(rows));
        let columns_per_task = (rows * groups).div_ceil(TASKS);
        Shape { width, groups, rows, last, planes_per_task, columns_per_task, buffer }
    }

    fn plane(&self) -> usize {
        self.rows * self.groups
    }

    fn plane_task(&self) -> usize {
        self.planes_per_task * self.plane() + self.buffer
    }

    fn column_task(&self) -> usize {
        self.columns_per_task * self.last + self.buffer
    }

    /// Place of the first sixteen of a plane.
    fn plane_start(&self, plane: usize) -> usize {
        plane / self.planes_per_task * self.plane_task() + plane % self.planes_per_task * self.plane()
    }

    /// Place of the first cell of a column of sixteens.
    fn column_start(&self, column: usize) -> usize {
        column / self.columns_per_task * self.column_task() + column % self.columns_per_task * self.last
    }
}

impl<const D: usize> Key<D> {
    fn of<T: Real>(problem: &Problem<T, D>) -> Self {
        Key {
            cells: problem.grid().cells(),
            sides: problem.sides(),
            weights: problem.matrix.weights.map(|weight| weight.to_f64()),
            shift: problem.sigma(),
        }
    }
}

impl<T: Real, const D: usize> Plan<T, D> {
    /// Prepares for a box.
    pub fn new(problem: &Problem<T, D>, last_axis: LastAxis) -> Result<Self, PoissonError> {
        let key = Key::of(problem);
        let is_periodic = key.sides[D - 1][0] == SideKind::Periodic;
        let last_axis = if is_periodic { LastAxis::Transformed } else { last_axis };
        let bases: [Basis<T>; D] = std::array::from_fn(|axis| Basis::new(key.sides[axis], key.cells[axis]));
        let eigenvalues = std::array::from_fn(|axis| {
            let value = |k| 2.0 * key.weights[axis] * (1.0 - bases[axis].phase(k).cos());
            (0..key.cells[axis]).map(|k| T::from_f64(value(k))).collect()
        });
        let transformed = if last_axis == LastAxis::Transformed { D } else { D - 1 };
        let gain: f64 = bases[..transformed].iter().map(|basis| basis.gain()).product();
        let longest = key.cells.into_iter().max().unwrap_or(1);
        let spare = bases.iter().map(|basis| basis.spare()).max().unwrap_or(0).div_ceil(2);
        let shape = Shape::new(key.cells, longest + spare);
        let plane_tasks = shape.last.div_ceil(shape.planes_per_task);
        let column_tasks = shape.plane().div_ceil(shape.columns_per_task);
        Ok(Plan {
            last_axis,
            key,
            bases,
            eigenvalues,
            shape,
            scale: 1.0 / gain,
            planes: zeros(plane_tasks * shape.plane_task())?,
            columns: zeros(column_tasks * shape.column_task())?,
            spare: match last_axis {
                LastAxis::Transformed => Vec::new(),
                LastAxis::Reduced => zeros(column_tasks * 4 * shape.last)?,
            },
        })
    }

    /// Whether it was prepared for such a box.
    pub fn fits(&self, problem: &Problem<T, D>) -> bool {
        self.key == Key::of(problem)
    }

    /// Solves.
    pub fn solve(&mut self, rhs: &Field<T, D>, p: &mut Field<T, D>) {
        self.transform_planes(rhs);
        self.solve_columns();
        self.transform_planes_back();
        let (shape, planes) = (self.shape, &self.planes);
        par::rows(p, |at, row| {
            let plane = at[D - 1] as usize;
            if D == 1 {
                row.iter_mut().enumerate().for_each(|(x, to)| *to = planes[shape.plane_start(x)][0]);
                return;
            }
            let start = shape.plane_start(plane) + if D > 2 { at[1] as usize * shape.groups } else { 0 };
            row.copy_from_slice(&planes[start..start + shape.groups].as_flattened()[..shape.width]);
        });
    }

    fn transform_planes(&mut self, rhs: &Field<T, D>) {
        let (shape, bases) = (self.shape, &self.bases);
        par::for_each_chunk(&mut self.planes, shape.plane_task(), |first, task| {
            let (planes, buffer) = task.split_at_mut(shape.planes_per_task * shape.plane());
            let first = first / shape.plane_task() * shape.planes_per_task;
            for (plane, values) in planes.chunks_exact_mut(shape.plane()).enumerate() {
                match first + plane < shape.last {
                    true => load_plane(shape, rhs, first + plane, values),
                    // Rows past the last share a complex transform with rows that count
                    false => values.fill([T::zeroed(); LINES]),
                }
            }
            if D > 1 {
                along_rows(shape, planes, buffer, |lines, spare| transform(&bases[0], lines, spare, false));
            }
            if D > 2 {
                along_planes(shape, planes, buffer, |lines, spare| transform(&bases[1], lines, spare, false));
            }
        });
    }

    fn transform_planes_back(&mut self) {
        let (shape, bases, columns) = (self.shape, &self.bases, &self.columns);
        par::for_each_chunk(&mut self.planes, shape.plane_task(), |first, task| {
            let (planes, buffer) = task.split_at_mut(shape.planes_per_task * shape.plane());
            let first = first / shape.plane_task() * shape.planes_per_task;
            for (plane, values) in planes.chunks_exact_mut(shape.plane()).enumerate() {
                if first + plane >= shape.last {
                    values.fill([T::zeroed(); LINES]);
                    continue;
                }
                let of_column = |column| columns[shape.column_start(column) + first + plane];
                values.iter_mut().enumerate().for_each(|(column, value)| *value = of_column(column));
            }
            if D > 2 {
                along_planes(shape, planes, buffer, |lines, spare| transform(&bases[1], lines, spare, true));
            }
            if D > 1 {
                along_rows(shape, planes, buffer, |lines, spare| transform(&bases[0], lines, spare, true));
            }
        });
    }

    fn solve_columns(&mut self) {
        let (shape, planes) = (self.shape, &self.planes);
        let mut columns = std::mem::take(&mut self.columns);
        let mut spare = std::mem::take(&mut self.spare);
        let reduced_spare = if spare.is_empty() { 0 } else { 4 * shape.last };
        let this = &*self;
        par_zip(&mut columns, shape.column_task(), &mut spare, reduced_spare, &|task, values, spare| {
            let (values, buffer) = values.split_at_mut(shape.columns_per_task * shape.last);
            for (number, lines) in values.chunks_exact_mut(shape.last).enumerate() {
                let column = task * shape.columns_per_task + number;
                if column < shape.plane() {
                    let of_plane = |plane| planes[shape.plane_start(plane) + column];
                    lines.iter_mut().enumerate().for_each(|(plane, line)| *line = of_plane(plane));
                    this.solve_column(column, lines, buffer, spare);
                }
            }
        });
        self.columns = columns;
        self.spare = spare;
    }

    /// Solves along the last axis for sixteen waves across it.
    fn solve_column(
        &self,
        column: usize,
        lines: &mut [Line<T>],
        buffer: &mut [Line<T>],
        spare: &mut [Line<f64>],
    ) {
        let (row, group) = (column / self.shape.groups, column % self.shape.groups);
        let across = |line: usize| {
            let x = (group * LINES + line).min(self.shape.width - 1);
            let along_x = if D > 1 { self.eigenvalues[0][x].to_f64() } else { 0.0 };
            let along_y = if D > 2 { self.eigenvalues[1][row].to_f64() } else { 0.0 };
            along_x + along_y + self.key.shift
        };
        let raised: [f64; LINES] = std::array::from_fn(across);
        if self.last_axis == LastAxis::Reduced {
            let ends = self.key.sides[D - 1].map(|side| if side == SideKind::Fixed { 2.0 } else { 0.0 });
            let axis = Axis { weight: self.key.weights[D - 1], ends };
            fastest(Reduction { axis, raised, lines: &mut *lines, spare });
            let scale = T::from_f64(self.scale);
            lines.as_flattened_mut().iter_mut().for_each(|value| *value = *value * scale);
            return;
        }
        let basis = &self.bases[D - 1];
        transform(basis, lines, buffer.as_flattened_mut().as_chunks_mut().0, false);
        fastest(Division {
            raised,
            scale: self.scale,
            eigenvalues: &self.eigenvalues[D - 1],
            lines: &mut *lines,
        });
        transform(basis, lines, buffer.as_flattened_mut().as_chunks_mut().0, true);
    }
}

fn zeros<V: Copy + Default + bytemuck::Zeroable>(count: usize) -> Result<Vec<V>, PoissonError> {
    bytemuck::allocation::try_zeroed_vec(count).map_err(|_| PoissonError::Memory)
}

/// Works on the chunks of two lists with the same number together.
fn par_zip<A: Send, B: Send>(
    a: &mut [A],
    a_length: usize,
    b: &mut [B],
    b_length: usize,
    work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
) {
    fn part<A: Send, B: Send>(
        first: usize,
        (a, a_length): (&mut [A], usize),
        (b, b_length): (&mut [B], usize),
        work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
    ) {
        let count = a.len() / a_length;
        if count <= 1 {
            return work(first, a, b);
        }
        let half = count / 2;
        let (a_low, a_high) = a.split_at_mut(half * a_length);
        let (b_low, b_high) = b.split_at_mut(half * b_length);
        par::join(
            || part(first, (a_low, a_length), (b_low, b_length), work),
            || part(first + half, (a_high, a_length), (b_high, b_length), work),
        );
    }
    part(0, (a, a_length), (b, b_length), work);
}

/// Takes a plane of the right-hand side; lines beyond its width are zero.
fn load_plane<T: Real, const D: usize>(shape: Shape, rhs: &Field<T, D>, plane: usize, to: &mut [Line<T>]) {
    if D == 1 {
        to[0] = [T::zeroed(); LINES];
        to[0][0] = rhs.row([0; D])[plane];
        return;
    }
    for (row, lines) in to.chunks_exact_mut(shape.groups).enumerate() {
        let at = std::array::from_fn(|axis| match axis {
            0 => 0,
            _ if axis + 1 == D => plane as isize,
            _ => row as isize,
        });
        let (inside, padding) = lines.as_flattened_mut().split_at_mut(shape.width);
        inside.copy_from_slice(rhs.row(at));
        padding.fill(T::zeroed());
    }
}

/// Applies `work` to sixteen rows at a time, turned so that they lie side by side.
fn along_rows<T: Real>(
    shape: Shape,
    planes: &mut [Line<T>],
    buffer: &mut [Line<T>],
    work: impl Fn(&mut [Line<T>], &mut [Lane<T>]),
) {
    let (lines, spare) = buffer.split_at_mut(shape.width);
    let spare = spare.as_flattened_mut().as_chunks_mut::<LANES>().0;
    for rows in planes.chunks_mut(LINES * shape.groups) {
        for (line, row) in rows.chunks_exact(shape.groups).enumerate() {
            lines.iter_mut().zip(row.as_flattened()).for_each(|(to, &value)| to[line] = value);
        }
        work(lines, spare);
        for (line, row) in rows.chunks_exact_mut(shape.groups).enumerate() {
            lines.iter().zip(row.as_flattened_mut()).for_each(|(from, to)| *to = from[line]);
        }
    }
}

/// Applies `work` to sixteen lines at a time across the rows of each plane.
fn along_planes<T: Real>(
    shape: Shape,
    planes: &mut [Line<T>],
    buffer: &mut [Line<T>],
    work: impl Fn(&mut [Line<T>], &mut [Lane<T>]),
) {
    let (lines, spare) = buffer.split_at_mut(shape.rows);
    let spare = spare.as_flattened_mut().as_chunks_mut::<LANES>().0;
    for plane in planes.chunks_exact_mut(shape.plane()) {
        for group in 0..shape.groups {
            let places = (group..).step_by(shape.groups);
            lines.iter_mut().zip(places.clone()).for_each(|(line, place)| *line = plane[place]);
            work(lines, spare);
            lines.iter().zip(places).for_each(|(line, place)| plane[place] = *line);
        }
    }
}

fn transform<T: Real>(basis: &Basis<T>, lines: &mut [Line<T>], spare: &mut [Lane<T>], is_back: bool) {
    if is_back {
        fastest(Back { basis, lines, spare });
    } else {
        fastest(Forward { basis, lines, spare });
    }
}

struct Forward<'a, T> {
    basis: &'a Basis<T>,
    lines: &'a mut [Line<T>],
    spare: &'a mut [Lane<T>],
}

impl<T: Real> Work for Forward<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.basis.forward(self.lines, self.spare);
    }
}

struct Back<'a, T> {
    basis: &'a Basis<T>,
    lines: &'a mut [Line<T>],
    spare: &'a mut [Lane<T>],
}

impl<T: Real> Work for Back<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.basis.back(self.lines, self.spare);
    }
}

/// Divides coefficients by their eigenvalues. The wave that is constant has none, and goes.
struct Division<'a, T> {
    raised: [f64; LINES],
    scale: f64,
    eigenvalues: &'a [T],
    lines: &'a mut [Line<T>],
}

impl<T: Real> Work for Division<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let (zero, one, scale) = (T::zeroed(), T::from_f64(1.0), T::from_f64(self.scale));
        let mut raised = [zero; LINES];
        for line in 0..LINES {
            raised[line] = T::from_f64(self.raised[line]);
        }
        for (values, &eigenvalue) in self.lines.iter_mut().zip(self.eigenvalues) {
            for line in 0..LINES {
                let sum = raised[line] + eigenvalue;
                let divided = values[line] * scale / if sum > zero { sum } else { one };
                values[line] = if sum > zero { divided } else { zero };
            }
        }
    }
}

struct Reduction<'a, T> {
    axis: Axis,
    raised: [f64; LINES],
    lines: &'a mut [Line<T>],
    spare: &'a mut [Line<f64>],
}

impl<T: Real> Work for Reduction<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.axis.solve(&self.raised, self.lines, self.spare);
    }
}
