//! Extrapolation of face velocities beyond the liquid, so that particles that cross the surface find a velocity there.
//!
//! Layer by layer outwards from the known faces: a face of layer n takes the mean of its axis neighbours in layers
//! below n, which approximates ∇u·∇φ = 0, constant along the normal. Faces beyond the last layer are set to zero.

use undine_grid::{Field, par};

/// The layer of faces whose velocity is known.
pub(crate) const KNOWN: u8 = 0;
/// Faces without a velocity yet.
pub(crate) const UNKNOWN: u8 = 254;
/// Ghosts and padding: not a face of the box.
const OUTSIDE: u8 = 255;
/// Faces that are tested together.
const RUN_LENGTH: usize = 64;

/// The layers of the faces of each component; memory that is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Extrapolation {
    /// The layer of every value in a component's storage.
    layers: [Vec<u8>; 3],
    front: [Wavefront; 3],
}

/// The faces of the current and the next layer, by their index in storage, and the new values of the current one.
#[derive(Debug, Default)]
struct Wavefront {
    now: Vec<u32>,
    next: Vec<u32>,
    values: Vec<f32>,
}

impl Extrapolation {
    /// Extrapolates every component by `layer_count` layers. `mark_row` gets the axis, the first face and the layers
    /// of a row of faces, and sets each to [`KNOWN`] or [`UNKNOWN`].
    pub fn extrapolate<const D: usize>(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        layer_count: u8,
        mark_row: impl Fn(usize, [isize; D], &mut [u8]) + Sync,
    ) {
        let components = velocity.iter_mut().zip(&mut self.layers).zip(&mut self.front).enumerate();
        let mut components = components.map(|(axis, ((field, layers), front))| (axis, field, layers, front));
        let extrapolate = |component: Option<(usize, &mut Field<f32, D>, &mut Vec<u8>, &mut Wavefront)>| {
            if let Some((axis, field, layers, front)) = component {
                mark_known(field, layers, |at, row| mark_row(axis, at, row));
                march(field, layers, front, layer_count);
            }
        };
        let (first, second, third) = (components.next(), components.next(), components.next());
        par::join(|| extrapolate(first), || par::join(|| extrapolate(second), || extrapolate(third)));
    }
}

/// Sets the layers of all values in a component's storage.
fn mark_known<const D: usize>(
    field: &Field<f32, D>,
    layers: &mut Vec<u8>,
    mark_row: impl Fn([isize; D], &mut [u8]) + Sync,
) {
    layers.clear();
    layers.resize(field.storage().len(), OUTSIDE);
    let (layout, size) = (field.layout(), field.size());
    // In 3-D the rows of a plane, in 2-D one row, are contiguous in memory, after some padding: one task each
    let (stride, ghost) = (layout.strides()[D - 1], layout.ghost());
    let padding = layout.offset([0; D]) - ghost * layout.strides()[1..].iter().sum::<usize>();
    let rows = if D > 2 { size[1] } else { 1 };
    par::for_each_chunk(&mut layers[padding..], stride, |first, piece| {
        let Some(plane) = (first / stride).checked_sub(ghost).filter(|&plane| plane < size[D - 1]) else {
            return;
        };
        for row in 0..rows {
            let mut at = [0; D];
            at[1] = row as isize;
            at[D - 1] = plane as isize;
            let start = layout.offset(at) - padding - first;
            mark_row(at, &mut piece[start..start + size[0]]);
        }
    });
}

/// Sets the values of all layers, one after the other, and zero beyond.
fn march<const D: usize>(
    field: &mut Field<f32, D>,
    layers: &mut [u8],
    front: &mut Wavefront,
    layer_count: u8,
) {
    let strides = field.layout().strides();
    front.now.clear();
    find_first_layer(layers, strides, &mut front.now);
    for layer in 1..=layer_count {
        front.values.clear();
        let storage = field.storage_mut();
        for &index in &front.now {
            front.values.push(mean_of_known(storage, layers, index as usize, strides, layer));
        }
        for (&index, &value) in front.now.iter().zip(&front.values) {
            storage[index as usize] = value;
            layers[index as usize] = layer;
        }
        front.next.clear();
        for &index in &front.now {
            for_each_neighbour(index as usize, strides, |adjacent| {
                if layers[adjacent] == UNKNOWN {
                    // Queued: a mark that no layer has, so that it is added once
                    layers[adjacent] = UNKNOWN - 1;
                    front.next.push(adjacent as u32);
                }
            });
        }
        std::mem::swap(&mut front.now, &mut front.next);
    }
    // Beyond the last layer the velocity is zero
    for (value, layer) in field.storage_mut().iter_mut().zip(layers) {
        if *layer == UNKNOWN || *layer == UNKNOWN - 1 {
            *value = 0.0;
        }
    }
}

#[inline]
fn for_each_neighbour<const D: usize>(index: usize, strides: [usize; D], mut work: impl FnMut(usize)) {
    for stride in strides {
        work(index - stride);
        work(index + stride);
    }
}

/// Collects the unknown faces adjacent to a known one.
fn find_first_layer<const D: usize>(layers: &[u8], strides: [usize; D], front: &mut Vec<u32>) {
    // Ghosts surround the faces, so every neighbour is in storage
    let margin = strides[D - 1];
    for first in (margin..layers.len().saturating_sub(margin)).step_by(RUN_LENGTH) {
        let count = RUN_LENGTH.min(layers.len() - margin - first);
        let mut nearest = [UNKNOWN; RUN_LENGTH];
        for stride in strides {
            for adjacent in [first - stride, first + stride] {
                let adjacent = &layers[adjacent..adjacent + count];
                nearest
                    .iter_mut()
                    .zip(adjacent)
                    .for_each(|(nearest, layer)| *nearest = (*nearest).min(*layer));
            }
        }
        let here = &layers[first..first + count];
        let found = here.iter().zip(&nearest).map(|(layer, nearest)| *layer == UNKNOWN && *nearest == KNOWN);
        if found.clone().fold(false, |any, is_found| any | is_found) {
            front.extend(
                (first..).zip(found).filter(|(_, is_found)| *is_found).map(|(index, _)| index as u32),
            );
        }
    }
}

/// The mean of the neighbours in layers below this one.
#[inline]
fn mean_of_known<const D: usize>(
    values: &[f32],
    layers: &[u8],
    index: usize,
    strides: [usize; D],
    layer: u8,
) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for_each_neighbour(index, strides, |adjacent| {
        if layers[adjacent] < layer {
            sum += values[adjacent];
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
    fn a_constant_is_extrapolated_by_the_number_of_layers() {
        let grid = Grid::new([300, 20], [1.0; 2], [0.0; 2]).unwrap();
        let mut velocity = MacVelocity::<f32, 2>::new(grid, Condition::FreeSlip, 1).unwrap();
        velocity.components_mut().iter_mut().for_each(|field| field.fill(9.0));
        velocity[1][[280, 10]] = 5.0;
        let mut extrapolation = Extrapolation::default();
        extrapolation.extrapolate(velocity.components_mut(), 3, |_, at, row| {
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
