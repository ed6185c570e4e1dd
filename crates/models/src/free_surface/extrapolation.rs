//! Velocities beyond the liquid.
//!
//! Where no particle reaches, faces take the mean of neighbours that have a velocity, layer by layer, so that particles
//! which cross the surface find a flow to follow there.

use undine_grid::{Field, par};

/// Faces that have a velocity of their own.
pub(crate) const KNOWN: u8 = 0;
/// Faces that have none yet.
pub(crate) const UNKNOWN: u8 = 254;
/// No face of the box.
const OUTSIDE: u8 = 255;
/// Faces that are looked at together.
const RUN: usize = 64;

/// What knows which faces have a velocity, and gives one to the others.
#[derive(Debug, Default)]
pub(crate) struct Extension {
    /// The layer of each place in a component's memory.
    layers: [Vec<u8>; 3],
    fronts: [Fronts; 3],
}

#[derive(Debug, Default)]
struct Fronts {
    now: Vec<u32>,
    next: Vec<u32>,
    values: Vec<f32>,
}

impl Extension {
    /// Extends every component by so many layers. `mark_row` says of the
    /// faces of a row, by its axis and first face, whether they are [`KNOWN`] or [`UNKNOWN`].
    pub fn extend<const D: usize>(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        depth: u8,
        mark_row: impl Fn(usize, [isize; D], &mut [u8]) + Sync,
    ) {
        let parts = velocity.iter_mut().zip(&mut self.layers).zip(&mut self.fronts).enumerate();
        let mut parts = parts.map(|(axis, ((field, layers), fronts))| (axis, field, layers, fronts));
        let one = |part: Option<(usize, &mut Field<f32, D>, &mut Vec<u8>, &mut Fronts)>| {
            if let Some((axis, field, layers, fronts)) = part {
                mark(field, layers, |at, row| mark_row(axis, at, row));
                spread(field, layers, fronts, depth);
            }
        };
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        par::join(|| one(first), || par::join(|| one(second), || one(third)));
    }
}

/// Marks all places of a component's memory.
fn mark<const D: usize>(
    field: &Field<f32, D>,
    layers: &mut Vec<u8>,
    mark_row: impl Fn([isize; D], &mut [u8]) + Sync,
) {
    layers.clear();
    layers.resize(field.storage().len(), OUTSIDE);
    let (layout, size) = (field.layout(), field.size());
    // The rows of a plane in space, or one row in a plane, lie in a piece of memory of their own, after some padding
    let (stride, ghost) = (layout.strides()[D - 1], layout.ghost());
    let padding = layout.offset([0; D]) - ghost * layout.strides()[1..].iter().sum::<usize>();
    let rows = if D > 2 { size[1] } else { 1 };
    par::for_each_chunk(&mut layers[padding..], stride, |first, piece| {
        let Some(deep) = (first / stride).checked_sub(ghost).filter(|&deep| deep < size[D - 1]) else {
            return;
        };
        for row in 0..rows {
            let mut at = [0; D];
            at[1] = row as isize;
            at[D - 1] = deep as isize;
            let start = layout.offset(at) - padding - first;
            mark_row(at, &mut piece[start..start + size[0]]);
        }
    });
}

fn spread<const D: usize>(field: &mut Field<f32, D>, layers: &mut [u8], fronts: &mut Fronts, depth: u8) {
    let strides = field.layout().strides();
    fronts.now.clear();
    find_first_front(layers, strides, &mut fronts.now);
    for layer in 1..=depth {
        fronts.values.clear();
        let storage = field.storage_mut();
        for &place in &fronts.now {
            fronts.values.push(mean_below(storage, layers, place as usize, strides, layer));
        }
        for (&place, &value) in fronts.now.iter().zip(&fronts.values) {
            storage[place as usize] = value;
            layers[place as usize] = layer;
        }
        fronts.next.clear();
        for &place in &fronts.now {
            for_each_neighbour(place as usize, strides, |beside| {
                if layers[beside] == UNKNOWN {
                    // Marked by a number that no layer has, so that it is taken once
                    layers[beside] = UNKNOWN - 1;
                    fronts.next.push(beside as u32);
                }
            });
        }
        std::mem::swap(&mut fronts.now, &mut fronts.next);
    }
    // What is out of reach stands still
    for (value, layer) in field.storage_mut().iter_mut().zip(layers) {
        if *layer == UNKNOWN || *layer == UNKNOWN - 1 {
            *value = 0.0;
        }
    }
}

#[inline]
fn for_each_neighbour<const D: usize>(place: usize, strides: [usize; D], mut work: impl FnMut(usize)) {
    for stride in strides {
        work(place - stride);
        work(place + stride);
    }
}

/// Finds the faces without a velocity beside those that have one.
fn find_first_front<const D: usize>(layers: &[u8], strides: [usize; D], front: &mut Vec<u32>) {
    // Every neighbour of a face lies in memory, for there are ghosts around
    let margin = strides[D - 1];
    for first in (margin..layers.len().saturating_sub(margin)).step_by(RUN) {
        let count = RUN.min(layers.len() - margin - first);
        let mut least = [UNKNOWN; RUN];
        for stride in strides {
            for beside in [first - stride, first + stride] {
                let beside = &layers[beside..beside + count];
                least.iter_mut().zip(beside).for_each(|(least, layer)| *least = (*least).min(*layer));
            }
        }
        let here = &layers[first..first + count];
        let found = here.iter().zip(&least).map(|(layer, least)| *layer == UNKNOWN && *least == KNOWN);
        if found.clone().fold(false, |any, is_found| any | is_found) {
            front.extend(
                (first..).zip(found).filter(|(_, is_found)| *is_found).map(|(place, _)| place as u32),
            );
        }
    }
}

#[inline]
fn mean_below<const D: usize>(
    values: &[f32],
    layers: &[u8],
    place: usize,
    strides: [usize; D],
    layer: u8,
) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for_each_neighbour(place, strides, |beside| {
        if layers[beside] < layer {
            sum += values[beside];
            count += 1.0;
        }
    });
    sum / f32::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Grid, MacVelocity};

    #[test]
    fn a_constant_goes_as_far_as_asked() {
        let grid = Grid::new([300, 20], [1.0; 2], [0.0; 2]).unwrap();
        let mut velocity = MacVelocity::<f32, 2>::new(grid, Condition::FreeSlip, 1).unwrap();
        velocity.components_mut().iter_mut().for_each(|field| field.fill(9.0));
        velocity[1][[280, 10]] = 5.0;
        let mut extension = Extension::default();
        extension.extend(velocity.components_mut(), 3, |_, at, row| {
            for (x, known) in row.iter_mut().enumerate() {
                *known = if x == 280 && at[1] == 10 { KNOWN } else { UNKNOWN };
            }
        });
        assert_eq!(velocity[1][[282, 11]], 5.0);
        assert_eq!(velocity[1][[283, 11]], 0.0);
        assert_eq!(velocity[1][[0, 0]], 0.0);
        assert_eq!(velocity[0][[280, 13]], 9.0);
        assert_eq!(velocity[0][[280, 14]], 0.0);
    }
}
