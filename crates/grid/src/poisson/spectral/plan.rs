//! The three passes over a box.
//!
//! Two copies of the box are kept: plane after plane, and turned, column after column along the last axis, so that every
//! transform finds its lines one after another in memory. Both hold exactly the cells of the box: no line beyond its
//! width or height exists that could carry numbers from one solve to the next.

use super::super::SideKind;
use super::basis::AxisBasis;
use super::cyclic::{AxisCoupling, LINES, LineBatch};
use super::{LastAxis, PoissonError, PoissonProblem};
use crate::fft::{Complex, GROUP, TASKS};
use crate::field::Field;
use crate::par;
use crate::simd;
use crate::transpose::transpose;
use crate::value::Real;

/// Bases, eigenvalues and memory prepared for a box.
#[derive(Debug)]
pub(super) struct SpectralPlan<T, const D: usize> {
    last_axis: LastAxis,
    key: PlanKey<D>,
    /// The waves along each axis, and their eigenvalues.
    bases: [AxisBasis<T>; D],
    eigenvalues: [Vec<T>; D],
    shape: TransformSize,
    /// Inverse of the factor of all transforms.
    scale: f64,
    /// Values by planes, rows and cells of a row.
    planes: Vec<T>,
    /// Values by columns along the last axis; for cyclic reduction, sixteen columns side by side.
    columns: Vec<T>,
    scratches: Vec<TransformScratch<T>>,
}

/// The parameters that a plan depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PlanKey<const D: usize> {
    cells: [usize; D],
    sides: [[SideKind; 2]; D],
    weights: [f64; D],
    shift: f64,
}

/// Scratch memory of a task.
#[derive(Debug)]
struct TransformScratch<T> {
    /// For transforms.
    work: Vec<Complex<T>>,
    /// The partner of a line that has none.
    zeros: Vec<T>,
    /// Lines across the rows of a plane.
    lines: Vec<T>,
    /// Coefficients of tridiagonal systems.
    systems: Vec<LineBatch<f64>>,
}

/// Sizes. A line of cells in 1-D is a box one cell wide.
#[derive(Debug, Clone, Copy)]
struct TransformSize {
    width: usize,
    /// Rows of a plane.
    rows: usize,
    /// Planes, or cells along the last axis.
    last: usize,
    planes_per_task: usize,
    columns_per_task: usize,
}

impl TransformSize {
    fn new<const D: usize>(cells: [usize; D]) -> Self {
        let width = if D > 1 { cells[0] } else { 1 };
        let rows = if D > 2 { cells[1] } else { 1 };
        let last = cells[D - 1];
        // Eight planes together read whole cache lines of columns
        let planes_per_task = last.div_ceil(TASKS).next_multiple_of(8);
        let columns_per_task = (rows * width).div_ceil(TASKS).next_multiple_of(GROUP);
        TransformSize { width, rows, last, planes_per_task, columns_per_task }
    }

    /// Cells of a plane, which is also the number of columns.
    fn plane(&self) -> usize {
        self.rows * self.width
    }
}

impl<const D: usize> PlanKey<D> {
    fn of<T: Real>(problem: &PoissonProblem<T, D>) -> Self {
        PlanKey {
            cells: problem.grid().cells(),
            sides: problem.sides(),
            weights: problem.matrix.weights.map(|weight| weight.to_f64()),
            shift: problem.sigma(),
        }
    }
}

impl<T: Real, const D: usize> SpectralPlan<T, D> {
    /// Prepares for a box.
    pub fn new(problem: &PoissonProblem<T, D>, last_axis: LastAxis) -> Result<Self, PoissonError> {
        let key = PlanKey::of(problem);
        let is_periodic = key.sides[D - 1][0] == SideKind::Periodic;
        let last_axis = if is_periodic { LastAxis::Transformed } else { last_axis };
        let bases: [AxisBasis<T>; D] =
            std::array::from_fn(|axis| AxisBasis::new(key.sides[axis], key.cells[axis]));
        let eigenvalues = std::array::from_fn(|axis| {
            let value = |k| 2.0 * key.weights[axis] * (1.0 - bases[axis].phase(k).cos());
            (0..key.cells[axis]).map(|k| T::from_f64(value(k))).collect()
        });
        let transformed = if last_axis == LastAxis::Transformed { D } else { D - 1 };
        let gain: f64 = bases[..transformed].iter().map(|basis| basis.gain()).product();

        // Memory for the box twice, and for each task
        let shape = TransformSize::new(key.cells);
        let longest = key.cells.into_iter().max().unwrap_or(1);
        let work = bases.iter().map(|basis| basis.work()).max().unwrap_or(0);
        let (columns, systems) = match last_axis {
            LastAxis::Transformed => (shape.plane(), 0),
            LastAxis::Reduced => (shape.plane().next_multiple_of(LINES), 4 * shape.last),
        };
        let scratch = || {
            Ok(TransformScratch {
                work: zeros(work)?,
                zeros: zeros(longest)?,
                lines: zeros(if D > 2 { GROUP * shape.rows } else { 0 })?,
                systems: zeros(systems)?,
            })
        };
        Ok(SpectralPlan {
            last_axis,
            key,
            bases,
            eigenvalues,
            shape,
            scale: 1.0 / gain,
            planes: zeros(shape.plane() * shape.last)?,
            columns: zeros(columns * shape.last)?,
            scratches: (0..TASKS).map(|_| scratch()).collect::<Result<_, PoissonError>>()?,
        })
    }

