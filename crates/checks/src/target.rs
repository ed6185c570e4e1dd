//! Targets: bounds that were set before anything was measured.

/// Origin of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// An exact solution, an identity, or the precision of the numbers.
    Exact,
    /// The order of the scheme.
    Order,
    /// A published value or error.
    Published,
    /// A requirement of this project.
    Ours,
}

impl TargetKind {
    /// All of them.
    pub const ALL: [TargetKind; 4] =
        [TargetKind::Exact, TargetKind::Order, TargetKind::Published, TargetKind::Ours];

    /// Its name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::Exact => "exact",
            TargetKind::Order => "order",
            TargetKind::Published => "published",
            TargetKind::Ours => "ours",
        }
    }

    /// The kind of this name.
    pub fn by_name(name: &str) -> Option<TargetKind> {
        TargetKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A bound that a value should keep, with its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The greatest value that holds, or the least for [`crate::Checks::at_least`].
    pub bound: f64,
    /// Where the bound comes from.
    pub kind: TargetKind,
    /// The equation, the publication with table or file, or the reason.
    pub source: &'static str,
}

impl Target {
    /// A bound by an exact solution, an identity, or the precision of the numbers.
    pub const fn exact(bound: f64, source: &'static str) -> Target {
        Target { bound, kind: TargetKind::Exact, source }
    }

    /// A bound by the order of the scheme.
    pub const fn order(bound: f64, source: &'static str) -> Target {
        Target { bound, kind: TargetKind::Order, source }
    }

    /// A published value or error.
    pub const fn published(bound: f64, source: &'static str) -> Target {
        Target { bound, kind: TargetKind::Published, source }
    }

    /// A requirement of this project, set before measuring.
    pub const fn ours(bound: f64, source: &'static str) -> Target {
        Target { bound, kind: TargetKind::Ours, source }
    }
}
