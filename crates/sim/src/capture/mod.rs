//! Captures the views of the waters as a frame: values are copied, nothing is tessellated.

mod rounding;

use undine_frame::{
    Attribute, Body, Cloud, CloudRole, Domain, FieldRequest, FieldScale, Frame, FrameRequest, Heights,
    Implicit, Quantity, Raster, Sheet, Surface, SurfaceRole, SurfaceShape, WaterLabel,
};

use crate::{
    CloudView, FieldView, HeightView, Lattice, LiquidView, Runner, SheetView, SurfaceView, View, Water,
};

/// A field that a water offers, without its values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldInfo {
    /// Its name, after that of its water where there are several.
    pub name: String,
    /// Its unit, empty for a pure number.
    pub unit: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Numbers per sample.
    pub components: u32,
    /// Samples along x, y and z.
    pub size: [usize; 3],
}

impl FieldInfo {
    /// How its values are shown.
    pub fn scale(&self) -> FieldScale {
        self.quantity.scale(self.components)
    }
}

/// The requested parts of all waters as one frame without meshes, but with the surfaces from which meshes are made.
pub fn capture(runner: &Runner, request: &FrameRequest) -> Frame {
    let mut frame = Frame::new(runner.frame(), runner.time());
    frame.waters = water_labels(runner);
    let are_several = runner.waters().len() > 1;
    for (number, water) in runner.waters().iter().enumerate() {
        let part = CapturedWater { number, water, prefix: prefix(water, are_several), request };
        part.capture(&mut frame);
    }
    if request.counters {
        frame.counters.clone_from(&runner.count_record.histories);
    }
    frame
}

/// The waters of a runner and where their cells are.
pub fn water_labels(runner: &Runner) -> Vec<WaterLabel> {
    let label = |water: &Water| {
        let view = water.simulation.view();
        let domain = view.fields.first().map(|field| domain(&*field.samples));
        WaterLabel { name: water.name.clone(), domain }
    };
    runner.waters().iter().map(label).collect()
}

/// The fields that [`capture`] gives of all waters.
pub fn offered_fields(runner: &Runner) -> Vec<FieldInfo> {
    let are_several = runner.waters().len() > 1;
    let mut infos = Vec::new();
    for water in runner.waters() {
        let (view, prefix) = (water.simulation.view(), prefix(water, are_several));
        infos.extend(view.fields.iter().map(|field| FieldInfo {
            name: format!("{prefix}{}", field.name),
            unit: field.unit.to_owned(),
            quantity: field.quantity,
            components: field.samples.components() as u32,
            size: field.samples.size(),
        }));
    }
    infos
}

/// With several waters the name of a field includes that of its water, so that names are unique.
fn prefix(water: &Water, are_several: bool) -> String {
    if are_several { format!("{}.", water.name) } else { String::new() }
}

/// One water while it is captured.
struct CapturedWater<'r> {
    number: usize,
    water: &'r Water,
    prefix: String,
    request: &'r FrameRequest,
}

