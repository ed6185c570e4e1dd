//! Captures the views of the waters as a frame: values are copied, nothing is tessellated. Of a water that knows its tiles
//! only those that have changed since a former capture are copied.

mod memory;
mod rounding;

use std::cell::RefCell;

use undine_frame::{
    Attribute, Body, Cloud, CloudRole, Domain, FieldRequest, FieldScale, Frame, FrameRequest, Heights,
    Implicit, Quantity, Raster, Shared, Sheet, Surface, SurfaceRole, SurfaceShape, WaterLabel,
};

pub(crate) use self::memory::CaptureMemory;

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
///
/// The runner remembers what it has given out: arrays in which nothing has moved are shared by frames.
pub fn capture(runner: &Runner, request: &FrameRequest) -> Frame {
    match runner.captured.try_lock() {
        Ok(mut memory) => capture_with(runner, request, &mut memory),
        // Another thread captures at this moment
        Err(_) => capture_with(runner, request, &mut CaptureMemory::default()),
    }
}

/// The same, with what the memory has of former captures.
fn capture_with(runner: &Runner, request: &FrameRequest, memory: &mut CaptureMemory) -> Frame {
    memory.begin();
    let memory = RefCell::new(memory);
    let mut frame = Frame::new(runner.frame(), runner.time());
    frame.waters = water_labels(runner);
    let are_several = runner.waters().len() > 1;
    for (number, water) in runner.waters().iter().enumerate() {
        let prefix = prefix(water, are_several);
        let part = CapturedWater { number, water, prefix, request, memory: &memory };
        part.capture(&mut frame);
    }
    if request.counters {
        frame.counters.clone_from(&runner.count_record.histories);
    }
    frame
}

impl Runner {
    /// Tiles of waters that know them that captures have copied so far: none while nothing moves.
    pub fn tiles_captured(&self) -> u64 {
        self.captured.lock().map_or(0, |memory| memory.copied())
    }
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
    memory: &'r RefCell<&'r mut CaptureMemory>,
}

/// The lattices of the surface of a height water; fields are counted from the last one on.
const LEVEL: usize = 0;
const BED: usize = 1;
const VELOCITY: usize = 2;
const WETNESS: usize = 3;
const FIELDS: usize = 4;

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
        let others = view.fields.iter().enumerate().filter(|(_, field)| !is_distance(field));
        let wanted = others.filter(|(_, field)| self.wants_field(field));
        frame.fields.extend(wanted.map(|(index, field)| self.raster(field, index)));
        let Some(liquid) = liquid else { return };
        let wants_all = self.request.liquid_meshes || self.request.fields == FieldRequest::All;
        for (index, field) in view.fields.iter().enumerate().filter(|(_, field)| is_distance(field)) {
            if wants_all || self.wants_field(field) {
                let mut raster = self.raster(field, index);
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
                let heights = self.heights(view);
                let wetness = view.wetness.as_ref().map(|wetness| {
                    let values = self.full(WETNESS, &**wetness, heights.count());
                    Attribute::new("wetness", Quantity::Wetness, 1, values)
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
            SurfaceView::Curve(curves) => vec![alone(SurfaceShape::Curve(curves.clone()))],
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

    /// A field of a view; `index` is its number there.
    fn raster(&self, field: &FieldView<'_>, index: usize) -> Raster {
        let samples = &field.samples;
        let kept = self.memory.borrow_mut().scalars([self.number, FIELDS + index], &**samples);
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
            values: kept.unwrap_or_else(|| samples.values().into()),
        }
    }

    fn heights(&self, view: &HeightView<'_>) -> Heights {
        let (size, origin, spacing) = (view.level.size(), view.level.origin(), view.level.spacing());
        let count = size[0] * size[1];
        Heights {
            size: [size[0] as u32, size[1] as u32],
            origin: [origin[0], origin[1]],
            spacing: [spacing[0], spacing[1]],
            level: self.full(LEVEL, &*view.level, count),
            bed: view.bed.as_ref().map(|bed| self.full(BED, &**bed, count)),
            velocity: view.velocity.as_ref().map(|velocity| self.pairs(&**velocity, count)),
            dry_depth: view.dry_depth,
        }
    }

    /// The values of a lattice of the surface, padded to `count` samples; missing ones are NaN.
    fn full(&self, part: usize, lattice: &dyn Lattice, count: usize) -> Shared<f32> {
        let kept = self.memory.borrow_mut().scalars([self.number, part], lattice);
        kept.filter(|values| values.len() == count).unwrap_or_else(|| {
            let mut values = lattice.values();
            values.resize(count, f32::NAN);
            values.into()
        })
    }

    /// The same of a velocity.
    fn pairs(&self, lattice: &dyn Lattice, count: usize) -> Shared<[f32; 2]> {
        let kept = self.memory.borrow_mut().vectors([self.number, VELOCITY], lattice);
        kept.filter(|values| values.len() == count).unwrap_or_else(|| {
            let mut values = lattice.values().as_chunks().0.to_vec();
            values.resize(count, [f32::NAN; 2]);
            values.into()
        })
    }
}

fn liquid<'v, 'a>(view: &'v View<'a>) -> Option<&'v LiquidView<'a>> {
    view.surfaces.iter().find_map(|surface| match surface {
        SurfaceView::Liquid(liquid) => Some(liquid),
        SurfaceView::Height(_) | SurfaceView::Sheet(_) | SurfaceView::Curve(_) => None,
    })
}

fn domain(samples: &dyn Lattice) -> Domain {
    let size = samples.size().map(|count| count as u32);
    Domain { size, origin: samples.origin(), spacing: samples.spacing() }
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
