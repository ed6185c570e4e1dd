//! How a scene is shown by default, from the pictures that it specifies and the fields that it has.

use glam::Vec3;
use undine::Frame;
use undine::frame::{Body, FieldChoice, FieldRequest, FieldScale, FrameRequest, Material, Quantity};
use undine::render::flat::{Blend, InkKind, LayerContent, PictureLayer};
use undine::render::plots::MapChoice;
use undine::render::preview::{BackdropKind, Beyond, GroundKind, PreviewSpec};
use undine::render::{PictureKind, PictureSpec, Pictures};
use undine::sim::FieldInfo;
use undine::surface::Surfacing;
use undine_gpu::{FlatLayer, SceneryMaterials};

use super::bounds::section;
use crate::request::DisplayRequest;
use crate::update::OpenScene;
use crate::view::{ColourChoice, PaneContent, PaneView};

/// The default view of a scene.
#[derive(Clone)]
pub struct DefaultView {
    /// The picture that defines the camera and the sky.
    pub picture: PictureSpec,
    /// How water in space is rendered.
    pub space: PreviewSpec,
    /// Whether it is shown as a page.
    is_flat: bool,
    /// The layers of the page.
    layers: Vec<PageLayer>,
    /// Size of the page's picture, in pixels, the margin around the fluid in heights of it, and its background, linear.
    page_size: [u32; 2],
    margin: f32,
    background: [f32; 3],
    /// Colour of obstacles on the page, linear.
    solid: [f32; 3],
    /// Whether the GPU renderer has an equivalent of the picture's every layer and medium.
    has_gpu_equivalent: bool,
    fields: Vec<FieldInfo>,
}

/// Margin of a page that the scene does not specify.
const MARGIN: f32 = 0.03;
/// Background of a page that the scene does not specify, linear.
const BACKGROUND: [f32; 3] = [0.006, 0.008, 0.011];

/// A layer of the default page, with fields by name.
#[derive(Clone)]
enum PageLayer {
    Field { field: String, map: String, opacity: f32 },
    Dye { field: String, strength: f32, is_ink: bool },
    Vectors { field: String },
    Particles,
    Liquid { field: String },
    Cells { field: String },
    Outline { field: String, colour: [f32; 3] },
}

/// Whether the GPU renderer can show what surrounds the water of a picture in space: it has no lamps, no dark studio, no
/// shore, and beyond the domain only the paving of pools.
fn has_gpu_setting(picture: &PictureSpec, space: &PreviewSpec) -> bool {
    let has_lamps = matches!(&picture.kind, PictureKind::Trace(trace) if !trace.lamps.is_empty());
    let has_surroundings = match space.beyond {
        Beyond::Shore => true,
        Beyond::Land => !matches!(space.ground, GroundKind::Bed(_)),
        Beyond::Nothing | Beyond::Sea => false,
    };
    !has_lamps && !has_surroundings && space.backdrop != BackdropKind::Dark
}

/// Whether these are the fields of a water that is a single row of cells.
pub fn has_section(fields: &[FieldInfo]) -> bool {
    fields.iter().any(|field| field.size[0] > 1 && field.size[1..] == [1, 1])
}

