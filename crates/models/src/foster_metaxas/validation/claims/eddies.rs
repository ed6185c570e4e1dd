//! Eddies behind a submerged rock.

use undine_checks::{Checks, Target, Worst, measured};
use undine_frame::Quantity;
use undine_sim::Runner;

use super::field;
use crate::checks::build;

const CASE: &str = include_str!("../../../../../../validation/foster-metaxas/eddies/case.toml");
const ROCK: &str = "[[obstacle]]\nkind = 'box'\nat = [0.6375, 0.6, 0.1125]\nsize = [0.15, 0.3, 0.225]\n";
const CURRENT: f64 = 0.25;
const ROCK_WIDTH: f64 = 0.3;
/// Edge of a cell, the layer at half the height of the rock, and the columns behind it that are searched.
const CELL: f64 = 0.0375;
const LAYER: usize = 3;
const FIRST_COLUMN: usize = 19;
const LAST_COLUMN: usize = 60;
/// The fewest cells of an eddy.
const FEWEST: usize = 4;

/// What is found behind the rock.
struct Wake {
    /// Eddies of positive and of negative vorticity.
    eddies: [usize; 2],
    /// The greatest speed against the current.
    backward: f64,
}

impl Wake {
    fn of(runner: &Runner) -> anyhow::Result<Wake> {
        let ([width, rows, _], velocity) = field(runner, Quantity::Velocity)?;
        let speed = |[column, row]: [usize; 2], axis: usize| {
            f64::from(velocity[3 * (column + width * (row + rows * LAYER)) + axis])
        };
        let cells =
            || (1..rows - 1).flat_map(|row| (FIRST_COLUMN..LAST_COLUMN).map(move |column| [column, row]));
        // ∂v/∂x − ∂u/∂y about the vertical
        let vorticity = |[column, row]: [usize; 2]| {
            let across = speed([column + 1, row], 1) - speed([column - 1, row], 1);
            (across - speed([column, row + 1], 0) + speed([column, row - 1], 0)) / (2.0 * CELL)
        };
        let eddies = [1.0, -1.0].map(|sign| {
            let is_strong = |cell: &[usize; 2]| sign * vorticity(*cell) > CURRENT / ROCK_WIDTH;
            let mut left: Vec<[usize; 2]> = cells().filter(is_strong).collect();
            let mut count = 0;
            while let Some(seed) = left.pop() {
                count += usize::from(take_group(seed, &mut left) >= FEWEST);
            }
            count
        });
        Ok(Wake { eddies, backward: cells().fold(0.0, |most, cell| f64::max(most, -speed(cell, 0))) })
    }
}

/// Takes the cells that hang together with a seed off a list; answers how many they are, with the seed.
fn take_group(seed: [usize; 2], left: &mut Vec<[usize; 2]>) -> usize {
    let (mut group, mut next) = (vec![seed], 0);
    while let Some(&[column, row]) = group.get(next) {
        let touches = |cell: &[usize; 2]| cell[0].abs_diff(column) + cell[1].abs_diff(row) == 1;
        group.extend(left.extract_if(.., |cell| touches(cell)));
        next += 1;
    }
    group.len()
}

/// Eddies of either sign with a rock, and none without.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let wake = |section: &str| -> anyhow::Result<Wake> {
        let mut runner = build(&format!("{CASE}{section}"), &[])?;
        while runner.frame() + 1 < runner.frame_count() {
            runner.next_frame()?;
        }
        Wake::of(&runner)
    };
    let (with, without) = (wake(ROCK)?, wake("")?);
    let source = "[foster1996] fig. 10";
    for (sign, count) in ["positive", "negative"].into_iter().zip(with.eddies) {
        let mut missing = Worst::default();
        missing.compare(count.min(1) as f64, 1.0);
        checks.at_most(
            format!("eddies of {sign} vorticity missing"),
            missing.value(),
            Target::ours(0.0, source),
        );
        checks.baseline(format!("eddies of {sign} vorticity"), measured(count as f64));
    }
    let mut slow = Worst::default();
    slow.compare(f64::min(with.backward / CURRENT, 0.02), 0.02);
    checks.at_most(
        "flow back in the lee missing, of 2 % of the current",
        slow.value(),
        Target::ours(0.0, source),
    );
    checks.baseline("flow back in the lee / current", measured(with.backward / CURRENT));
    let mut needless = Worst::default();
    without.eddies.iter().for_each(|&count| needless.compare(count as f64, 0.0));
    checks.at_most("eddies without a rock", needless.value(), Target::exact(0.0, "a parallel current"));
    Ok(())
}
