//! Adaptive quadrature of a number that changes in time, with breaks where it jumps.
//!
//! ∫ x dt is the sum over pieces of the interval. A piece in which x may jump or be undefined, by interval arithmetic, is
//! halved until it is 2⁻⁴⁸ of the whole: such a piece counts with the mean of its ends. On all others x is continuous and
//! the 15-point Kronrod rule applies, with the 7-point Gauss rule as its error estimate [piessens1983]; a piece
//! is halved while they differ by more than 1e-8 of ∫ |x| dt, or while its bounds leave room for a peak between the nodes.

use crate::interval::Interval;
use crate::problem::Problem;

/// Difference of the two rules relative to ∫ |x| dt at which a piece is accepted.
const TOLERANCE: f64 = 1e-8;
/// The fraction of the whole interval below which a piece is not halved.
const SMALLEST: f64 = 1.0 / (1_u64 << 48) as f64;
/// The most pieces that may be pending: halving to [`SMALLEST`] needs 48.
const DEPTH: usize = 64;
/// The most pieces that are looked at.
const MOST_PIECES: usize = 20_000;
/// The most pieces that are halved only because a peak may hide between their nodes.
const MOST_SEARCHES: usize = 128;
/// Ratio of the bounds of a piece to the spread of its samples above which a peak may hide.
const PEAK_RATIO: f64 = 16.0;

/// Nodes of the Kronrod rule on [−1, 1]: all but the middle one stand for ± themselves. Every second is one of Gauss.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_5,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
/// Weights of the Kronrod rule.
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_56,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
/// Weights of the Gauss rule, at every second node.
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_64, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// A function of time to integrate.
pub(crate) trait Integrand {
    /// Its value; an error where it has none that may be used.
    fn value(&self, t: f64) -> Result<f64, Problem>;

    /// Bounds of its values from one time to another.
    fn bounds(&self, from: f64, to: f64) -> Interval;
}

/// A piece whose integral is known.
struct Piece {
    integral: f64,
    /// ∫ |x| dt.
    magnitude: f64,
}

/// ∫ x dt from one time to a later one; none where it changes too often.
pub(crate) fn integrate(integrand: &impl Integrand, from: f64, to: f64) -> Result<Option<f64>, Problem> {
    let mut quadrature =
        Quadrature { integrand, smallest: SMALLEST * (to - from), searches: 0, magnitude: 0.0 };
    // The ends of the pending pieces, the next one last; the next one starts at `start`
    let mut ends = [to; DEPTH];
    let (mut pending, mut start, mut sum) = (1, from, 0.0);
    for _ in 0..MOST_PIECES {
        let end = ends[pending - 1];
        let middle = start + 0.5 * (end - start);
        match quadrature.piece(start, middle, end, pending < DEPTH)? {
            Some(piece) => {
                sum += piece.integral;
                quadrature.magnitude += piece.magnitude;
                start = end;
                pending -= 1;
            }
            None => {
                ends[pending] = middle;
                pending += 1;
            }
        }
        if pending == 0 {
            return Ok(Some(sum));
        }
    }
    Ok(None)
}

struct Quadrature<'a, I> {
    integrand: &'a I,
    /// Length of the shortest piece.
    smallest: f64,
    /// Pieces halved so far in search of peaks.
    searches: usize,
    /// ∫ |x| dt of the pieces so far.
    magnitude: f64,
}

impl<I: Integrand> Quadrature<'_, I> {
    /// The integral over a piece; none when it must be halved.
    fn piece(&mut self, start: f64, middle: f64, end: f64, has_room: bool) -> Result<Option<Piece>, Problem> {
        let width = end - start;
        let can_halve = has_room && width > self.smallest && start < middle && middle < end;
        let bounds = self.integrand.bounds(start, end);
        // One value throughout: exact
        if bounds.is_point() {
            let integral = width * self.integrand.value(middle)?;
            return Ok(Some(Piece { integral, magnitude: integral.abs() }));
        }
        // A break somewhere inside
        if bounds.has_break {
            if can_halve {
                self.integrand.value(middle)?;
                return Ok(None);
            }
            let integral = 0.5 * width * (self.integrand.value(start)? + self.integrand.value(end)?);
            return Ok(Some(Piece { integral, magnitude: integral.abs() }));
        }
        // Continuous
        let rules = self.gauss_kronrod(start, middle, end)?;
        let scale = rules.magnitude.max(1e-3 * self.magnitude);
        let is_accurate = (rules.kronrod - rules.gauss).abs() <= TOLERANCE * scale;
        let spread = bounds.high - bounds.low;
        let may_hide_peak = spread > PEAK_RATIO * rules.spread
            && spread * width > TOLERANCE * scale
            && self.searches < MOST_SEARCHES;
        if can_halve && (!is_accurate || may_hide_peak) {
            self.searches += usize::from(is_accurate);
            return Ok(None);
        }
        Ok(Some(Piece { integral: rules.kronrod, magnitude: rules.magnitude }))
    }

    /// Both rules on a piece.
    fn gauss_kronrod(&self, start: f64, middle: f64, end: f64) -> Result<Rules, Problem> {
        let half = 0.5 * (end - start);
        let mut rules = Rules { kronrod: 0.0, gauss: 0.0, magnitude: 0.0, spread: 0.0 };
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (index, node) in NODES.into_iter().enumerate() {
            let (distance, weight) = (half * node, half * KRONROD[index]);
            let times = [middle - distance, middle + distance];
            for time in &times[..if node == 0.0 { 1 } else { 2 }] {
                let value = self.integrand.value(*time)?;
                rules.kronrod += weight * value;
                rules.magnitude += weight * value.abs();
                if index % 2 == 1 {
                    rules.gauss += half * GAUSS[index / 2] * value;
                }
                (least, greatest) = (least.min(value), greatest.max(value));
            }
        }
        rules.spread = greatest - least;
        Ok(rules)
    }
}

/// The two rules on a piece, ∫ |x| dt, and the spread of the samples.
struct Rules {
    kronrod: f64,
    gauss: f64,
    magnitude: f64,
    spread: f64,
}