impl DefaultView {
    /// Reads the picture specifications of a scene and its fields.
    pub fn new(opened: &OpenScene) -> DefaultView {
        let pictures = Pictures::read(&opened.scene).unwrap_or_default();
        let in_space = pictures.iter().find(|picture| picture.in_space().is_some());
        let picture = pictures.first().cloned().unwrap_or_default();
        let space = in_space.and_then(PictureSpec::in_space).cloned().unwrap_or_default();
        let fields = opened.fields.clone();
        // The GPU renderer has no bodies of revolution and no splines over coarse heights
        let surfacings = Surfacing::read_all(&opened.scene).unwrap_or_default();
        let is_revolved = surfacings.iter().any(|surfacing| surfacing.revolves);
        let has_gpu_surface = !is_revolved && surfacings.iter().all(|surfacing| !surfacing.uses_spline);
        let is_flat = match &picture.kind {
            PictureKind::Flat(_) | PictureKind::Plot(_) => true,
            _ => !is_revolved && !opened.has_surface && fields.iter().all(|field| field.size[2] == 1),
        };
        let layers = match &picture.kind {
            PictureKind::Flat(flat) => {
                flat.layers.iter().filter_map(|layer| page_layer(layer, &fields)).collect()
            }
            PictureKind::Plot(plot) => plot.field.iter().map(|field| PageLayer::of_field(field)).collect(),
            _ => Vec::new(),
        };
        let layers = if layers.is_empty() { default_layers(&fields) } else { layers };
        let flat = match &picture.kind {
            PictureKind::Flat(flat) => Some(flat),
            _ => None,
        };
        let solid = flat.and_then(|flat| flat.layers.iter().find_map(solid_colour)).unwrap_or(space.solid);
        let background = flat.map_or(BACKGROUND, |flat| flat.background);
        let margin = flat.map_or(MARGIN, |flat| flat.margin);
        let page_size = [picture.width, picture.height];
        let has_gpu_equivalent = match flat {
            Some(flat) => flat.background_image.is_none() && flat.layers.iter().all(has_gpu_layer),
            // Nor profiles with axes
            None if matches!(picture.kind, PictureKind::Plot(_)) => !has_section(&fields),
            // The GPU renderer has no smoke
            None => is_flat || (has_gpu_surface && opened.has_surface && has_gpu_setting(&picture, &space)),
        };
        // A picture in space defines a camera, which a page lacks
        let picture = if is_flat { in_space.cloned().unwrap_or(picture) } else { picture };
        DefaultView {
            picture,
            space,
            is_flat,
            layers,
            page_size,
            margin,
            background,
            solid,
            has_gpu_equivalent,
            fields,
        }
    }

    /// Whether the pane shows a picture rendered on the CPU, because the GPU renderer lacks some of its layers, its smoke,
    /// its materials or the setting of the water. Other views than the default of the scene are always rendered on the GPU.
    pub fn needs_cpu(&self, view: &PaneView, frame: &Frame) -> bool {
        let is_default = view.show == PaneContent::Best && view.vectors.is_empty() && !view.shows_grid;
        is_default && (!self.has_gpu_equivalent || (!self.is_flat && !self.has_gpu_materials(frame)))
    }

    /// Whether the GPU renderer can show a frame in space: it has no glass, no coloured liquids, and no water at the sides of
    /// a single row of cells.
    fn has_gpu_materials(&self, frame: &Frame) -> bool {
        let is_glass = |body: &Body| {
            body.material() == Material::Glass
                || (!self.space.liquid.glass.is_empty() && body.name().contains(&self.space.liquid.glass))
        };
        let has_colours = frame.clouds.iter().any(|cloud| cloud.colours().is_some());
        !has_colours && section(frame).is_none() && !frame.bodies.iter().any(is_glass)
    }

    /// Size in pixels of a CPU picture of the page whose longer side is `longest`: with the proportions of the scene's.
    pub fn page_picture_size(&self, longest: f32) -> [u32; 2] {
        let scale = longest / self.page_size[0].max(self.page_size[1]).max(1) as f32;
        self.page_size.map(|pixels| ((pixels as f32 * scale).round() as u32).max(1))
    }

    /// Margin around the fluid on the page, in heights of it.
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// Background of the page, linear.
    pub fn background(&self) -> [f32; 3] {
        self.background
    }

    /// Whether a view of this scene is a page.
    pub fn is_page(&self, view: &PaneView) -> bool {
        match &view.show {
            PaneContent::Best | PaneContent::Particles => self.is_flat,
            PaneContent::Section => self.is_flat || has_section(&self.fields),
            PaneContent::Field(_) => true,
            PaneContent::Surface | PaneContent::Draped(_) => false,
        }
    }

