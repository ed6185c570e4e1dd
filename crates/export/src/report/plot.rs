//! Plots as inline SVG: lines over a common axis, or areas stacked on each other.

use std::fmt::Write;

use super::escape;
use super::ticks::Ticks;

/// Size of the drawing in its own units; the page scales it.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 265.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 39.0;
const RIGHT: f64 = 14.0;

/// Most points of a drawn curve; longer ones are decimated.
const MOST_POINTS: usize = 1200;

/// Colours of the style sheet; further series start over.
const COLOURS: usize = 8;

/// How the series of a plot are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlotStyle {
    /// One line per series.
    #[default]
    Lines,
    /// Areas on top of each other, for parts of a whole such as time per phase. The series must have the same x.
    StackedAreas,
}

/// A named curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotSeries {
    /// What it shows, for the legend.
    pub name: String,
    /// Its points (x, y) in order of x; one that is not finite interrupts the curve.
    pub points: Vec<[f64; 2]>,
}

/// A plot with axes, units and a legend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What runs along x, with its unit: `time [s]`.
    pub x: String,
    /// What runs along y, with its unit: `volume [m³]`.
    pub y: String,
    /// How the series are drawn.
    pub style: PlotStyle,
    /// The curves.
    pub series: Vec<PlotSeries>,
    /// A sentence below the plot, or nothing.
    pub caption: String,
}

impl Plot {
    /// The plot as a figure of HTML with an SVG drawing in it.
    pub(super) fn html(&self) -> String {
        let curves = self.curves();
        let mut html = format!("<figure>\n<h3>{}</h3>\n{}", escape(&self.title), self.legend());
        html.push_str(&self.drawing(&curves));
        if !self.caption.is_empty() {
            let _ = writeln!(html, "<figcaption>{}</figcaption>", escape(&self.caption));
        }
        html.push_str("</figure>\n");
        html
    }

    /// The curves to draw: decimated, and cumulative when stacked.
    fn curves(&self) -> Vec<Vec<[f64; 2]>> {
        let points = self.series.iter().map(|series| series.points.as_slice());
        match self.style {
            PlotStyle::Lines => points.map(thin_by_extremes).collect(),
            PlotStyle::StackedAreas => stacked(points.map(thin_by_means)),
        }
    }

    fn legend(&self) -> String {
        if self.series.len() < 2 {
            return String::new();
        }
        let entry = |(index, series): (usize, &PlotSeries)| {
            format!("<li class=\"c{}\">{}</li>", index % COLOURS, escape(&series.name))
        };
        let entries: String = self.series.iter().enumerate().map(entry).collect();
        format!("<ul class=\"legend\">{entries}</ul>\n")
    }

