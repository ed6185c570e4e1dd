//! A test of the checks themselves: while it is on, every number that a case measures is far off, and every check must
//! fail. A check that still holds does not depend on what it claims to measure.
//!
//! The perturbation acts where a solution meets its reference: in [`crate::Worst::compare`], [`crate::ErrorSums`],
//! [`crate::Oscillation`] and in every number that a case passes through [`crate::measured`]. It is a property of the
//! thread, because a case runs on one thread.

use std::cell::Cell;

thread_local! {
    /// State of the random numbers; `None` while it is off.
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs `work` with perturbed measurements on this thread.
pub fn perturbed<T>(work: impl FnOnce() -> T) -> T {
    /// Switches it off again, after a panic too.
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            STATE.set(None);
        }
    }
    let _guard = Guard;
    STATE.set(Some(1));
    work()
}

/// x, or x (2 + r) + (1 + r) / 10 with a random r in [0, 1): off by a factor and by an amount that both scatter, so that
/// neither a ratio nor a difference of two measured numbers is what it was.
pub(crate) fn apply(value: f64) -> f64 {
    let Some(state) = STATE.get() else { return value };
    // splitmix64
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(Some(state));
    let mut bits = state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let random = ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    value * (2.0 + random) + 0.1 * (1.0 + random)
}

#[cfg(test)]
mod tests {
    use super::perturbed;
    use crate::{Norms, Worst, measured, order_of_convergence};

    #[test]
    fn it_is_on_only_inside_and_repeats() {
        assert_eq!(measured(1.0), 1.0);
        let one = perturbed(|| [measured(1.0), measured(1.0)]);
        let other = perturbed(|| [measured(1.0), measured(1.0)]);
        assert!(one == other && one[0] != one[1] && one[0] > 2.0, "{one:?}");
        let _ = std::panic::catch_unwind(|| perturbed(|| panic!("inside")));
        assert_eq!(measured(1.0), 1.0);
    }

    #[test]
    fn perfect_fields_fail_while_it_is_on() {
        let field: Vec<f64> = (0..100).map(|index| f64::from(index) / 100.0).collect();
        let worst = || {
            let mut worst = Worst::default();
            field.iter().for_each(|&value| worst.compare(value, value));
            worst.value()
        };
        let norms = || Norms::of(field.iter().map(|&value| [value, value])).mean;
        assert_eq!([worst(), norms()], [0.0, 0.0]);
        assert!(perturbed(worst) > 1.0 && perturbed(norms) > 1.0);
        let errors = perturbed(|| {
            [100, 200, 400].map(|cells| (cells, Norms::of((0..cells).map(|_| [1.0, 1.0])).mean))
        });
        assert!(order_of_convergence(&errors) < 0.5, "{errors:?}");
    }
}