    /// What a view needs from the session.
    pub fn display_request(&self, view: &PaneView) -> DisplayRequest {
        let mut fields = Vec::new();
        match &view.show {
            PaneContent::Best | PaneContent::Section | PaneContent::Particles if self.is_page(view) => {
                fields.extend(self.layers.iter().filter_map(|layer| layer.field().map(str::to_owned)));
                // The bounds of a page are those of a field, so one is always requested
                if fields.is_empty() {
                    fields.extend(self.fields.first().map(|field| field.name.clone()));
                }
            }
            PaneContent::Field(field) | PaneContent::Draped(field) => fields.push(field.clone()),
            _ => {}
        }
        if !view.vectors.is_empty() {
            fields.push(view.vectors.clone());
        }
        if self.is_page(view) {
            fields.extend(self.obstacles().map(str::to_owned));
        }
        fields.sort();
        fields.dedup();
        let frame = FrameRequest {
            surfaces: true,
            meshes: false,
            large_meshes: false,
            liquid_meshes: self.shows_mesh(view),
            clouds: true,
            fields: FieldRequest::named(fields.iter().map(String::as_str)),
            counters: false,
        };
        DisplayRequest { frame, ..DisplayRequest::default() }
    }

    /// The 2-D signed distance field of obstacles, if there is one.
    fn obstacles(&self) -> Option<&str> {
        let is_flat = |field: &&FieldInfo| field.quantity == Quantity::SolidDistance && field.size[2] == 1;
        self.fields.iter().find(is_flat).map(|field| field.name.as_str())
    }

    /// Whether a view shows the closed mesh of a liquid, rather than its particles.
    pub fn shows_mesh(&self, view: &PaneView) -> bool {
        let is_liquid = |field: &FieldInfo| field.quantity == Quantity::SurfaceDistance && field.size[2] > 1;
        view.show == PaneContent::Surface && self.fields.iter().any(is_liquid)
    }

    /// The layers of a page for a view and a frame.
    pub fn page_layers(&self, view: &PaneView, frame: &Frame) -> Vec<FlatLayer> {
        let mut layers: Vec<FlatLayer> = match &view.show {
            PaneContent::Field(field) => {
                self.field_layer(field, &view.colours, frame, 1.0).into_iter().collect()
            }
            PaneContent::Particles => vec![FlatLayer::Particles { size: 1.0 }],
            _ if frame.heights().next().is_some_and(|(_, heights)| heights.size[1] == 1) => {
                vec![FlatLayer::Profile]
            }
            _ => self.layers.iter().filter_map(|layer| self.flat_layer(layer, view, frame)).collect(),
        };
        if view.shows_particles && matches!(view.show, PaneContent::Field(_)) && !frame.clouds.is_empty() {
            layers.push(FlatLayer::Particles { size: 0.6 });
        }
        let base =
            self.fields.iter().find(|field| frame.fields.iter().any(|raster| raster.name == field.name));
        if let (true, Some(field)) = (view.shows_grid, base) {
            layers.push(FlatLayer::Grid { field: field.name.clone(), colour: [0.5, 0.5, 0.5, 0.35] });
        }
        let is_available = |field: &&str| frame.fields.iter().any(|raster| raster.name == *field);
        if let Some(field) = self.obstacles().filter(is_available) {
            layers.push(FlatLayer::Solids { field: field.to_owned(), colour: self.solid });
        }
        layers.push(FlatLayer::Bodies { colour: self.solid });
        if !view.vectors.is_empty() {
            let (field, spacing) = (view.vectors.clone(), view.vector_spacing);
            layers.push(FlatLayer::Vectors { field, spacing, colour: [0.9, 0.92, 0.95] });
        }
        layers
    }

    /// Materials and surroundings of water in space.
    pub fn materials(&self) -> SceneryMaterials {
        SceneryMaterials {
            look: self.space.look,
            ripples: self.space.ripples.clone(),
            bed: self.space.bed,
            depth: self.space.depth,
            ground: self.space.ground,
            solid: Vec3::from(self.space.solid),
            beyond: self.space.beyond,
            backdrop: self.space.backdrop,
        }
    }

