//! Cubic smoothing spline through a closed line [reinsch1967].
//!
//! Of all curves s with two continuous derivatives it is the one with the least
//!
//! ```text
//! Σ wᵢ |s(tᵢ) − pᵢ|² + λ ∫ |s″|² dt,   λ = ℓ⁴
//! ```
//!
//! with the knots tᵢ at the distances hᵢ of the points and wᵢ the mean of the two distances beside a point, so that the
//! density of points does not count: an undulation of wavenumber k is damped by 1/(1 + (ℓ k)⁴). The second derivatives γ at
//! the knots solve (R + λ Qᵀ W⁻¹ Q) γ = Qᵀ p, and s = p − λ W⁻¹ Q γ, where R is the cyclic tridiagonal matrix of the hat
//! functions and Qᵀ takes second differences. The system is cyclic, pentadiagonal and positive definite: all but two
//! unknowns are eliminated by L D Lᵀ, the last two by their Schur complement. With ℓ = 0 it interpolates.

/// A closed cubic spline in the plane with two continuous derivatives.
#[derive(Debug, Clone)]
pub struct ClosedSpline {
    /// Distances along the line; the last one is its length.
    knots: Vec<f64>,
    points: Vec<[f64; 2]>,
    /// Second derivatives at the knots.
    bends: Vec<[f64; 2]>,
}

impl ClosedSpline {
    /// The spline of at least five distinct points, smoothed over a length.
    pub fn smoothing(points: &[[f64; 2]], length: f64) -> ClosedSpline {
        let n = points.len();
        let steps: Vec<f64> = (0..n).map(|i| distance(points[i], points[(i + 1) % n])).collect();
        let lambda = length.powi(4);
        let matrix = SplineMatrix::new(&steps, lambda);
        let before = |i: usize| (i + n - 1) % n;
        // Qᵀ p, and the second derivatives
        let second_difference = |i: usize| {
            [0, 1].map(|axis: usize| {
                let rise = |i: usize| (points[(i + 1) % n][axis] - points[i][axis]) / steps[i];
                rise(i) - rise(before(i))
            })
        };
        let mut bends: Vec<[f64; 2]> = (0..n).map(second_difference).collect();
        matrix.solve(&mut bends);
        // s = p − λ W⁻¹ Q γ
        let smoothed = |i: usize| {
            let weight = 0.5 * (steps[before(i)] + steps[i]);
            [0, 1].map(|axis: usize| {
                let rise = |i: usize| (bends[(i + 1) % n][axis] - bends[i][axis]) / steps[i];
                points[i][axis] - lambda / weight * (rise(i) - rise(before(i)))
            })
        };
        let points = (0..n).map(smoothed).collect();
        let mut knots = vec![0.0];
        knots.extend(steps.iter().scan(0.0, |sum, step| {
            *sum += step;
            Some(*sum)
        }));
        ClosedSpline { knots, points, bends }
    }

    /// Length of the line through the points before smoothing, which is the range of the parameter.
    pub fn length(&self) -> f64 {
        self.knots.last().copied().unwrap_or(0.0)
    }

