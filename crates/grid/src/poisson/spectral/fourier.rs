//! The fast Fourier transform of many lines side by side.
//!
//! Stockham's form [cochran1967]: each pass reads one array and writes another in the order that the next pass wants,
//! so nothing needs to be sorted. A pass splits a factor off the length; factors 4 and 2 have butterflies of their own,
//! any other factor p takes p² products. Eight lines are transformed at once, which fills a register of AVX2; the same
//! operations run in the same order on any machine, so the bits are equal.

use crate::value::Real;

/// Lines that are transformed at once.
pub(super) const LANES: usize = 8;

/// One number of each line.
pub(super) type Lane<T> = [T; LANES];

/// Real and imaginary parts of a value of each line, along the line.
pub(super) struct Complex<'a, T> {
    pub re: &'a mut [Lane<T>],
    pub im: &'a mut [Lane<T>],
}

/// Transforms lines of one length.
#[derive(Debug, Clone)]
pub(super) struct Fourier<T> {
    factors: Vec<usize>,
    /// exp(−2πi k/n) as cosine and minus sine.
    roots: Vec<[T; 2]>,
}

impl<T: Real> Fourier<T> {
    /// For lines of `length`.
    pub fn new(length: usize) -> Self {
        let root = |k: usize| {
            let angle = -std::f64::consts::TAU * k as f64 / length as f64;
            [T::from_f64(angle.cos()), T::from_f64(angle.sin())]
        };
        Fourier { factors: factors(length), roots: (0..length).map(root).collect() }
    }

    /// X[k] = Σ x[j] exp(−2πi jk/n), in place; `spare` has the same length.
    #[inline(always)]
    pub fn transform(&self, values: Complex<'_, T>, spare: Complex<'_, T>) {
        let (mut from, mut to) = (values, spare);
        let (mut rest, mut done) = (self.roots.len(), 1);
        for &factor in &self.factors {
            rest /= factor;
            match factor {
                4 => self.pass_4(&from, &mut to, rest, done),
                2 => self.pass_2(&from, &mut to, rest, done),
                _ => self.pass_any(&from, &mut to, factor, rest, done),
            }
            done *= factor;
            std::mem::swap(&mut from, &mut to);
        }
        if self.factors.len() % 2 == 1 {
            // The result is where the spare numbers were
            to.re.copy_from_slice(from.re);
            to.im.copy_from_slice(from.im);
        }
    }

    #[inline(always)]
    fn pass_2(&self, from: &Complex<'_, T>, to: &mut Complex<'_, T>, rest: usize, done: usize) {
        for q in 0..rest {
            let twiddle = self.roots[q * done];
            for k in 0..done {
                let [a, b] = [0, 1].map(|part| from.at(k + done * (q + rest * part)));
                to.put(k + done * 2 * q, add(a, b));
                to.put(k + done * (2 * q + 1), turn(subtract(a, b), twiddle));
            }
        }
    }

    #[inline(always)]
    fn pass_4(&self, from: &Complex<'_, T>, to: &mut Complex<'_, T>, rest: usize, done: usize) {
        for q in 0..rest {
            let [w1, w2, w3] = [1, 2, 3].map(|r| self.roots[q * done * r]);
            for k in 0..done {
                let a = from.at(k + done * q);
                let b = from.at(k + done * (q + rest));
                let c = from.at(k + done * (q + 2 * rest));
                let d = from.at(k + done * (q + 3 * rest));
                let (even_sum, even_difference) = (add(a, c), subtract(a, c));
                let (odd_sum, odd_difference) = (add(b, d), subtract(b, d));
                let place = k + done * 4 * q;
                to.put(place, add(even_sum, odd_sum));
                to.put(place + done, turn(subtract_i(even_difference, odd_difference), w1));
                to.put(place + 2 * done, turn(subtract(even_sum, odd_sum), w2));
                to.put(place + 3 * done, turn(add_i(even_difference, odd_difference), w3));
            }
        }
    }