    /// The colour mapping of a field, over the range of its present values.
    pub fn colours(
        &self,
        field: &str,
        choice: &ColourChoice,
        frame: &Frame,
    ) -> Option<undine_gpu::ColourMapping> {
        let raster = frame.fields.iter().find(|raster| raster.name == field)?;
        let (low, high) = raster.range().unwrap_or((0.0, 1.0));
        let high = if high > low { high } else { low + 1.0 };
        let low = if raster.scale() == FieldScale::Vector { 0.0 } else { low };
        Some(choice.colours(raster.scale(), [low, high]))
    }

    fn field_layer(
        &self,
        field: &str,
        choice: &ColourChoice,
        frame: &Frame,
        opacity: f32,
    ) -> Option<FlatLayer> {
        let raster = frame.fields.iter().find(|raster| raster.name == field)?;
        if raster.scale() == FieldScale::Kinds {
            return Some(FlatLayer::Cells { field: field.to_owned() });
        }
        if raster.quantity == Quantity::Dye && raster.components == 3 {
            return Some(FlatLayer::Dye { field: field.to_owned(), strength: 1.0, is_ink: false });
        }
        let colours = self.colours(field, choice, frame)?;
        Some(FlatLayer::Field { field: field.to_owned(), colours, is_smooth: choice.is_smooth, opacity })
    }

    fn flat_layer(&self, layer: &PageLayer, view: &PaneView, frame: &Frame) -> Option<FlatLayer> {
        match layer {
            PageLayer::Field { field, map, opacity } => {
                let choice = match view.colours.map.is_empty() {
                    true => ColourChoice { map: map.clone(), ..view.colours.clone() },
                    false => view.colours.clone(),
                };
                self.field_layer(field, &choice, frame, *opacity)
            }
            PageLayer::Dye { field, strength, is_ink } => {
                Some(FlatLayer::Dye { field: field.clone(), strength: *strength, is_ink: *is_ink })
            }
            PageLayer::Vectors { field } => Some(FlatLayer::Vectors {
                field: field.clone(),
                spacing: view.vector_spacing,
                colour: [0.8, 0.85, 0.9],
            }),
            PageLayer::Particles => Some(FlatLayer::Particles { size: 1.0 }),
            PageLayer::Liquid { field } => Some(FlatLayer::Liquid { field: field.clone() }),
            PageLayer::Cells { field } => Some(FlatLayer::Cells { field: field.clone() }),
            PageLayer::Outline { colour, .. } if frame.curves().next().is_some() => {
                Some(FlatLayer::Outline { colour: *colour })
            }
            PageLayer::Outline { field, .. } => Some(FlatLayer::Liquid { field: field.clone() }),
        }
    }
}

impl PageLayer {
    fn of_field(field: &str) -> PageLayer {
        PageLayer::Field { field: field.to_owned(), map: String::new(), opacity: 1.0 }
    }

    fn field(&self) -> Option<&str> {
        match self {
            PageLayer::Field { field, .. }
            | PageLayer::Dye { field, .. }
            | PageLayer::Vectors { field }
            | PageLayer::Liquid { field }
            | PageLayer::Cells { field }
            | PageLayer::Outline { field, .. } => Some(field),
            PageLayer::Particles => None,
        }
    }
}

/// The name of the first field that fits a choice.
fn name_of(choice: &FieldChoice, fields: &[FieldInfo]) -> Option<String> {
    fields.iter().find(|field| choice.fits(&field.name, field.quantity)).map(|field| field.name.clone())
}

/// The colour of a layer of obstacles.
fn solid_colour(layer: &PictureLayer) -> Option<[f32; 3]> {
    match &layer.show {
        LayerContent::Solid(solid) => Some(solid.colour),
        _ => None,
    }
}

