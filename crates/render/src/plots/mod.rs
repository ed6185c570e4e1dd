//! Plots of fields: colour maps with a scale, contours, arrows, streamlines, particles, cell types, profiles.

pub(crate) mod canvas;
mod colour_maps;
mod counter_plot;
pub(crate) mod field;
pub(crate) mod layout;
mod legend;
mod overlay;
mod profile;
mod scale;
pub(crate) mod slice;
pub(crate) mod text;

use undine_frame::{FieldChoice, FieldScale, Frame, Quantity, Raster};

pub use colour_maps::{ColourMap, HslRamp, MAPS, kind_colour};
pub use scale::{Scale, Tick};
pub use slice::Slice;

use crate::DrawError;
use crate::colour::to_bytes;
use crate::picture::Picture;
use canvas::PlotCanvas;
use counter_plot::CounterPlot;
use field::{FieldPaint, FieldPalette};
use layout::PlotLayout;
use profile::ProfilePlot;
use slice::AXES;

/// Kind of plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlotView {
    /// A profile for a field along a line, a map for all others.
    #[default]
    Auto,
    /// A colour map of a slice.
    Map,
    /// A line plot along the first axis.
    Profile,
}

/// Choice of a colour map.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MapChoice {
    /// The default of the field's quantity.
    #[default]
    Auto,
    /// The map of this name; see [`MAPS`].
    Named(String),
    /// One hue per sign, lightness by magnitude.
    Hsl(HslRamp),
    /// Interpolated between these linear colours, from the low end of the scale to the high one.
    Ramp(Vec<[f32; 3]>),
    /// One linear colour for all values.
    One([f32; 3]),
    /// The three components of the field are linear red, green and blue.
    Rgb,
}

/// Settings of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotSpec {
    /// Name of the field; `None` for the first one of the frame.
    pub field: Option<String>,
    /// Kind of plot.
    pub view: PlotView,
    /// Colour map.
    pub map: MapChoice,
    /// Ends of the scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
    /// Whether the scale is logarithmic.
    pub is_log: bool,
    /// Whether to interpolate linearly between samples, or use the nearest sample.
    pub is_smooth: bool,
    /// Approximate number of contour lines.
    pub contours: usize,
    /// Whether cell borders are drawn.
    pub shows_grid: bool,
    /// Name of a vector field drawn as arrows.
    pub arrows: Option<String>,
    /// Pixels between arrows.
    pub arrow_spacing: f32,
    /// Name of a vector field drawn as streamlines.
    pub streamlines: Option<String>,
    /// Pixels between streamlines.
    pub line_spacing: f32,
    /// Whether particles are drawn.
    pub shows_particles: bool,
    /// Axis normal to the slice of a 3-D field: 0 for x, 1 for y, 2 for z.
    pub across: Option<usize>,
    /// Position of the slice, in metres; `None` for the middle.
    pub position: Option<f64>,
    /// The title; `None` for the name of the field.
    pub title: Option<String>,
    /// Counters that are plotted over time below; `None` for no such plot.
    pub counters: Option<CounterChoice>,
}

/// Counters that are plotted below a field.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterChoice {
    /// Their unit.
    pub unit: String,
    /// Length of the scene in seconds: where the axis of time ends.
    pub duration: f64,
}

impl Default for PlotSpec {
    fn default() -> Self {
        PlotSpec {
            field: None,
            view: PlotView::Auto,
            map: MapChoice::Auto,
            limits: None,
            is_log: false,
            is_smooth: true,
            contours: 0,
            shows_grid: false,
            arrows: None,
            arrow_spacing: 28.0,
            streamlines: None,
            line_spacing: 16.0,
            shows_particles: false,
            across: None,
            position: None,
            title: None,
            counters: None,
        }
    }
}

impl PlotSpec {
    /// The layout of the field; the counters, if there are any, stand below it.
    fn layout(&self, canvas: &PlotCanvas, right: f32) -> PlotLayout {
        let layout = PlotLayout::new(canvas, right);
        if self.counters.is_some() { layout.above(counter_plot::PART) } else { layout }
    }
}

/// Draws a plot of a frame.
pub fn draw(spec: &PlotSpec, [width, height]: [usize; 2], frame: &Frame) -> Result<Picture, DrawError> {
    let raster = find_named(frame, spec.field.as_deref())?;
    let slice = Slice::new(raster, spec.across, spec.position);
    let mut canvas = PlotCanvas::new(width, height, layout::paper());
    let flat = slice.size[1] <= 1 && raster.scale() != FieldScale::Kinds;
    let layout = if spec.view == PlotView::Profile || (spec.view == PlotView::Auto && flat) {
        draw_profile(spec, frame, raster, &slice, &mut canvas)
    } else {
        draw_map(spec, frame, raster, &slice, &mut canvas)?
    };
    if let Some(choice) = &spec.counters {
        CounterPlot::of(frame, choice)?.draw(&mut canvas, &layout.below(counter_plot::PART));
    }
    Ok(canvas.light.encode(|_, _, colour| to_bytes(colour)))
}

// The chosen field, by default the first one that is not the ground; refuses inconsistent rasters.
pub(crate) fn find<'f>(frame: &'f Frame, choice: Option<&FieldChoice>) -> Result<&'f Raster, DrawError> {
    let by_default =
        || frame.fields.iter().find(|field| field.quantity != Quantity::Bed).or(frame.fields.first());
    let found = choice.map_or_else(by_default, |choice| choice.find(&frame.fields));
    let raster = found.ok_or_else(|| DrawError::NoField {
        wanted: choice.map_or("", FieldChoice::name).to_owned(),
        known: frame.fields.iter().map(|field| field.name.clone()).collect(),
    })?;
    let fault = raster.inconsistency().map(|fault| DrawError::Raster { name: raster.name.clone(), fault });
    fault.map_or(Ok(raster), Err)
}