    /// Whether it was prepared for such a box.
    pub fn fits(&self, problem: &PoissonProblem<T, D>) -> bool {
        self.key == PlanKey::of(problem)
    }

    /// Solves.
    pub fn solve(&mut self, rhs: &Field<T, D>, p: &mut Field<T, D>) {
        self.transform_planes(rhs);
        match self.last_axis {
            LastAxis::Transformed => self.divide_columns(),
            LastAxis::Reduced => self.reduce_columns(),
        }
        self.transform_planes_back();
        let (shape, planes) = (self.shape, &self.planes);
        par::rows(p, |at, row| row.copy_from_slice(&planes[first_of_row(shape, at)..][..row.len()]));
    }

    /// Along x and y, while a plane is in cache.
    fn transform_planes(&mut self, rhs: &Field<T, D>) {
        let (shape, bases) = (self.shape, &self.bases);
        let task = shape.planes_per_task * shape.plane();
        par::for_each_chunk_with(&mut self.planes, task, &mut self.scratches, |first, planes, scratch| {
            load_planes(shape, rhs, first / shape.plane(), planes);
            if D > 1 {
                for_each_pair(planes, shape.width, &mut scratch.zeros, |a, b| {
                    bases[0].forward(a, b, &mut scratch.work)
                });
            }
            if D > 2 {
                across_rows(shape, planes, scratch, |a, b, work| bases[1].forward(a, b, work));
            }
        });
    }

    fn transform_planes_back(&mut self) {
        let (shape, bases, columns, last_axis) = (self.shape, &self.bases, &self.columns, self.last_axis);
        let task = shape.planes_per_task * shape.plane();
        par::for_each_chunk_with(&mut self.planes, task, &mut self.scratches, |first, planes, scratch| {
            let first = first / shape.plane();
            match last_axis {
                LastAxis::Transformed => {
                    let size = [shape.plane(), planes.len() / shape.plane()];
                    transpose(&columns[first..], shape.last, planes, shape.plane(), size);
                }
                LastAxis::Reduced => {
                    for (plane, values) in planes.chunks_exact_mut(shape.plane()).enumerate() {
                        for (group, values) in values.chunks_mut(LINES).enumerate() {
                            let line = (group * shape.last + first + plane) * LINES;
                            values.copy_from_slice(&columns[line..line + values.len()]);
                        }
                    }
                }
            }
            if D > 2 {
                across_rows(shape, planes, scratch, |a, b, work| bases[1].back(a, b, work));
            }
            if D > 1 {
                for_each_pair(planes, shape.width, &mut scratch.zeros, |a, b| {
                    bases[0].back(a, b, &mut scratch.work)
                });
            }
        });
    }

    /// Along the last axis: into waves, divided by the eigenvalues, and back.
    fn divide_columns(&mut self) {
        let (shape, planes, basis) = (self.shape, &self.planes, &self.bases[D - 1]);
        let (key, eigenvalues, scale) = (&self.key, &self.eigenvalues, T::from_f64(self.scale));
        let task = shape.columns_per_task * shape.last;
        par::for_each_chunk_with(&mut self.columns, task, &mut self.scratches, |first, columns, scratch| {
            let mut column = first / shape.last;
            for group in columns.chunks_mut(GROUP * shape.last) {
                let count = group.len() / shape.last;
                transpose(&planes[column..], shape.plane(), group, shape.last, [shape.last, count]);
                for_each_pair(group, shape.last, &mut scratch.zeros, |a, b| {
                    basis.forward(a, b, &mut scratch.work)
                });
                simd::dispatch(
                    #[inline(always)]
                    || {
                        for (line, number) in group.chunks_exact_mut(shape.last).zip(column..) {
                            let across =
                                T::from_f64(eigenvalue_across(shape, key.shift, eigenvalues, number));
                            divide(line, &eigenvalues[D - 1], across, scale);
                        }
                    },
                );
                for_each_pair(group, shape.last, &mut scratch.zeros, |a, b| {
                    basis.back(a, b, &mut scratch.work)
                });
                column += count;
            }
        });
    }

