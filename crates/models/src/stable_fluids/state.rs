//! Saving a fluid and taking it up again.

use std::io;

use undine_grid::{Field, FieldError};
use undine_sim::Writer;

/// Takes single-precision samples that were saved.
pub(super) fn copy_singles<const D: usize>(field: &mut Field<f32, D>, values: &[f32]) -> io::Result<()> {
    field.copy_from(values).map_err(refused)
}

/// Takes samples that were saved.
pub(super) fn copy_numbers<const D: usize>(field: &mut Field<f64, D>, values: &[f64]) -> io::Result<()> {
    field.copy_from(values).map_err(refused)
}

fn refused(error: FieldError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Writes the samples of a field.
pub(super) fn save_numbers<const D: usize>(
    to: &mut Writer<'_>,
    name: &'static str,
    field: &Field<f64, D>,
) -> io::Result<()> {
    to.numbers(name, &field.to_dense())
}
