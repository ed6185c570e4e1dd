//! Curves that a report draws: measured against a table, and errors over the number of cells.

/// A measured curve beside the expected one.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Title.
    pub name: String,
    /// Label of the horizontal axis.
    pub across: &'static str,
    /// Label of the vertical axis.
    pub upward: &'static str,
    /// Measured points.
    pub found: Vec<[f64; 2]>,
    /// Points of the table or of the exact solution; of a convergence, the line of the order that is required.
    pub expected: Vec<[f64; 2]>,
    /// Whether both axes are logarithmic.
    pub is_logarithmic: bool,
}

impl Curve {
    /// Errors over the number of cells along an edge, beside the line through the first with the order `order`.
    pub fn convergence(name: &str, errors: &[(usize, f64)], order: f64) -> Curve {
        let found: Vec<[f64; 2]> = errors.iter().map(|&(cells, error)| [cells as f64, error]).collect();
        let start = found.first().copied().unwrap_or([1.0, 1.0]);
        let line =
            found.iter().map(|&[cells, _]| [cells, start[1] * (start[0] / cells).powf(order)]).collect();
        Curve {
            name: name.to_owned(),
            across: "cells along an edge",
            upward: "error",
            found,
            expected: line,
            is_logarithmic: true,
        }
    }

    /// A measured curve beside a table.
    pub fn against_table(
        name: impl Into<String>,
        [across, upward]: [&'static str; 2],
        found: Vec<[f64; 2]>,
        expected: Vec<[f64; 2]>,
    ) -> Curve {
        Curve { name: name.into(), across, upward, found, expected, is_logarithmic: false }
    }
}

#[cfg(test)]
mod tests {
    use super::Curve;

    #[test]
    fn the_line_of_a_convergence_falls_with_its_order() {
        let curve = Curve::convergence("order", &[(10, 1.0), (20, 0.3), (40, 0.1)], 2.0);
        assert_eq!(curve.expected, [[10.0, 1.0], [20.0, 0.25], [40.0, 0.0625]]);
    }
}
