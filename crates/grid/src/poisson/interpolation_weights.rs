//! Weights of linear and piecewise constant interpolation of a correction.

use super::PoissonError;
use super::checkered::{half_field, moved, offset};
use super::coarsening::{fall_off, merged_weight};
use super::detached_cells::DetachedCells;
use super::matrix::Matrix;
use super::transfer::RED;
use crate::boundary::Condition;
use crate::field::Field;
use crate::grid::Grid;
use crate::location::Location;
use crate::par;
use crate::value::Real;

/// Weights of the linear and of the constant interpolation of each red cell.
#[derive(Debug, Clone)]
pub(super) struct InterpolationWeights<T, const D: usize> {
    linear: Field<T, D>,
    constant: Field<T, D>,
    /// Whether all of a row is linear and nothing falls off.
    is_linear: Vec<bool>,
    /// Whether the coarse cells around a coarse node are coupled in full to each other.
    is_joined: Field<u8, D>,
}

impl<T: Real, const D: usize> InterpolationWeights<T, D> {
    /// Memory for them.
    pub fn new(fine: &Matrix<T, D>, coarse: &Matrix<T, D>, merged: [bool; D]) -> Result<Self, PoissonError> {
        let nodes = std::array::from_fn(|axis| coarse.cells()[axis] + usize::from(merged[axis]));
        let nodes = Grid::new(nodes, [1.0; D], [0.0; D])?;
        let half = half_field(fine.cells())?;
        Ok(InterpolationWeights {
            linear: half.clone(),
            constant: half,
            is_linear: vec![false; fine.cells()[1..].iter().product()],
            is_joined: Field::new(nodes, Location::Center, Condition::Open, 1)?,
        })
    }

    /// The linear and the constant weights of a row; `None` when all of it is linear.
    #[inline]
    pub fn of_row(&self, number: usize, at: [isize; D]) -> Option<[&[T]; 2]> {
        (!self.is_linear[number]).then(|| [self.linear.row(at), self.constant.row(at)])
    }

    /// Computes them from two assembled matrices.
    pub fn update(
        &mut self,
        fine: &Matrix<T, D>,
        coarse: &Matrix<T, D>,
        merged: [bool; D],
        detached_cells: &DetachedCells<D>,
    ) {
        self.join(fine, coarse, merged);
        self.divide(fine, merged);
        for mut at in detached_cells.red() {
            at[0] >>= 1;
            let cell = at.map(|x| x as usize);
            (self.linear[cell], self.constant[cell]) = (T::zeroed(), T::zeroed());
        }
        let (one, linear) = (T::from_f64(1.0), &self.linear);
        par::for_each_chunk(&mut self.is_linear, 64, |first, rows| {
            for (number, is_linear) in rows.iter_mut().enumerate() {
                let (at, span) = (fine.row_at(first + number), fine.spans[first + number]);
                let weights = linear.row(at);
                *is_linear = weights[span.cells(weights.len())].iter().all(|&weight| weight == one);
            }
        });
    }

    /// Marks the nodes around which all coarse cells are coupled in full.
    fn join(&mut self, fine: &Matrix<T, D>, coarse: &Matrix<T, D>, merged: [bool; D]) {
        let Some(couplings) = &coarse.couplings else {
            self.is_joined.fill(1);
            return;
        };
        let is_full = |axis: usize, at: [isize; D]| couplings[axis].get(at) == coarse.weights[axis];
        par::rows(&mut self.is_joined, |start, row| {
            for (x, joined) in row.iter_mut().enumerate() {
                let node = moved(start, 0, x as isize);
                let around: [[isize; 2]; D] = std::array::from_fn(|axis| match merged[axis] {
                    true => beside_node(node[axis], coarse.cells()[axis], fine.periodic[axis]),
                    false => [node[axis]; 2],
                });
                let is_whole = (0..D).all(|axis| {
                    around[axis][0] == around[axis][1]
                        || upper_corners(around, axis).all(|corner| is_full(axis, corner))
                });
                *joined = u8::from(is_whole);
            }
        });
    }

    /// Divides every red cell between linear and constant interpolation.
    fn divide(&mut self, fine: &Matrix<T, D>, merged: [bool; D]) {
        let (weight, is_joined) = (merged_weight(fine, merged), &self.is_joined);
        par::rows_each([&mut self.linear, &mut self.constant], |at, [linear, constant]| {
            let diagonal = fine.diagonal.halves[RED].row(at);
            let extra = fine.extra.as_ref().map(|extra| extra.halves[RED].row(at));
            let node = std::array::from_fn(|axis| if merged[axis] { (at[axis] + 1) / 2 } else { at[axis] });
            let (joined, right) = (is_joined.row(node), offset(RED, at));
            for cell in fine.span(at).cells(linear.len()) {
                if diagonal[cell] == T::zeroed() {
                    (linear[cell], constant[cell]) = (T::zeroed(), T::zeroed());
                    continue;
                }
                let place = if merged[0] { cell + right } else { 2 * cell + right };
                let fixed = extra.map_or(0.0, |extra| extra[cell].to_f64());
                let weight_of_parent = T::from_f64(fall_off(fixed, weight));
                let zero = T::zeroed();
                (linear[cell], constant[cell]) =
                    if joined[place] == 1 { (weight_of_parent, zero) } else { (zero, weight_of_parent) };
            }
        });
    }
}

/// The coarse coordinates on both sides of a node: the same one twice at a side.
fn beside_node(node: isize, cells: usize, is_periodic: bool) -> [isize; 2] {
    let count = cells as isize;
    match is_periodic {
        true => [(node - 1).rem_euclid(count), node.rem_euclid(count)],
        false => [(node - 1).max(0), node.min(count - 1)],
    }
}

/// The cells around a node on its upper side along `axis`.
fn upper_corners<const D: usize>(around: [[isize; 2]; D], axis: usize) -> impl Iterator<Item = [isize; D]> {
    let choices = (0..1_usize << D).filter(move |choice| choice >> axis & 1 == 1);
    choices.map(move |choice| std::array::from_fn(|axis| around[axis][choice >> axis & 1]))
}