impl CapturedWater<'_> {
    fn capture(&self, frame: &mut Frame) {
        let view = self.water.simulation.view();
        let wants_surfaces = self.request.wants_surfaces();
        for surface in view.surfaces.iter().filter(|_| wants_surfaces) {
            frame.surfaces.extend(self.surfaces(surface));
        }
        let cell = liquid(&view).map(|liquid| liquid.cell as f32);
        // Closed meshes are made from clouds
        let wants_clouds = self.request.clouds || self.request.liquid_meshes;
        frame.clouds.extend(view.clouds.iter().filter(|_| wants_clouds).map(|view| {
            let mut cloud = self.cloud(view);
            if let Some(cell) = cell.filter(|_| view.role == CloudRole::Liquid) {
                rounding::round_cloud(&mut cloud, cell);
            }
            cloud
        }));
        self.add_fields(&view, frame);
        if wants_surfaces {
            // Waters count their bodies each from 0
            let first = (self.number as u32) << 16;
            frame.bodies.extend(view.bodies.into_iter().map(|body| Body { id: first + body.id, ..body }));
        }
    }

    /// The fields that are wanted; the distances of a liquid come last, rounded, and also where only its mesh is wanted:
    /// pictures of a liquid find its box in them.
    fn add_fields(&self, view: &View<'_>, frame: &mut Frame) {
        let liquid = liquid(view);
        let is_distance = |field: &FieldView<'_>| {
            let quantity = field.quantity;
            liquid.is_some() && (quantity == Quantity::SurfaceDistance || quantity == Quantity::SolidDistance)
        };
        let others = view.fields.iter().filter(|field| !is_distance(field));
        frame.fields.extend(others.filter(|field| self.wants_field(field)).map(|field| self.raster(field)));
        let Some(liquid) = liquid else { return };
        let wants_all = self.request.liquid_meshes || self.request.fields == FieldRequest::All;
        for field in view.fields.iter().filter(|field| is_distance(field)) {
            if wants_all || self.wants_field(field) {
                let mut raster = self.raster(field);
                rounding::round_distances(&mut raster.values, liquid.cell as f32);
                frame.fields.push(raster);
            }
        }
    }

    fn wants_field(&self, field: &FieldView<'_>) -> bool {
        self.request.fields.includes(&format!("{}{}", self.prefix, field.name), field.quantity)
    }

    fn surfaces(&self, view: &SurfaceView<'_>) -> Vec<Surface> {
        let alone = |shape: SurfaceShape| Surface {
            name: self.water.name.clone(),
            water: self.number,
            role: SurfaceRole::Water,
            shape,
            attributes: Vec::new(),
        };
        match view {
            SurfaceView::Height(view) => {
                let heights = heights(view);
                let wetness = view.wetness.as_ref().map(|wetness| {
                    Attribute::new("wetness", Quantity::Wetness, 1, full(&**wetness, heights.count()))
                });
                let mut surfaces = Surface::with_bed(&self.water.name, heights);
                for surface in &mut surfaces {
                    surface.water = self.number;
                    if surface.role == SurfaceRole::Bed {
                        surface.attributes.extend(wetness.clone());
                    }
                }
                surfaces
            }
            SurfaceView::Sheet(view) => vec![alone(SurfaceShape::Sheet(sheet(view)))],
            SurfaceView::Liquid(view) => {
                vec![alone(SurfaceShape::Implicit(Implicit { bounds: view.bounds, cell: view.cell }))]
            }
        }
    }

    fn cloud(&self, view: &CloudView<'_>) -> Cloud {
        let attributes = view.attributes.iter().map(|attribute| Attribute {
            name: attribute.name.to_owned(),
            unit: attribute.unit.to_owned(),
            quantity: attribute.quantity,
            components: attribute.columns.len() as u32,
            values: interleaved(&attribute.columns).into(),
        });
        Cloud {
            name: self.water.name.clone(),
            water: self.number,
            role: view.role,
            positions: view.positions.to_vec(),
            velocities: view.velocities.to_vec(),
            radius: view.radius,
            attributes: attributes.collect(),
        }
    }

    fn raster(&self, field: &FieldView<'_>) -> Raster {
        let samples = &field.samples;
        let Domain { size, origin, spacing } = domain(&**samples);
        Raster {
            name: format!("{}{}", self.prefix, field.name),
            water: self.number,
            unit: field.unit.to_owned(),
            quantity: field.quantity,
            size,
            components: samples.components() as u32,
            origin,
            spacing,
            values: samples.values().into(),
        }
    }
}

fn liquid<'v, 'a>(view: &'v View<'a>) -> Option<&'v LiquidView<'a>> {
    view.surfaces.iter().find_map(|surface| match surface {
        SurfaceView::Liquid(liquid) => Some(liquid),
        SurfaceView::Height(_) | SurfaceView::Sheet(_) => None,
    })
}

fn domain(samples: &dyn Lattice) -> Domain {
    let size = samples.size().map(|count| count as u32);
    Domain { size, origin: samples.origin(), spacing: samples.spacing() }
}

fn heights(view: &HeightView<'_>) -> Heights {
    let (size, origin, spacing) = (view.level.size(), view.level.origin(), view.level.spacing());
    let count = size[0] * size[1];
    let velocity = view.velocity.as_ref().map(|[along_x, along_y]| {
        full(&**along_x, count).into_iter().zip(full(&**along_y, count)).map(|(x, y)| [x, y]).collect()
    });
    Heights {
        size: [size[0] as u32, size[1] as u32],
        origin: [origin[0], origin[1]],
        spacing: [spacing[0], spacing[1]],
        level: full(&*view.level, count).into(),
        bed: view.bed.as_ref().map(|bed| full(&**bed, count).into()),
        velocity,
        dry_depth: view.dry_depth,
    }
}

/// The values of a lattice, padded to `count` samples; missing ones are NaN.
fn full(lattice: &dyn Lattice, count: usize) -> Vec<f32> {
    let mut values = lattice.values();
    values.resize(count, f32::NAN);
    values
}

fn sheet(view: &SheetView<'_>) -> Sheet {
    Sheet {
        columns: view.columns.to_vec().into(),
        rows: view.rows.to_vec().into(),
        positions: view.positions.to_vec().into(),
        normals: view.normals.to_vec().into(),
        velocities: view.velocities.to_vec().into(),
    }
}

/// Columns as one list, the numbers of a particle side by side.
fn interleaved(columns: &[&[f32]]) -> Vec<f32> {
    match columns {
        [column] => column.to_vec(),
        _ => {
            let count = columns.iter().map(|column| column.len()).min().unwrap_or(0);
            (0..count).flat_map(|index| columns.iter().map(move |column| column[index])).collect()
        }
    }
}