    fn drawing(&self, curves: &[Vec<[f64; 2]>]) -> String {
        let base = (self.style == PlotStyle::StackedAreas).then_some(0.0);
        let x = Ticks::over(curves.iter().flatten().map(|point| point[0]), 8);
        let y = Ticks::over(curves.iter().flatten().map(|point| point[1]).chain(base), 5).widened(5);
        let longest = y.marks.iter().map(|mark| mark.1.chars().count()).max().unwrap_or(1);
        let axes = SvgAxes { left: 18.0 + 7.0 * longest as f64, x, y };
        let title = escape(&self.title);
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n");
        axes.draw_axes(&mut svg, self);
        match self.style {
            PlotStyle::Lines => axes.draw_lines(&mut svg, curves),
            PlotStyle::StackedAreas => axes.draw_areas(&mut svg, curves),
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Maps data to SVG coordinates, and draws the axes.
struct SvgAxes {
    left: f64,
    x: Ticks,
    y: Ticks,
}

impl SvgAxes {
    fn svg_point(&self, [x, y]: [f64; 2]) -> String {
        format!("{:.1} {:.1}", self.across(x), self.down(y))
    }

    fn across(&self, x: f64) -> f64 {
        self.left + self.x.fraction(x) * (WIDTH - self.left - RIGHT)
    }

    fn down(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.fraction(y) * (HEIGHT - TOP - BOTTOM)
    }

    fn draw_axes(&self, svg: &mut String, plot: &Plot) {
        let (left, right, foot) = (self.left, WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (value, label) in &self.y.marks {
            let down = self.down(*value);
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{left:.1} {down:.1}H{right:.1}\"/>");
            let (before, below) = (left - 7.0, down + 4.0);
            let _ =
                writeln!(svg, "<text x=\"{before:.1}\" y=\"{below:.1}\" text-anchor=\"end\">{label}</text>");
        }
        let _ = writeln!(svg, "<path class=\"axis\" d=\"M{left:.1} {foot:.1}H{right:.1}\"/>");
        let y_name = with_power(&plot.y, self.y.exponent);
        let _ = writeln!(svg, "<text class=\"name\" x=\"2\" y=\"12\">{y_name}</text>");
        let x_name = with_power(&plot.x, self.x.exponent);
        let low = HEIGHT - 6.0;
        let _ = writeln!(
            svg,
            "<text class=\"name\" x=\"{right}\" y=\"{low}\" text-anchor=\"end\">{x_name}</text>"
        );
        for (value, label) in &self.x.marks {
            let across = self.across(*value);
            let _ = writeln!(svg, "<path class=\"axis\" d=\"M{across:.1} {foot:.1}v4\"/>");
            let below = foot + 16.0;
            let _ = writeln!(
                svg,
                "<text x=\"{across:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{label}</text>"
            );
        }
    }

    fn draw_lines(&self, svg: &mut String, curves: &[Vec<[f64; 2]>]) {
        for (index, curve) in curves.iter().enumerate() {
            let mut path = String::new();
            let runs = curve.split(|point| !is_plottable(point)).filter(|run| !run.is_empty());
            for run in runs {
                let points: Vec<String> = run.iter().map(|&point| self.svg_point(point)).collect();
                // A single point is a line of zero length, which round caps make a dot
                let _ = if run.len() == 1 {
                    write!(path, "M{}h0", points[0])
                } else {
                    write!(path, "M{}", points.join("L"))
                };
            }
            let _ = writeln!(svg, "<path class=\"line c{}\" d=\"{path}\"/>", index % COLOURS);
        }
    }

    fn draw_areas(&self, svg: &mut String, curves: &[Vec<[f64; 2]>]) {
        let mut floor: Vec<[f64; 2]> =
            curves.first().into_iter().flatten().map(|point| [point[0], 0.0]).collect();
        for (index, curve) in curves.iter().enumerate() {
            let outline = curve.iter().chain(floor.iter().rev()).map(|&point| self.svg_point(point));
            let outline = outline.collect::<Vec<_>>().join("L");
            let _ = writeln!(svg, "<path class=\"area c{}\" d=\"M{outline}Z\"/>", index % COLOURS);
            floor.clone_from(curve);
        }
    }
}

fn is_plottable(point: &[f64; 2]) -> bool {
    point.iter().all(|number| number.abs() < 1e100)
}

fn with_power(name: &str, exponent: i32) -> String {
    let name = escape(name);
    let power = exponent.to_string().replace('-', "−");
    if exponent == 0 { name } else { format!("{name} × 10<tspan dy=\"-4\" font-size=\"9\">{power}</tspan>") }
}

/// Decimates a curve without losing its peaks: keeps the minimum and maximum of every interval.
fn thin_by_extremes(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let by_height = |a: &(usize, &[f64; 2]), b: &(usize, &[f64; 2])| a.1[1].total_cmp(&b.1[1]);
    let thin = |stretch: &[[f64; 2]]| {
        let finite = || stretch.iter().enumerate().filter(|(_, point)| is_plottable(point));
        match (finite().min_by(by_height), finite().max_by(by_height)) {
            (Some((low, _)), Some((high, _))) if low != high => {
                vec![stretch[low.min(high)], stretch[low.max(high)]]
            }
            (Some((only, _)), _) => vec![stretch[only]],
            _ => vec![[f64::NAN; 2]],
        }
    };
    points.chunks(points.len().div_ceil(MOST_POINTS / 2)).flat_map(thin).collect()
}

/// Decimates a curve by the mean of every interval; values that are not finite or below zero count as zero.
fn thin_by_means(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let height = |point: &[f64; 2]| if is_plottable(point) { point[1].max(0.0) } else { 0.0 };
    let mean = |stretch: &[[f64; 2]]| {
        let sum: f64 = stretch.iter().map(height).sum();
        [stretch[stretch.len() / 2][0], sum / stretch.len() as f64]
    };
    points.chunks(points.len().div_ceil(MOST_POINTS).max(1)).map(mean).collect()
}

/// Cumulative sums of the curves over their common length, where x is finite.
fn stacked(curves: impl Iterator<Item = Vec<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    let curves: Vec<Vec<[f64; 2]>> = curves.collect();
    let reach = curves.iter().map(Vec::len).min().unwrap_or(0);
    let kept: Vec<usize> = (0..reach).filter(|&at| curves[0][at][0].abs() < 1e100).collect();
    let mut floor = vec![0.0; kept.len()];
    let raise = |curve: &Vec<[f64; 2]>| {
        let points = kept.iter().zip(&mut floor);
        points
            .map(|(&at, floor)| {
                *floor += curve[at][1];
                [curves[0][at][0], *floor]
            })
            .collect()
    };
    curves.iter().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, heights: &[f64]) -> PlotSeries {
        let points = heights.iter().enumerate().map(|(x, &y)| [x as f64, y]).collect();
        PlotSeries { name: name.into(), points }
    }

    #[test]
    fn gaps_interrupt_a_line_and_peaks_survive_thinning() {
        let plot = Plot {
            series: vec![series("a", &[1.0, 2.0, f64::NAN, 3.0, 1.0, f64::INFINITY, 5.0])],
            ..Plot::default()
        };
        let html = plot.html();
        let path = html.split("class=\"line c0\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('M').count(), 3);
        assert!(path.ends_with("h0"));
        let mut heights = vec![0.0; 50_000];
        heights[31_234] = 9.0;
        let thin = thin_by_extremes(&series("b", &heights).points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&[31_234.0, 9.0]));
    }

    #[test]
    fn stacked_areas_add_up() {
        let stack =
            stacked([vec![[0.0, 1.0], [1.0, 2.0]], vec![[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]].into_iter());
        assert_eq!(stack, [vec![[0.0, 1.0], [1.0, 2.0]], vec![[0.0, 4.0], [1.0, 6.0]]]);
    }

    #[test]
    fn nothing_and_nonsense_can_be_drawn() {
        for style in [PlotStyle::Lines, PlotStyle::StackedAreas] {
            for heights in [&[][..], &[f64::NAN], &[f64::MAX, f64::MIN], &[1e-310, 0.0]] {
                let all = vec![series("a", heights), series("b", heights)];
                let html = Plot { style, series: all, ..Plot::default() }.html();
                assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
            }
            assert!(Plot { style, ..Plot::default() }.html().contains("</svg>"));
        }
    }
}
