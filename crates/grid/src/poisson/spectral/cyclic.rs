//! Cyclic reduction of tridiagonal systems [hockney1965].
//!
//! Every other unknown is eliminated from its two neighbours, which leaves a tridiagonal system of half the size; and
//! so on until one unknown is left, then all the way back. Sixteen systems are reduced side by side. They differ in
//! their diagonal, and come from waves across the other axes: the long ones are nearly singular, so all is done in
//! double precision.

use crate::value::Real;

/// Systems that are reduced side by side.
pub(super) const LINES: usize = 16;

/// One number of each system.
pub(super) type LineBatch<T> = [T; LINES];

/// Sixteen systems −w x[j−1] + d[j] x[j] − w x[j+1] = f[j].
pub(super) struct Systems<'a> {
    /// Coefficient of the unknown before, of the unknown itself, of the one after, and the right-hand side; each as long
    /// as the line.
    pub before: &'a mut [LineBatch<f64>],
    pub own: &'a mut [LineBatch<f64>],
    pub after: &'a mut [LineBatch<f64>],
    pub right: &'a mut [LineBatch<f64>],
}

impl Systems<'_> {
    /// Solves; the unknowns replace the right-hand sides.
    #[inline(always)]
    pub fn solve(&mut self) {
        let length = self.own.len();
        let mut step = 1;
        while step < length {
            for j in (2 * step - 1..length).step_by(2 * step) {
                self.eliminate(j, step);
            }
            step *= 2;
        }
        while step >= 1 {
            for j in (step - 1..length).step_by(2 * step) {
                self.substitute(j, step);
            }
            step /= 2;
        }
    }

    /// Eliminates the unknowns `step` before and after from equation j.
    #[inline(always)]
    fn eliminate(&mut self, j: usize, step: usize) {
        let low = j - step;
        let high = Some(j + step).filter(|&high| high < self.own.len());
        for line in 0..LINES {
            let factor = self.before[j][line] / self.own[low][line];
            self.own[j][line] -= factor * self.after[low][line];
            self.right[j][line] -= factor * self.right[low][line];
            self.before[j][line] = -factor * self.before[low][line];
        }
        let Some(high) = high else { return };
        for line in 0..LINES {
            let factor = self.after[j][line] / self.own[high][line];
            self.own[j][line] -= factor * self.before[high][line];
            self.right[j][line] -= factor * self.right[high][line];
            self.after[j][line] = -factor * self.after[high][line];
        }
    }

    #[inline(always)]
    fn substitute(&mut self, j: usize, step: usize) {
        let high = Some(j + step).filter(|&high| high < self.own.len());
        for line in 0..LINES {
            let mut rest = self.right[j][line];
            if j >= step {
                rest -= self.before[j][line] * self.right[j - step][line];
            }
            if let Some(high) = high {
                rest -= self.after[j][line] * self.right[high][line];
            }
            self.right[j][line] = rest / self.own[j][line];
        }
    }
}

/// Coefficients shared by the systems along the last axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisCoupling {
    /// Coupling of neighbours.
    pub weight: f64,
    /// Contribution of a side to the diagonal of the cell at it, in couplings: zero for Neumann, two for Dirichlet.
    pub ends: [f64; 2],
}

impl AxisCoupling {
    /// Solves the sixteen systems whose diagonals are raised by `raised`, in place. A system that is raised by nothing
    /// between closed ends is singular: its mean is taken out, and it is pinned at its first cell.
    #[inline(always)]
    pub fn solve<T: Real>(
        &self,
        raised: &[f64; LINES],
        lines: &mut [LineBatch<T>],
        spare: &mut [LineBatch<f64>],
    ) {
        let length = lines.len();
        let (first, second) = spare[..4 * length].split_at_mut(2 * length);
        let ((before, own), (after, right)) = (first.split_at_mut(length), second.split_at_mut(length));
        // Assemble the rows −w x[j−1] + d[j] x[j] − w x[j+1] = f[j]
        for j in 0..length {
            let (is_first, is_last) = (j == 0, j + 1 == length);
            let low = if is_first { self.ends[0] } else { 1.0 };
            let high = if is_last { self.ends[1] } else { 1.0 };
            for line in 0..LINES {
                own[j][line] = self.weight * (low + high) + raised[line];
                right[j][line] = lines[j][line].to_f64();
            }
            before[j] = [if is_first { 0.0 } else { -self.weight }; LINES];
            after[j] = [if is_last { 0.0 } else { -self.weight }; LINES];
        }
        // Make singular systems solvable: remove the mean, pin the first cell
        for line in 0..LINES {
            if raised[line] == 0.0 && self.ends == [0.0; 2] {
                let mean = right.iter().map(|right| right[line]).sum::<f64>() / length as f64;
                right.iter_mut().for_each(|right| right[line] -= mean);
                own[0][line] += self.weight;
            }
        }
        Systems { before, own, after, right: &mut *right }.solve();
        for (line, right) in lines.iter_mut().zip(right) {
            line.iter_mut().zip(right).for_each(|(value, right)| *value = T::from_f64(*right));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_solved() {
        for length in 1..40 {
            for ends in [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]] {
                let axis = AxisCoupling { weight: 3.0, ends };
                let raised: [f64; LINES] = std::array::from_fn(|line| line as f64);
                let wanted = |j: usize, line: usize| ((j * 3 + line) as f64).sin();
                let right = |j: usize, line: usize| {
                    let below = if j == 0 { (ends[0], 0.0) } else { (1.0, wanted(j - 1, line)) };
                    let above = if j + 1 == length { (ends[1], 0.0) } else { (1.0, wanted(j + 1, line)) };
                    let pulled = 3.0 * (below.0 + above.0) + raised[line];
                    pulled * wanted(j, line) - 3.0 * (below.1 + above.1)
                };
                let mut lines: Vec<LineBatch<f64>> =
                    (0..length).map(|j| std::array::from_fn(|line| right(j, line))).collect();
                axis.solve(&raised, &mut lines, &mut vec![[0.0; LINES]; 4 * length]);
                for line in 0..LINES {
                    // Known up to a constant when nothing is raised
                    let shift = if line == 0 && ends == [0.0; 2] { lines[0][0] - wanted(0, 0) } else { 0.0 };
                    for j in 0..length {
                        let error = (lines[j][line] - shift - wanted(j, line)).abs();
                        assert!(error < 1e-9, "{length} {ends:?} {line}: {error}");
                    }
                }
            }
        }
    }
}