/// Whether the GPU renderer shows a layer as the picture does. Glow, a post-process of the layers below, is left out.
fn has_gpu_layer(layer: &PictureLayer) -> bool {
    let is_plain = match &layer.show {
        LayerContent::Field(look) => {
            !matches!(look.map, MapChoice::Ramp(_) | MapChoice::One(_)) && look.fade == 0.0
        }
        LayerContent::Solid(solid) => !solid.is_cut && solid.wall.is_none(),
        LayerContent::Particles(particles) => particles.streak == 0.0,
        LayerContent::Metaballs(_)
        | LayerContent::Relief(_)
        | LayerContent::Streamlines(_)
        | LayerContent::Picture(_) => false,
        LayerContent::Dye(_)
        | LayerContent::Vectors(_)
        | LayerContent::Water(_)
        | LayerContent::Outline(_)
        | LayerContent::Cells(_)
        | LayerContent::Grid(_)
        | LayerContent::Glow(_) => true,
    };
    is_plain && layer.blend == Blend::Over
}

/// The equivalent of a picture layer, if the GPU renderer has one.
fn page_layer(layer: &PictureLayer, fields: &[FieldInfo]) -> Option<PageLayer> {
    let named = |choice: &FieldChoice| name_of(choice, fields);
    let of = |quantity: Quantity| name_of(&quantity.into(), fields);
    // Layers without an equivalent are left out
    Some(match &layer.show {
        LayerContent::Field(look) => PageLayer::Field {
            field: named(&look.field)?,
            map: match &look.map {
                MapChoice::Named(map) => map.clone(),
                MapChoice::Hsl(_) => String::from("hsl"),
                _ => String::new(),
            },
            opacity: layer.opacity,
        },
        LayerContent::Dye(dye) => PageLayer::Dye {
            field: named(&dye.field)?,
            strength: dye.strength,
            is_ink: dye.ink == InkKind::Paper,
        },
        LayerContent::Vectors(arrows) => PageLayer::Vectors { field: named(&arrows.field)? },
        LayerContent::Particles(_) | LayerContent::Metaballs(_) => PageLayer::Particles,
        LayerContent::Water(water) => PageLayer::Liquid { field: named(&water.field)? },
        LayerContent::Outline(outline) => {
            PageLayer::Outline { field: named(&outline.field)?, colour: outline.colour }
        }
        LayerContent::Cells(_) => PageLayer::Cells { field: of(Quantity::CellKind)? },
        LayerContent::Relief(relief) => PageLayer::of_field(&named(&relief.field)?),
        LayerContent::Streamlines(_)
        | LayerContent::Solid(_)
        | LayerContent::Grid(_)
        | LayerContent::Picture(_)
        | LayerContent::Glow(_) => return None,
    })
}

/// Layers for a scene without specified ones: liquid, cells with markers, dye, or a field and arrows.
fn default_layers(fields: &[FieldInfo]) -> Vec<PageLayer> {
    let of = |quantity: Quantity| name_of(&quantity.into(), fields);
    if let Some(field) = of(Quantity::SurfaceDistance) {
        return vec![PageLayer::Liquid { field }];
    }
    // Cells of a liquid that only its markers tell
    if let Some(field) = of(Quantity::CellKind).filter(|_| fields.iter().all(|field| field.size[2] == 1)) {
        return vec![PageLayer::Cells { field }, PageLayer::Particles];
    }
    if let Some(field) = of(Quantity::Dye) {
        return vec![PageLayer::Dye { field, strength: 1.0, is_ink: false }];
    }
    let smoke = of(Quantity::Smoke);
    let has_smoke = smoke.is_some();
    let first = smoke.or_else(|| of(Quantity::Speed)).or_else(|| of(Quantity::Height));
    let first = first.or_else(|| fields.first().map(|field| field.name.clone()));
    let mut layers: Vec<PageLayer> = first.iter().map(|field| PageLayer::of_field(field)).collect();
    if let Some(field) = of(Quantity::Velocity).filter(|_| !has_smoke) {
        layers.push(PageLayer::Vectors { field });
    }
    layers
}