    /// Along the last axis by cyclic reduction, sixteen columns side by side.
    fn reduce_columns(&mut self) {
        let (shape, planes) = (self.shape, &self.planes);
        let (key, eigenvalues, scale) = (&self.key, &self.eigenvalues, T::from_f64(self.scale));
        let ends = key.sides[D - 1].map(|side| if side == SideKind::Fixed { 2.0 } else { 0.0 });
        let axis = AxisCoupling { weight: key.weights[D - 1], ends };
        let task = shape.columns_per_task * shape.last;
        par::for_each_chunk_with(&mut self.columns, task, &mut self.scratches, |first, columns, scratch| {
            let mut column = first / shape.last;
            for group in columns.chunks_exact_mut(LINES * shape.last) {
                // Columns beyond the last are zero and are solved like the last
                let count = LINES.min(shape.plane() - column);
                let lines = group.as_chunks_mut::<LINES>().0;
                for (plane, line) in lines.iter_mut().enumerate() {
                    *line = [T::zeroed(); LINES];
                    line[..count].copy_from_slice(&planes[plane * shape.plane() + column..][..count]);
                }
                let raised = std::array::from_fn(|line| {
                    eigenvalue_across(shape, key.shift, eigenvalues, column + line.min(count - 1))
                });
                simd::dispatch(
                    #[inline(always)]
                    || axis.solve(&raised, lines, &mut scratch.systems),
                );
                group.iter_mut().for_each(|value| *value = *value * scale);
                column += count;
            }
        });
    }
}

fn zeros<V: bytemuck::Zeroable + Clone>(count: usize) -> Result<Vec<V>, PoissonError> {
    bytemuck::allocation::try_zeroed_vec(count).map_err(|_| PoissonError::Memory)
}

/// Index among planes of the first cell of a row of a field.
fn first_of_row<const D: usize>(shape: TransformSize, at: [isize; D]) -> usize {
    match D {
        1 => 0,
        2 => at[1] as usize * shape.width,
        _ => (at[2] as usize * shape.rows + at[1] as usize) * shape.width,
    }
}

/// Copies planes of the right-hand side from plane `first` on.
fn load_planes<T: Real, const D: usize>(
    shape: TransformSize,
    rhs: &Field<T, D>,
    first: usize,
    planes: &mut [T],
) {
    if D == 1 {
        return planes.copy_from_slice(&rhs.row([0; D])[first..first + planes.len()]);
    }
    for (number, row) in planes.chunks_exact_mut(shape.width).enumerate() {
        let (plane, y) = (first + number / shape.rows, number % shape.rows);
        let at = std::array::from_fn(|axis| match axis {
            0 => 0,
            _ if axis + 1 == D => plane as isize,
            _ => y as isize,
        });
        row.copy_from_slice(rhs.row(at));
    }
}

/// Calls `work` with every two lines of a length; the last one of an odd number is given zeros as its partner.
fn for_each_pair<T: Real>(
    lines: &mut [T],
    length: usize,
    zeros: &mut [T],
    mut work: impl FnMut(&mut [T], &mut [T]),
) {
    for pair in lines.chunks_mut(2 * length) {
        let (a, b) = pair.split_at_mut(length);
        match b.is_empty() {
            false => work(a, b),
            true => {
                zeros[..length].fill(T::zeroed());
                work(a, &mut zeros[..length]);
            }
        }
    }
}

/// Calls `work` with every two lines across the rows of each plane.
fn across_rows<T: Real>(
    shape: TransformSize,
    planes: &mut [T],
    scratch: &mut TransformScratch<T>,
    work: impl Fn(&mut [T], &mut [T], &mut [Complex<T>]),
) {
    let (width, rows) = (shape.width, shape.rows);
    for plane in planes.chunks_exact_mut(shape.plane()) {
        for x in (0..width).step_by(GROUP) {
            let count = GROUP.min(width - x);
            let lines = &mut scratch.lines[..count * rows];
            transpose(&plane[x..], width, lines, rows, [rows, count]);
            for_each_pair(lines, rows, &mut scratch.zeros, |a, b| work(a, b, &mut scratch.work));
            transpose(lines, rows, &mut plane[x..], width, [count, rows]);
        }
    }
}

/// Contribution of the waves along the other axes to the eigenvalue of a column, plus σ.
fn eigenvalue_across<T: Real, const D: usize>(
    shape: TransformSize,
    shift: f64,
    eigenvalues: &[Vec<T>; D],
    column: usize,
) -> f64 {
    let (x, y) = (column % shape.width, column / shape.width);
    let from_x = if D > 1 { eigenvalues[0][x].to_f64() } else { 0.0 };
    let from_y = if D > 2 { eigenvalues[1][y].to_f64() } else { 0.0 };
    from_x + from_y + shift
}

/// Divides coefficients by their eigenvalues. The wave that is constant has none, and goes.
#[inline(always)]
fn divide<T: Real>(line: &mut [T], eigenvalues: &[T], across: T, scale: T) {
    let (zero, one) = (T::zeroed(), T::from_f64(1.0));
    for (value, &eigenvalue) in line.iter_mut().zip(eigenvalues) {
        let sum = across + eigenvalue;
        let divided = *value * scale / if sum > zero { sum } else { one };
        *value = if sum > zero { divided } else { zero };
    }
}
