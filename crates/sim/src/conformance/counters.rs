//! Checks of the counters of a model.

use undine_frame::{CounterHistory, FrameRequest};

use super::{advance, build, on_lively, poke_hard};
use crate::{Budget, Counters, ModelEntry, Runner, capture};

/// Which counters there are, and in which order, does not depend on the state; each has a column of its own. What a frame
/// counts is the same in a run that was resumed before it.
pub(super) fn counters_are_kept(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| counters_are_kept_in(model, scene))
}

fn counters_are_kept_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut runner = build(model, scene)?;
    let at_start = runner.waters()[0].simulation.counters();
    let mut columns: Vec<String> = at_start.iter().map(|counter| counter.column(None)).collect();
    columns.extend(Budget::NAMES.map(str::to_owned));
    columns.sort();
    let is_sound = |name: &String| !name.is_empty() && !name.contains([',', '.', '"', '\n']);
    if columns.windows(2).any(|pair| pair[0] == pair[1]) || !columns.iter().all(is_sound) {
        return Err(format!("not every counter has a column of its own: {columns:?}"));
    }
    (0..8).for_each(|turn| poke_hard(&mut runner, turn));
    advance(&mut runner, 5)?;
    let snapshot = runner.snapshot().map_err(|error| error.to_string())?;
    let counted = |runner: &mut Runner| -> Result<(Vec<Counters>, Vec<CounterHistory>), String> {
        let frame =
            |_| runner.next_frame().map(|stats| stats.counters).map_err(|failure| failure.to_string());
        let counters = (0..10).map(frame).collect::<Result<Vec<_>, _>>()?.concat();
        Ok((counters, capture(runner, &FrameRequest { counters: true, ..FrameRequest::default() }).counters))
    };
    let expected = counted(&mut runner)?;
    // What a picture plots is what the frames counted
    for (counter, history) in at_start.iter().zip(&expected.1) {
        let counts = expected.0.iter().filter_map(|counters| counters.get(counter.name));
        let plotted: Vec<f32> = history.points().map(|(_, count)| count).collect();
        if plotted.len() != 16 || !counts.map(|count| count as f32).eq(plotted[6..].iter().copied()) {
            return Err(format!("{} has the history {plotted:?}", counter.name));
        }
    }
    if !expected.0.iter().all(|counters| counters.are_alike(&at_start)) {
        return Err(format!("the counters {at_start:?} become {expected:?}"));
    }
    let mut resumed = build(model, scene)?;
    resumed.restore_snapshot(&snapshot).map_err(|error| error.to_string())?;
    let found = counted(&mut resumed)?;
    if found == expected { Ok(()) } else { Err(format!("counted {expected:?}, after a resume {found:?}")) }
}