    /// Position and derivative at a distance along the line.
    pub fn at(&self, t: f64) -> ([f64; 2], [f64; 2]) {
        let n = self.points.len();
        let i = self.knots.partition_point(|&knot| knot <= t).clamp(1, n) - 1;
        let (h, next) = (self.knots[i + 1] - self.knots[i], (i + 1) % n);
        let b = (t - self.knots[i]) / h;
        let a = 1.0 - b;
        let position = |axis: usize| {
            let bend = (a * a * a - a) * self.bends[i][axis] + (b * b * b - b) * self.bends[next][axis];
            a * self.points[i][axis] + b * self.points[next][axis] + bend * h * h / 6.0
        };
        let derivative = |axis: usize| {
            let bend =
                (1.0 - 3.0 * a * a) * self.bends[i][axis] + (3.0 * b * b - 1.0) * self.bends[next][axis];
            (self.points[next][axis] - self.points[i][axis]) / h + bend * h / 6.0
        };
        ([position(0), position(1)], [derivative(0), derivative(1)])
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// R + λ Qᵀ W⁻¹ Q: entry (j, j + k) of the cyclic matrix is `bands[k][j]`.
struct SplineMatrix {
    bands: [Vec<f64>; 3],
}

impl SplineMatrix {
    fn new(steps: &[f64], lambda: f64) -> SplineMatrix {
        let n = steps.len();
        let h = |j: usize| steps[j % n];
        // λ/wⱼ, and the entries of column j of Q beside its diagonal, −1/hⱼ₋₁ − 1/hⱼ
        let stiffness = |j: usize| 2.0 * lambda / (h(j + n - 1) + h(j));
        let diagonal = |j: usize| -1.0 / h(j + n - 1) - 1.0 / h(j);
        let main = |j: usize| {
            let (low, high) = (1.0 / h(j + n - 1), 1.0 / h(j));
            (h(j + n - 1) + h(j)) / 3.0
                + stiffness(j + n - 1) * low * low
                + stiffness(j) * diagonal(j) * diagonal(j)
                + stiffness(j + 1) * high * high
        };
        let beside =
            |j: usize| h(j) / 6.0 + (stiffness(j) * diagonal(j) + stiffness(j + 1) * diagonal(j + 1)) / h(j);
        let beyond = |j: usize| stiffness(j + 1) / (h(j) * h(j + 1));
        SplineMatrix {
            bands: [(0..n).map(main).collect(), (0..n).map(beside).collect(), (0..n).map(beyond).collect()],
        }
    }

    /// Replaces two right-hand sides by the solution.
    fn solve(&self, sides: &mut [[f64; 2]]) {
        let [main, beside, beyond] = &self.bands;
        let inner = sides.len() - 2;
        // The columns of the last two unknowns, as two further right-hand sides
        let mut columns: Vec<[f64; 4]> = sides[..inner].iter().map(|&[x, y]| [x, y, 0.0, 0.0]).collect();
        columns[inner - 2][2] += beyond[inner - 2];
        columns[inner - 1][2] += beside[inner - 1];
        columns[inner - 1][3] += beyond[inner - 1];
        columns[0][2] += beyond[inner];
        columns[0][3] += beside[inner + 1];
        columns[1][3] += beyond[inner + 1];
        let coupling: Vec<[f64; 2]> = columns.iter().map(|&[_, _, first, last]| [first, last]).collect();
        solve_banded([&main[..inner], &beside[..inner - 1], &beyond[..inner - 2]], &mut columns);
        // Schur complement of the last two
        let mut schur = [[main[inner], beside[inner]], [beside[inner], main[inner + 1]]];
        let mut rest = [sides[inner], sides[inner + 1]];
        for (row, solved) in coupling.iter().zip(&columns) {
            for i in 0..2 {
                for j in 0..2 {
                    schur[i][j] -= row[i] * solved[2 + j];
                    rest[i][j] -= row[i] * solved[j];
                }
            }
        }
        let determinant = schur[0][0] * schur[1][1] - schur[0][1] * schur[1][0];
        let last = [0, 1].map(|axis: usize| {
            let [a, b] = [rest[0][axis], rest[1][axis]];
            [
                (schur[1][1] * a - schur[0][1] * b) / determinant,
                (schur[0][0] * b - schur[1][0] * a) / determinant,
            ]
        });
        for (side, solved) in sides.iter_mut().zip(&columns) {
            *side = [0, 1]
                .map(|axis: usize| solved[axis] - solved[2] * last[axis][0] - solved[3] * last[axis][1]);
        }
        sides[inner] = [last[0][0], last[1][0]];
        sides[inner + 1] = [last[0][1], last[1][1]];
    }
}

/// Solves a symmetric positive definite pentadiagonal system for four right-hand sides by L D Lᵀ.
fn solve_banded([main, beside, beyond]: [&[f64]; 3], sides: &mut [[f64; 4]]) {
    let n = main.len();
    let (mut pivots, mut near, mut far) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        // Row i of L has far[i] two to the left of its diagonal and near[i] one to the left
        far[i] = if i >= 2 { beyond[i - 2] / pivots[i - 2] } else { 0.0 };
        let carried = if i >= 2 { far[i] * pivots[i - 2] * near[i - 1] } else { 0.0 };
        near[i] = if i >= 1 { (beside[i - 1] - carried) / pivots[i - 1] } else { 0.0 };
        let from_near = if i >= 1 { near[i] * near[i] * pivots[i - 1] } else { 0.0 };
        let from_far = if i >= 2 { far[i] * far[i] * pivots[i - 2] } else { 0.0 };
        pivots[i] = main[i] - from_near - from_far;
        for side in 0..4 {
            let before = if i >= 1 { near[i] * sides[i - 1][side] } else { 0.0 };
            let earlier = if i >= 2 { far[i] * sides[i - 2][side] } else { 0.0 };
            sides[i][side] -= before + earlier;
        }
    }
    for i in (0..n).rev() {
        for side in 0..4 {
            let after = if i + 1 < n { near[i + 1] * sides[i + 1][side] } else { 0.0 };
            let later = if i + 2 < n { far[i + 2] * sides[i + 2][side] } else { 0.0 };
            sides[i][side] = sides[i][side] / pivots[i] - after - later;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn ring(n: usize, radius: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        // Points at uneven distances
        let angle = |i: usize| TAU * (i as f64 + 0.3 * (i as f64 * 1.7).sin()) / n as f64;
        (0..n).map(|i| [radius(angle(i)) * angle(i).cos(), radius(angle(i)) * angle(i).sin()]).collect()
    }

    #[test]
    fn without_smoothing_it_runs_through_the_points_with_even_curvature() {
        let points = ring(40, |_| 2.0);
        let spline = ClosedSpline::smoothing(&points, 0.0);
        for (i, point) in points.iter().enumerate() {
            assert!(distance(spline.at(spline.knots[i]).0, *point) < 1e-12);
        }
        // Between them it is fourth-order accurate; first and second derivative are continuous
        let worst = (0..1000).map(|i| spline.at(spline.length() * f64::from(i) / 1000.0).0);
        let worst = worst.map(|at| (at[0].hypot(at[1]) - 2.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-3 * TAU.powi(4) / 40.0_f64.powi(2), "{worst}");
        for knot in &spline.knots[1..40] {
            let (before, after) = (spline.at(knot - 1e-9).1, spline.at(knot + 1e-9).1);
            assert!(distance(before, after) < 1e-7);
        }
    }

    #[test]
    fn undulations_are_damped_by_their_length() {
        // Waves along a long circle are nearly those along a line: 1/(1 + (ℓ k)⁴)
        for (waves, length) in [(20.0, 0.25), (40.0, 0.25), (60.0, 0.25), (20.0, 0.5)] {
            let (radius, height) = (10.0, 0.02);
            let points = ring(1200, |angle| radius + height * (waves * angle).cos());
            let spline = ClosedSpline::smoothing(&points, length);
            let amplitude = |at: &[f64; 2]| {
                let angle = at[1].atan2(at[0]);
                2.0 * (at[0].hypot(at[1]) - radius) * (waves * angle).cos()
            };
            let mean = spline.points.iter().map(amplitude).sum::<f64>() / 1200.0;
            let expected = height / (1.0 + (length * waves / radius).powi(4));
            assert!((mean / expected - 1.0).abs() < 0.02, "{waves} waves: {mean} for {expected}");
        }
    }

    #[test]
    fn the_solution_fits_the_matrix() {
        let steps = [0.3, 1.0, 0.2, 0.7, 0.5, 0.9, 0.4, 0.6, 0.8];
        for lambda in [0.0, 0.01, 100.0] {
            let matrix = SplineMatrix::new(&steps, lambda);
            let wanted: Vec<[f64; 2]> = (0..9).map(|i| [f64::from(i).sin(), f64::from(i * i % 5)]).collect();
            let mut sides = vec![[0.0; 2]; 9];
            for j in 0..9 {
                for k in 0..3 {
                    let entry = matrix.bands[k][j];
                    for axis in 0..2 {
                        sides[j][axis] += entry * wanted[(j + k) % 9][axis];
                        if k > 0 {
                            sides[(j + k) % 9][axis] += entry * wanted[j][axis];
                        }
                    }
                }
            }
            matrix.solve(&mut sides);
            let worst = sides.iter().zip(&wanted).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{worst}");
        }
    }
}
