//! Runs cases side by side, one thread each: most cases are too small to keep several threads busy.

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::Context;
use undine_checks::{Case, Checks, perturbation};

/// What a case has recorded, and how it ended.
pub struct FinishedCase {
    /// Its place in the list.
    pub index: usize,
    /// Its checks and curves.
    pub checks: Checks,
    /// The error that ended it.
    pub error: Option<String>,
    /// Its duration.
    pub seconds: f64,
}

/// Runs cases on `jobs` threads in the order of `order`, and calls `work` on this thread with each as it ends.
pub fn run(
    cases: &[&'static Case],
    order: &[usize],
    jobs: usize,
    is_perturbed: bool,
    mut work: impl FnMut(FinishedCase),
) -> anyhow::Result<()> {
    let (sender, receiver) = channel();
    let queue = Mutex::new(order.iter().copied());
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..jobs.clamp(1, order.len().max(1)) {
            let (sender, queue) = (sender.clone(), &queue);
            workers.push(scope.spawn(move || run_queue(cases, queue, is_perturbed, &sender)));
        }
        drop(sender);
        receiver.iter().for_each(&mut work);
        let mut results = workers.into_iter().map(|worker| worker.join());
        results.try_for_each(|result| result.unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked"))))
    })
}

/// Takes cases from the queue until it is empty, and runs each in a pool of one thread.
fn run_queue(
    cases: &[&'static Case],
    queue: &Mutex<impl Iterator<Item = usize>>,
    is_perturbed: bool,
    sender: &Sender<FinishedCase>,
) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    loop {
        let next = queue.lock().map_or(None, |mut queue| queue.next());
        let Some(index) = next else { return Ok(()) };
        let finished = pool.install(|| run_case(cases[index], index, is_perturbed));
        if sender.send(finished).is_err() {
            return Ok(());
        }
    }
}

/// Runs one case. An error or a panic ends only this case, and what it recorded before stays.
fn run_case(case: &Case, index: usize, is_perturbed: bool) -> FinishedCase {
    let (start, mut checks) = (Instant::now(), Checks::default());
    let work = AssertUnwindSafe(|| match is_perturbed {
        true => perturbation::perturbed(|| (case.run)(&mut checks)),
        false => (case.run)(&mut checks),
    });
    let error = match std::panic::catch_unwind(work) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(_) => Some("the case panicked".to_owned()),
    };
    FinishedCase { index, checks, error, seconds: start.elapsed().as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use undine_checks::{Case, Target};

    use super::run;

    static CASES: [Case; 4] = [
        Case {
            name: "test/good",
            is_quick: true,
            is_chaotic: false,
            run: |checks| {
                assert_eq!(rayon::current_num_threads(), 1);
                checks.at_most("one", undine_checks::measured(1.0), Target::exact(1.0, "one"));
                Ok(())
            },
        },
        Case {
            name: "test/error",
            is_quick: true,
            is_chaotic: false,
            run: |checks| {
                checks.baseline("before", 1.0);
                anyhow::bail!("no water")
            },
        },
        Case { name: "test/panic", is_quick: true, is_chaotic: false, run: |_| panic!("as a test") },
        Case { name: "test/empty", is_quick: true, is_chaotic: false, run: |_| Ok(()) },
    ];

    #[test]
    fn one_case_that_fails_does_not_stop_the_others() {
        let cases: Vec<_> = CASES.iter().collect();
        let mut finished = Vec::new();
        run(&cases, &[3, 2, 1, 0], 2, false, |case| finished.push(case)).unwrap();
        finished.sort_by_key(|case| case.index);
        let errors: Vec<_> = finished.iter().map(|case| case.error.as_deref()).collect();
        assert_eq!(errors, [None, Some("no water"), Some("the case panicked"), None]);
        assert_eq!(finished[1].checks.done().len(), 1);
        assert_eq!(finished[0].checks.done()[0].holds(), Some(true));
    }

    #[test]
    fn perturbed_measurements_do_not_hold() {
        let mut holds = None;
        run(&[&CASES[0]], &[0], 1, true, |case| holds = case.checks.done()[0].holds()).unwrap();
        assert_eq!(holds, Some(false));
    }
}
