//! Inflow and outflow cells: §3.2.2 and §7.1 of [foster1996].
//!
//! At an inflow the normal velocity of the open faces is given, by an expression of t, and held fixed in the pressure
//! iteration. At an outflow the tentative velocity of the face opposite in the adjacent cell of fluid is copied, and the
//! iteration moves it freely; with a speed it is held fixed as an inflow is. A port may turn from inflow to outflow.
//!
//! A wave-maker adds a ω sin ωt: eq. (20) adds aω² cos ωt at every step, which is that only times δt.

use std::f64::consts::TAU;

use undine_frame::CellKind;
use undine_scene::{Problem, Scene, SceneErrors, Timed, Values};

use super::cells::{Cells, is_fluid};
use super::flow::Flow;
use super::port_keys::PORT;
use super::surface::{InflowFace, InflowFaces};
use super::voxels::Voxels;
use crate::liquid::sources::SourceRegion;
use crate::solids::read_kind;

/// The most ports of a water.
pub(super) const MOST_PORTS: usize = 64;

/// A face between a cell of a port and the open.
#[derive(Debug, Clone, Copy)]
struct PortFace {
    axis: usize,
    /// Place of the face in the arrays of the flow.
    at: usize,
    /// Place of the cell beside the port.
    beside: usize,
    /// The face opposite to it in that cell.
    opposite: usize,
    /// 1 where water comes in towards higher coordinates, else −1.
    sign: f64,
    /// Component of the direction of the port along `sign`; 1 across the face.
    slant: f64,
}

/// Cells through which water flows.
#[derive(Debug, Clone)]
pub(super) struct Port<const D: usize> {
    values: Values,
    flows_out: bool,
    speed: Option<Timed>,
    /// a and ω of the wave-maker.
    wave: [f64; 2],
    turns_out_at: f64,
    towards: Option<[f64; D]>,
    markers: Option<Timed>,
    cells: Vec<usize>,
    faces: Vec<PortFace>,
    inflow_faces: Vec<InflowFace<D>>,
}

/// Volume per second through the ports, by the face velocities.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PortFlux {
    pub inflow: f64,
    pub outflow: f64,
}

impl<const D: usize> Port<D> {
    /// Reads the ports of the water with these values, without faces yet.
    pub fn read_all(
        scene: &Scene,
        water: &Values,
        cells: &Cells<D>,
        voxels: &Voxels<D>,
    ) -> Result<Vec<Port<D>>, SceneErrors> {
        let (mut errors, mut ports) = (SceneErrors::default(), Vec::new());
        for section in scene.sections(PORT.name) {
            let Some((kind, values)) = errors.keep(read_kind(scene, &section, water, &PORT, D)).flatten()
            else {
                continue;
            };
            let found = match kind.name {
                "voxels" => Ok(voxels.cells_of(values.text("letter"))),
                _ => SourceRegion::read(scene, &section, water, &PORT)
                    .map(|read| read.map_or_else(Vec::new, |(region, ..)| cells_in(&region, cells))),
            };
            if ports.len() == MOST_PORTS {
                let message = format!("more than {MOST_PORTS} ports in one water");
                errors.push(values.problem("kind", message, "join some of them to one"));
                break;
            }
            if let Some(found) = errors.keep(found) {
                ports.extend(errors.keep(Port::new(values, found)));
            }
        }
        errors.into_result().map(|()| ports)
    }

    fn new(values: Values, cells: Vec<usize>) -> Result<Port<D>, SceneErrors> {
        if cells.is_empty() {
            let remedy = "move it into the box, or make it larger than a cell";
            return Err(values.problem("kind", "this port covers no cell", remedy).into());
        }
        let towards: Option<[f64; D]> = values.vector_if("towards");
        let length = towards.map(|towards| towards.iter().map(|x| x * x).sum::<f64>().sqrt());
        if length == Some(0.0) {
            let remedy = "give a direction, or leave it out";
            return Err(values.problem("towards", "this points nowhere", remedy).into());
        }
        Ok(Port {
            flows_out: values.word("flow") == "out",
            speed: values.timed_if("speed").cloned(),
            wave: [values.number("wave_amplitude"), TAU / values.number("wave_period")],
            turns_out_at: values.number_if("turns_out_at").unwrap_or(f64::INFINITY),
            towards: towards.map(|towards| towards.map(|x| x / length.unwrap_or(1.0))),
            markers: values.timed_if("markers").cloned(),
            values,
            cells,
            faces: Vec::new(),
            inflow_faces: Vec::new(),
        })
    }