    #[inline(always)]
    fn pass_any(
        &self,
        from: &Complex<'_, T>,
        to: &mut Complex<'_, T>,
        factor: usize,
        rest: usize,
        done: usize,
    ) {
        let length = self.roots.len();
        for q in 0..rest {
            for r in 0..factor {
                for k in 0..done {
                    let mut sum = from.at(k + done * q);
                    for part in 1..factor {
                        let root = self.roots[part * r % factor * (length / factor)];
                        sum = add(sum, turn(from.at(k + done * (q + rest * part)), root));
                    }
                    to.put(k + done * (factor * q + r), turn(sum, self.roots[q * done * r % length]));
                }
            }
        }
    }
}

/// Fours first, then what is left.
fn factors(mut length: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    let mut factor = 4;
    while length > 1 {
        while length.is_multiple_of(factor) {
            factors.push(factor);
            length /= factor;
        }
        factor = match factor {
            4 => 2,
            2 => 3,
            _ if factor * factor > length => length.max(2),
            _ => factor + 2,
        };
    }
    factors
}

type Pair<T> = [Lane<T>; 2];

impl<T: Real> Complex<'_, T> {
    #[inline(always)]
    fn at(&self, place: usize) -> Pair<T> {
        [self.re[place], self.im[place]]
    }

    #[inline(always)]
    fn put(&mut self, place: usize, [re, im]: Pair<T>) {
        self.re[place] = re;
        self.im[place] = im;
    }
}

#[inline(always)]
pub(super) fn each<T: Real>(value: impl Fn(usize) -> T) -> Lane<T> {
    let mut lane = [T::zeroed(); LANES];
    for line in 0..LANES {
        lane[line] = value(line);
    }
    lane
}

#[inline(always)]
fn add<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [each(|line| a[line] + c[line]), each(|line| b[line] + d[line])]
}

#[inline(always)]
fn subtract<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [each(|line| a[line] - c[line]), each(|line| b[line] - d[line])]
}

/// a + i b.
#[inline(always)]
fn add_i<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [each(|line| a[line] - d[line]), each(|line| b[line] + c[line])]
}

/// a − i b.
#[inline(always)]
fn subtract_i<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [each(|line| a[line] + d[line]), each(|line| b[line] - c[line])]
}

/// The product with a root of one.
#[inline(always)]
fn turn<T: Real>([a, b]: Pair<T>, [cos, sin]: [T; 2]) -> Pair<T> {
    [each(|line| a[line] * cos - b[line] * sin), each(|line| a[line] * sin + b[line] * cos)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_agrees_with_the_sum() {
        for length in (1..=40).chain([64, 97, 100, 128]) {
            let value = |j: usize, lane: usize| ((j * 7 + lane * 3 + 1) as f64).sin();
            let mut re: Vec<Lane<f64>> = (0..length).map(|j| each(|lane| value(j, lane))).collect();
            let mut im: Vec<Lane<f64>> = (0..length).map(|j| each(|lane| value(j + 1000, lane))).collect();
            let (mut spare_re, mut spare_im) = (re.clone(), im.clone());
            let (given_re, given_im) = (re.clone(), im.clone());
            Fourier::new(length).transform(
                Complex { re: &mut re, im: &mut im },
                Complex { re: &mut spare_re, im: &mut spare_im },
            );
            for k in 0..length {
                let (mut wanted_re, mut wanted_im) = (0.0, 0.0);
                for j in 0..length {
                    let angle = -std::f64::consts::TAU * (j * k % length) as f64 / length as f64;
                    wanted_re += given_re[j][5] * angle.cos() - given_im[j][5] * angle.sin();
                    wanted_im += given_re[j][5] * angle.sin() + given_im[j][5] * angle.cos();
                }
                let error = (re[k][5] - wanted_re).abs() + (im[k][5] - wanted_im).abs();
                assert!(error < 1e-11 * length as f64, "{length} {k}: {error}");
            }
        }
    }
}