// The field of this name.
fn find_named<'f>(frame: &'f Frame, name: Option<&str>) -> Result<&'f Raster, DrawError> {
    find(frame, name.map(FieldChoice::from).as_ref())
}

fn draw_map(
    spec: &PlotSpec,
    frame: &Frame,
    raster: &Raster,
    slice: &Slice,
    canvas: &mut PlotCanvas,
) -> Result<PlotLayout, DrawError> {
    // Layout, palette and scale
    let layout = spec.layout(canvas, legend::ROOM);
    let (low, high) = slice.bounds();
    let window = layout.window(low, high);
    let palette = FieldPalette::of_raster(&spec.map, raster);
    let scale = fitted_scale(spec.limits, spec.is_log, raster.scale(), slice, &palette);
    // The field itself
    let is_coloured = is_coloured(spec, raster);
    let (is_smooth, contours) = (spec.is_smooth, spec.contours);
    let paint = FieldPaint { slice, window: &window, scale: &scale, palette: &palette, is_smooth, contours };
    if is_coloured {
        paint.paint_colours(canvas)
    } else {
        paint.paint(canvas)
    }
    // Overlays: cell borders, streamlines, arrows, particles
    let cut = |name: Option<&str>| {
        let raster = name.map(|name| find_named(frame, Some(name))).transpose();
        raster.map(|found| found.map(|raster| Slice::new(raster, spec.across, spec.position)))
    };
    let (arrows, lines) = (cut(spec.arrows.as_deref())?, cut(spec.streamlines.as_deref())?);
    canvas.within(window.area, |canvas| {
        if spec.shows_grid {
            overlay::grid(canvas, &window, slice);
        }
        if let Some(lines) = lines {
            overlay::streamlines(canvas, &window, &lines, spec.line_spacing);
        }
        if let Some(arrows) = arrows {
            overlay::arrows(canvas, &window, &arrows, spec.arrow_spacing);
        }
        if spec.shows_particles {
            overlay::particles(canvas, &window, slice, &frame.clouds);
        }
    });
    // Axes, title and legend
    layout.axes(canvas, &window, slice.axes.map(|axis| ["x (m)", "y (m)", "z (m)"][axis]));
    layout.head(canvas, &window, &title(spec, raster), frame.time);
    match palette {
        _ if is_coloured => {}
        FieldPalette::Kinds(_) => {
            legend::kinds(canvas, &layout, window.area, raster.quantity, scale.high.max(0.0) as usize)
        }
        _ => legend::colour_bar(canvas, &layout, window.area, &palette, &scale, &raster.unit),
    }
    Ok(layout)
}

// Whether the components are shown as RGB: by choice, or by default for dye and colours.
fn is_coloured(spec: &PlotSpec, raster: &Raster) -> bool {
    let is_dye = matches!(raster.quantity, Quantity::Dye | Quantity::Colour);
    raster.components >= 3 && (spec.map == MapChoice::Rgb || (spec.map == MapChoice::Auto && is_dye))
}

fn draw_profile(
    spec: &PlotSpec,
    frame: &Frame,
    raster: &Raster,
    slice: &Slice,
    canvas: &mut PlotCanvas,
) -> PlotLayout {
    // Ground and regions of a water surface
    let beside = |quantity: Quantity| {
        let is_beside = |other: &&Raster| {
            raster.quantity == Quantity::Height && other.quantity == quantity && other.size == raster.size
        };
        let found = frame.fields.iter().find(is_beside).filter(|other| other.inconsistency().is_none());
        found.map(|other| Slice::new(other, spec.across, spec.position))
    };
    let (ground, regions) = (beside(Quantity::Bed), beside(Quantity::Region));
    let regions = regions.filter(|regions| regions.range().is_some_and(|(_, highest)| highest > 0.0));
    let layout = spec.layout(canvas, if regions.is_some() { legend::REGION_ROOM } else { 1.2 });
    let profile = ProfilePlot {
        slice,
        row: slice.size[1] / 2,
        ground: ground.as_ref(),
        regions: regions.as_ref(),
        limits: spec.limits,
    };
    let window = profile.window(&layout);
    profile.paint(canvas, &window);
    let x_label = format!("{} (m)", AXES[slice.axes[0]]);
    layout.axes(canvas, &window, [&x_label, &raster.unit]);
    layout.head(canvas, &window, &title(spec, raster), frame.time);
    if regions.is_some() {
        legend::regions(canvas, &layout, window.area);
    }
    layout
}

fn title(spec: &PlotSpec, raster: &Raster) -> String {
    spec.title.clone().unwrap_or_else(|| raster.name.replace(['_', '-'], " "))
}

/// The scale between limits, or over the range of a slice when there are none.
pub(crate) fn fitted_scale(
    limits: Option<[f32; 2]>,
    is_log: bool,
    kind: FieldScale,
    slice: &Slice,
    palette: &FieldPalette,
) -> Scale {
    let (low, high) = slice.range().unwrap_or((0.0, 1.0));
    let [low, high] = limits.unwrap_or([low, high]);
    let is_log = is_log && kind != FieldScale::Signed;
    let scale = Scale::new(low, high, is_log);
    let two_signed = kind == FieldScale::Signed || (matches!(palette, FieldPalette::Hsl(_)) && low < 0.0);
    if two_signed && limits.is_none() { scale.symmetric() } else { scale }
}
