//! Live plots of volume, energy, divergence, gauges and time per phase.

use std::collections::VecDeque;

use egui::{Button, RichText, ScrollArea, Ui};
use egui_plot::{HoverPosition, Legend, Line, LineStyle, Plot, PlotPoints};
use serde::{Deserialize, Serialize};

use super::{format_number, named, theme};
use crate::update::{History, RunStatus, SessionUpdate};

/// Limit on the points of a drawn line.
const MAX_POINTS: usize = 500;
/// Height of a plot in points.
const PLOT_HEIGHT: f32 = 150.0;
/// The plot of the time that each phase takes.
const PHASES: &str = "time per phase";

/// The panel of plots.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Plots {
    /// Plots that are closed, by name.
    pub closed: Vec<String>,
    /// Whether phases are stacked, so that the uppermost line is their sum.
    pub is_stacked: bool,
}

/// One line of a plot.
struct PlotLine<'h> {
    name: String,
    times: &'h VecDeque<f64>,
    values: Vec<f64>,
    /// Index of its colour, and of its run.
    colour: usize,
    run: usize,
}

impl Plots {
    /// Shows every plot for which the runs have values; two runs share the plots.
    pub fn show(&mut self, ui: &mut Ui, update: &SessionUpdate) {
        let plots = plots_of(&update.runs);
        if plots.is_empty() {
            ui.weak("No measurements yet.");
            return;
        }
        ui.horizontal_wrapped(|ui| {
            for (plot, _) in &plots {
                self.toggle(ui, plot);
            }
            let response = ui.checkbox(&mut self.is_stacked, "stack phases");
            named(ui, response.on_hover_text("add up the phases"), "stack phases");
        });
        ScrollArea::vertical().id_salt("plots").auto_shrink([false, false]).show(ui, |ui| {
            for (plot, unit) in &plots {
                if !self.closed.contains(plot) {
                    self.plot(ui, &update.runs, plot, unit);
                }
            }
        });
    }

    fn toggle(&mut self, ui: &mut Ui, plot: &str) {
        let is_open = !self.closed.iter().any(|closed| closed == plot);
        let response = ui.add(Button::selectable(is_open, plot).frame_when_inactive(true));
        if named(ui, response, format!("plot:{plot}")).clicked() {
            match is_open {
                true => self.closed.push(plot.to_owned()),
                false => self.closed.retain(|closed| closed != plot),
            }
        }
    }

    fn plot(&self, ui: &mut Ui, runs: &[RunStatus], plot: &str, unit: &str) {
        let titled = if unit.is_empty() { plot.to_owned() } else { format!("{plot} in {unit}") };
        ui.label(RichText::new(titled).small());
        let series = self.series(runs, plot);
        let visuals = ui.visuals().clone();
        let unit = unit.to_owned();
        let shown = Plot::new(plot)
            .height(PLOT_HEIGHT)
            .legend(Legend::default().background_alpha(0.6).follow_insertion_order(true))
            .allow_scroll(false)
            .allow_zoom(false)
            .allow_drag(false)
            .y_axis_min_width(48.0)
            .y_axis_formatter(|mark, _| format_number(mark.value))
            .x_axis_formatter(|mark, _| format!("{} s", format_number(mark.value)))
            .label_formatter(move |at| {
                let (HoverPosition::NearDataPoint { position, .. } | HoverPosition::Elsewhere { position }) =
                    at;
                Some(format!("{} s\n{} {unit}", format_number(position.x), format_number(position.y)))
            })
            .show(ui, |plot| {
                for series in series {
                    // The lines of a second run are dashed
                    let style = if series.run == 0 { LineStyle::Solid } else { LineStyle::dashed_loose() };
                    let colour = theme::line_colour(&visuals, series.colour);
                    plot.line(
                        Line::new(series.name, points(series.times, &series.values))
                            .color(colour)
                            .style(style),
                    );
                }
            });
        named(ui, shown.response, format!("plotted:{plot}"));
    }

