//! Types of validation cases and benchmarks. Independent of any model.
//!
//! A [`Case`] compares a solver with an exact solution or a published table and records each error with its bound; a
//! [`Bench`] measures a speed and records it with a limit of the machine. Both lie beside the code that they measure, in
//! files `validation.rs` and `bench.rs` compiled with the feature `checks` of their crate, and form a [`Suite`]: one per
//! model in its entry, and a list `SUITES` in every other crate that has some.
//!
//! ```
//! use undine_checks::{Case, Checks, Suite};
//!
//! fn half(checks: &mut Checks) -> anyhow::Result<()> {
//!     checks.at_most("half of one, error", (0.5f64 - 1.0 / 2.0).abs(), 1e-15, "arithmetic");
//!     Ok(())
//! }
//!
//! static SUITE: Suite =
//!     Suite { cases: &[Case { name: "numbers/half", is_quick: true, run: half }], ..Suite::NONE };
//!
//! let mut checks = Checks::default();
//! (SUITE.cases[0].run)(&mut checks)?;
//! assert!(checks.done().iter().all(|check| check.is_ok()));
//! # Ok::<(), anyhow::Error>(())
//! ```

#[cfg(feature = "args")]
pub mod args;
mod bench;
mod case;
mod oscillation;
mod table;
#[cfg(feature = "args")]
pub mod terminal;

pub use bench::{Bench, Figure, Figures, best_of};
pub use case::{Case, Check, Checks};
pub use oscillation::Oscillation;
pub use table::ExpectedTable;

/// The cases and benchmarks of a model, or of a part of a crate.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The cases.
    pub cases: &'static [Case],
    /// The benchmarks.
    pub benches: &'static [Bench],
}

impl Suite {
    /// No case and no benchmark.
    pub const NONE: Suite = Suite { cases: &[], benches: &[] };
}
