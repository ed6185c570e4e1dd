//! Types of validation cases and benchmarks. Independent of any model.
//!
//! A [`Case`] compares a solver with an exact solution or a published table and records each error, with a [`Target`]
//! where one was set before measuring; every value also has a baseline, what it was before ([`outcome`]). A
//! [`Bench`] measures a speed and records it with a limit of the machine. Both lie beside the code that they measure, in
//! files `validation.rs` and `bench.rs` compiled with the feature `checks` of their crate, and form a [`Suite`]: one per
//! model in its entry, and a list `SUITES` in every other crate that has some.
//!
//! ```
//! use undine_checks::{Case, Checks, Suite, Target, Worst};
//!
//! fn half(checks: &mut Checks) -> anyhow::Result<()> {
//!     let mut worst = Worst::default();
//!     worst.compare(1.0 / 2.0, 0.5);
//!     checks.at_most("half of one, error", worst.value(), Target::exact(1e-15, "arithmetic"));
//!     Ok(())
//! }
//!
//! static HALF: Case = Case { name: "numbers/half", is_quick: true, is_chaotic: false, run: half };
//! static SUITE: Suite = Suite { cases: &[HALF], ..Suite::NONE };
//!
//! let mut checks = Checks::default();
//! (SUITE.cases[0].run)(&mut checks)?;
//! assert!(checks.done().iter().all(|check| check.holds() == Some(true)));
//! # Ok::<(), anyhow::Error>(())
//! ```

#[cfg(feature = "args")]
pub mod args;
mod bench;
mod case;
mod curve;
mod oscillation;
pub mod outcome;
pub mod perturbation;
pub mod record;
mod table;
mod target;
#[cfg(feature = "args")]
pub mod terminal;
mod worst;

pub use bench::{Bench, Figure, FigureTable, Figures, best_of};
pub use case::{Case, Check, Checks, Sense, measured, order_of_convergence};
pub use curve::Curve;
pub use oscillation::Oscillation;
pub use table::ExpectedTable;
pub use target::{Target, TargetKind};
pub use worst::{ErrorSums, Norms, Worst};

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