    /// Its cells, by their places in [`Cells::kinds`].
    pub fn cells(&self) -> &[usize] {
        &self.cells
    }

    /// A problem of this port.
    pub fn problem(&self, message: impl Into<String>, remedy: &str) -> Problem {
        self.values.problem("kind", message, remedy)
    }

    /// Whether its faces are free to move, rather than given, at a time.
    fn is_free(&self, time: f64) -> bool {
        time >= self.turns_out_at || self.flows_out && self.speed.is_none()
    }

    /// The kind of its cells at a time.
    pub fn kind(&self, time: f64) -> CellKind {
        if self.is_free(time) { CellKind::Outflow } else { CellKind::Inflow }
    }

    /// Finds its faces to cells that are no obstacles; an error if there are none.
    pub fn find_faces(&mut self, cells: &Cells<D>, flow: &Flow<D>) -> Result<(), Problem> {
        let strides = flow.index.strides();
        let towards = self.towards.or_else(|| self.direction_from_side(cells));
        for &index in &self.cells {
            let cell = cells.cell(index);
            let at = flow.index.at(cell);
            for axis in 0..D {
                for (is_high, sign) in [(false, -1.0), (true, 1.0)] {
                    let beside = undine_grid::neighbour(cell.map(|i| i as isize), axis, sign as isize);
                    let slant = towards.map_or(1.0, |towards| sign * towards[axis]);
                    if cells.is_obstacle(beside) || slant <= 0.0 {
                        continue;
                    }
                    let s = strides[axis];
                    self.faces.push(PortFace {
                        axis,
                        at: if is_high { at + s } else { at },
                        beside: if is_high { at + s } else { at - s },
                        opposite: if is_high { at + 2 * s } else { at - s },
                        sign,
                        slant,
                    });
                    self.inflow_faces.push(InflowFace { cell, axis, towards_high: is_high });
                }
            }
        }
        match self.faces.is_empty() {
            true => {
                let remedy = "leave cells without an obstacle beside it, in its direction";
                Err(self.problem("this port opens into a solid", remedy))
            }
            false => Ok(()),
        }
    }

    /// The direction into the box, where all cells lie at one side of it and no other.
    fn direction_from_side(&self, cells: &Cells<D>) -> Option<[f64; D]> {
        let last = cells.grid().cells().map(|count| count - 1);
        let mut found = None;
        for axis in 0..D {
            for (side, inwards) in [(0, 1.0), (last[axis], -1.0)] {
                if self.cells.iter().all(|&index| cells.cell(index)[axis] == side) {
                    let direction = std::array::from_fn(|along| if along == axis { inwards } else { 0.0 });
                    if found.replace(direction).is_some() {
                        return None;
                    }
                }
            }
        }
        found
    }

    /// Mean speed into the water over a step.
    fn mean_speed(&self, from: f64, to: f64) -> Result<f64, Problem> {
        let speed = self.speed.as_ref().map_or(Ok(0.0), |speed| speed.mean(from, to))?;
        let [amplitude, omega] = self.wave;
        // The mean of a ω sin ωt
        let wave = match to > from {
            true => amplitude * ((omega * from).cos() - (omega * to).cos()) / (to - from),
            false => amplitude * omega * (omega * from).sin(),
        };
        Ok(if self.flows_out { -speed } else { speed } + wave)
    }

    /// The greatest speed that it prescribes at a time, for the length of steps.
    pub fn speed(&self, time: f64) -> f64 {
        if self.is_free(time) { 0.0 } else { self.mean_speed(time, time).map_or(0.0, f64::abs) }
    }

    /// Sets the velocities of its faces before a step; `is_open` refuses what finds no room.
    pub fn set_velocity(
        &self,
        flow: &mut Flow<D>,
        from: f64,
        to: f64,
        is_open: impl Fn(usize) -> bool,
    ) -> Result<(), Problem> {
        if self.is_free(from) {
            return Ok(());
        }
        let speed = self.mean_speed(from, to)?;
        for face in &self.faces {
            // Nothing is drawn out of Empty cells
            let has_water = is_fluid(flow.kinds[face.beside]);
            let passes = if speed < 0.0 { has_water } else { is_open(face.beside) };
            let inwards = if passes { speed * face.slant } else { 0.0 };
            flow.velocity[face.axis][face.at] = face.sign * inwards;
        }
        Ok(())
    }