    fn series<'h>(&self, runs: &'h [RunStatus], plot: &str) -> Vec<PlotLine<'h>> {
        let are_two = runs.len() > 1;
        let mut all = Vec::new();
        for (run, status) in runs.iter().enumerate() {
            let history: &History = &status.history;
            let named_line =
                |name: &str| if are_two { format!("{name}, {}", status.model) } else { name.to_owned() };
            let lines: Vec<(&str, Vec<f64>)> = if plot == PHASES {
                phases(history, self.is_stacked)
            } else {
                let columns = history.columns.iter().filter(|column| column.plot == plot);
                columns
                    .map(|column| (column.name.as_str(), column.values.iter().copied().collect()))
                    .collect()
            };
            let count = lines.len();
            for (line, (name, values)) in lines.into_iter().enumerate() {
                // Two runs of one line each differ in colour
                let colour = if count == 1 { run } else { line };
                all.push(PlotLine { name: named_line(name), times: &history.times, values, colour, run });
            }
        }
        all
    }
}

/// The plots of all runs, each once, with its unit.
fn plots_of(runs: &[RunStatus]) -> Vec<(String, String)> {
    let mut plots: Vec<(String, String)> = Vec::new();
    let columns = runs.iter().flat_map(|run| &run.history.columns);
    for column in columns {
        if plots.iter().all(|(plot, _)| *plot != column.plot) {
            plots.push((column.plot.clone(), column.unit.clone()));
        }
    }
    if runs.iter().any(|run| !run.history.phases.is_empty()) {
        plots.push((String::from(PHASES), String::from("ms")));
    }
    plots
}

/// Milliseconds per phase, or their running sums if stacked.
fn phases(history: &History, is_stacked: bool) -> Vec<(&str, Vec<f64>)> {
    let mut below = vec![0.0; history.times.len()];
    let mut lines = Vec::with_capacity(history.phases.len());
    for (name, seconds) in &history.phases {
        let own = seconds.iter().map(|seconds| 1e3 * seconds);
        let values: Vec<f64> = match is_stacked {
            false => own.collect(),
            true => below.iter().zip(own).map(|(below, own)| below + own).collect(),
        };
        if is_stacked {
            below.clone_from(&values);
        }
        lines.push((name.as_str(), values));
    }
    lines
}

/// The points of a line, decimated to [`MAX_POINTS`]: of each group of neighbours the minimum and the maximum are kept.
fn points(times: &VecDeque<f64>, values: &[f64]) -> PlotPoints<'static> {
    let all: Vec<[f64; 2]> = times
        .iter()
        .zip(values)
        .map(|(time, value)| [*time, *value])
        .filter(|point| point[1].is_finite())
        .collect();
    if all.len() <= MAX_POINTS {
        return all.into();
    }
    let group = all.len().div_ceil(MAX_POINTS / 2);
    let mut thinned = Vec::with_capacity(MAX_POINTS);
    for group in all.chunks(group) {
        let by_value = |one: &&[f64; 2], other: &&[f64; 2]| one[1].total_cmp(&other[1]);
        let ends = [group.iter().min_by(by_value), group.iter().max_by(by_value)];
        let mut ends: Vec<[f64; 2]> = ends.into_iter().flatten().copied().collect();
        ends.sort_by(|one, other| one[0].total_cmp(&other[0]));
        thinned.extend(ends);
    }
    thinned.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_histories_are_thinned_and_keep_their_peaks() {
        let times: VecDeque<f64> = (0..2000).map(f64::from).collect();
        let mut values: Vec<f64> = (0..2000).map(|step| f64::from(step % 7)).collect();
        values[1234] = 99.0;
        let PlotPoints::Owned(thinned) = points(&times, &values) else { unreachable!("points are owned") };
        assert!(thinned.len() <= MAX_POINTS);
        assert!(thinned.iter().any(|point| point.y == 99.0));
    }
}
