//! The model contract of Undine, and its clock.
//!
//! A water is a [`Simulation`]: it advances physics and nothing else. What it shows of itself is a [`View`], what it
//! holds is a [`Budget`], and the one loop that advances time is [`run()`], made of [`Runner::next_frame`]. A model
//! makes itself known by a [`ModelEntry`]: its name, the keys of its scene section and how to build it.
//!
//! `examples/bathtub.rs` is a whole water on one page.

mod action;
pub mod budget;
mod capture;
#[cfg(not(target_arch = "wasm32"))]
pub mod checkpoint;
pub mod codec;
#[cfg(not(target_arch = "wasm32"))]
pub mod conformance;
mod count_record;
mod counters;
mod disturbance;
mod entry;
mod gauge;
mod interaction;
mod kept_state;
mod outline_distance;
mod run;
mod runner;
mod sections;
mod simulation;
mod snapshot;
mod tile_stamps;
mod timing;
mod view;

pub use action::{ACTION, Action, ActionKind};
pub use budget::{Budget, Volume};
pub use capture::{FieldInfo, capture, offered_fields, water_labels};
pub use codec::{Element, Reader, Writer};
pub use counters::{Counter, CounterKind, Counters};
pub use disturbance::Disturbance;
pub use entry::{Built, ConformanceScenes, Estimate, ModelEntry, RestScene, Status, WATER_KEYS, read_waters};
pub use gauge::{GAUGE, Gauge};
pub use interaction::{ActionError, LIVE_HEADER};
pub use outline_distance::OutlineDistance;
pub use run::{Observer, Outcome, RunError, run};
pub use runner::{FrameStats, Runner, StepFailure, Water};
pub use sections::{Answers, SectionReader, SectionUse, find_reader, reader_of, section_readers};
pub use simulation::{Notice, Sample, Seconds, Simulation, Step, StepError, World};
pub use snapshot::Snapshot;
pub use tile_stamps::{TileStamps, next_stamp};
pub use timing::{Phases, Stopwatch};
pub use undine_checks::Suite;
pub use view::{
    AttributeView, CloudView, Components, Count, FieldView, HeightView, Lattice, LiquidView, SampleField,
    SheetView, SurfaceView, TiledLattice, View,
};