    /// At an outflow the tentative velocity is that of the face opposite, then free to relax. Where that would draw water in,
    /// the cell is shut for the step: nothing outside holds back what comes in, and more and more would.
    pub fn copy_tentative(&self, flow: &mut Flow<D>, time: f64) {
        if !self.is_free(time) {
            return;
        }
        let strides = flow.index.strides();
        let cell = |face: &PortFace| {
            if face.sign > 0.0 { face.beside - strides[face.axis] } else { face.beside + strides[face.axis] }
        };
        self.faces.iter().for_each(|face| flow.kinds[cell(face)] = CellKind::Outflow);
        for face in &self.faces {
            let has_water = is_fluid(flow.kinds[face.beside]);
            let values = &mut flow.tentative[face.axis];
            let velocity = if has_water { values[face.opposite] } else { 0.0 };
            let flows_out = face.sign * velocity <= 0.0;
            values[face.at] = if flows_out { velocity } else { 0.0 };
            if !flows_out {
                flow.kinds[cell(face)] = CellKind::Solid;
            }
        }
    }

    /// Volume per second through it.
    pub fn flux(&self, flow: &Flow<D>) -> PortFlux {
        let (measure, spacing) = (flow.grid.cell_measure(), flow.grid.spacing());
        let mut flux = PortFlux::default();
        for face in &self.faces {
            let inwards = face.sign * flow.velocity[face.axis][face.at] * measure / spacing[face.axis];
            flux.inflow += inwards.max(0.0);
            flux.outflow += (-inwards).max(0.0);
        }
        flux
    }

    /// Volume per second that it would bring into the cells that `is_open` refuses.
    pub fn refused(
        &self,
        flow: &Flow<D>,
        from: f64,
        to: f64,
        is_open: impl Fn(usize) -> bool,
    ) -> Result<f64, Problem> {
        if self.is_free(from) {
            return Ok(0.0);
        }
        let speed = self.mean_speed(from, to)?.max(0.0);
        let (measure, spacing) = (flow.grid.cell_measure(), flow.grid.spacing());
        let shut = self.faces.iter().filter(|face| !is_open(face.beside));
        Ok(shut.map(|face| speed * face.slant * measure / spacing[face.axis]).sum())
    }

    /// Its faces for the birth of markers, and their rate, during a step; none when it lets water out.
    pub fn births(&self, from: f64, to: f64) -> Result<Option<InflowFaces<'_, D>>, Problem> {
        if self.is_free(from) {
            return Ok(None);
        }
        let rate = self.markers.as_ref().map(|rate| rate.mean(from, to)).transpose()?;
        // Markers of a port that is shut wait until it opens
        let is_shut = self.mean_speed(from, to)? <= 0.0;
        let markers_per_second = if is_shut { Some(0.0) } else { rate };
        Ok(Some(InflowFaces { faces: &self.inflow_faces, markers_per_second }))
    }
}

/// Points per axis at which a cell is looked for in a region without the centre of a cell.
const POINTS_PER_CELL: usize = 8;

/// The cells whose centres lie in a region; those that it touches where it is thinner than a cell, as on a coarser grid.
fn cells_in<const D: usize>(region: &SourceRegion<D>, cells: &Cells<D>) -> Vec<usize> {
    let grid = cells.grid();
    let placed = region.at_start();
    let index_of = |index: usize| cells.cell(index).map(|i| i as isize);
    let all = 0..grid.cell_count();
    let by_centre: Vec<usize> =
        all.clone().filter(|&index| placed.contains(grid.centre(index_of(index)))).collect();
    if !by_centre.is_empty() {
        return by_centre;
    }
    let touches = |low: [f64; D]| {
        (0..POINTS_PER_CELL.pow(D as u32)).any(|number| {
            placed.contains(std::array::from_fn(|axis| {
                let point = number / POINTS_PER_CELL.pow(axis as u32) % POINTS_PER_CELL;
                low[axis] + (point as f64 + 0.5) / POINTS_PER_CELL as f64 * grid.spacing()[axis]
            }))
        })
    };
    all.filter(|&index| touches(grid.node(index_of(index)))).collect()
}
