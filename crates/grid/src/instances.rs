//! Code that is compiled once, in this crate, for every number type and dimension.
//!
//! A generic function is compiled anew in every crate that calls it. For the large families of this crate (Poisson
//! solvers, advection) that cost minutes. So their work stands behind a trait object per (T, D), and a table holds these
//! objects: the compiler makes their code here, and a caller with generic T and D finds its own by type.

use std::any::Any;

/// An object of a table, for a type that the caller does not name concretely.
pub(crate) type InstanceEntry = &'static (dyn Any + Send + Sync);

/// The object of type `I` in a table.
///
/// # Panics
/// When there is none. Numbers are sealed to `f32` and `f64`, and [`table`] asserts the dimension when it is compiled.
pub(crate) fn find<I: Copy + 'static>(table: &[InstanceEntry]) -> I {
    let found = table.iter().find_map(|entry| entry.downcast_ref::<I>());
    *found.expect("every number type in one to three dimensions is in the table")
}

/// Defines `fn $find<T, D>() -> &'static dyn $family<T, D>`, with `$object` behind every type.
macro_rules! table {
    ($find:ident, $family:ident, $object:ident) => {
        static TABLE: [$crate::instances::InstanceEntry; 6] = [
            &(&$object as &'static dyn $family<f32, 1>),
            &(&$object as &'static dyn $family<f32, 2>),
            &(&$object as &'static dyn $family<f32, 3>),
            &(&$object as &'static dyn $family<f64, 1>),
            &(&$object as &'static dyn $family<f64, 2>),
            &(&$object as &'static dyn $family<f64, 3>),
        ];

        /// The code for a number type and a dimension.
        pub(crate) fn $find<T: $crate::Real, const D: usize>() -> &'static dyn $family<T, D> {
            const { assert!(D >= 1 && D <= 3, "there is code for one to three dimensions") };
            $crate::instances::find(&TABLE)
        }
    };
}

pub(crate) use table;
