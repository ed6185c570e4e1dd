//! A whole water in one short file: a tub with a running tap and an open drain, dV/dt = tap − a √(2 g h).
//!
//! `cargo run -p undine-sim --example bathtub` fills it until as much leaves as comes in.
#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::io;

use glam::{DVec2, DVec3};
use undine_sim::{
    Budget, Disturbance, Phases, Reader, Sample, Seconds, Simulation, Step, StepError, View, Volume, World,
    Writer,
};

// Area of the tub and of its drain in m², and what the tap gives in m³/s.
const AREA: f64 = 0.8;
const DRAIN: f64 = 0.0004;
const TAP: f64 = 0.0006;

/// The tub knows its ledger, and so its level.
#[derive(Default)]
struct Bathtub(Volume);

impl Sample for Bathtub {
    fn height(&self, _: DVec2) -> Option<f64> {
        Some(self.0.held / AREA)
    }
    fn velocity(&self, _: DVec3) -> DVec3 {
        DVec3::ZERO
    }
}

impl Simulation for Bathtub {
    fn max_dt(&self) -> Seconds {
        1.0
    }
    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        let drained = DRAIN * (2.0 * world.gravity * self.0.held / AREA).sqrt() * dt;
        if drained > self.0.held + TAP * dt {
            return Ok(Step::Retry { dt: 0.5 * dt });
        }
        self.0.inflow += TAP * dt;
        self.0.outflow += drained;
        self.0.held += TAP * dt - drained;
        Ok(Step::Done(Phases::default()))
    }
    fn disturb(&mut self, _: &Disturbance) -> bool {
        false
    }
    fn view(&self) -> View<'_> {
        View::default()
    }
    fn budget(&self) -> Budget {
        Budget { volume: self.0, ..Budget::default() }
    }
    fn cells(&self) -> u64 {
        1
    }
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("tub", &[self.0.held, self.0.inflow, self.0.outflow])
    }
    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let [held, inflow, outflow] = from.array("tub")?;
        self.0 = Volume { held, inflow, outflow, ..self.0 };
        Ok(())
    }
}

fn main() -> Result<(), StepError> {
    let mut tub = Bathtub::default();
    for minute in 0..30 {
        println!("{minute:3} min  {:5.1} cm", 100.0 * tub.0.held / AREA);
        // In a scene the runner does this; here the clock is a plain loop, and no step is ever too long.
        for second in 0..60 {
            let time = f64::from(60 * minute + second);
            let mut world = World { time, gravity: 9.81, seed: 1, driver: None };
            assert!(matches!(tub.step(1.0, &mut world)?, Step::Done(_)));
        }
    }
    let level_for_balance = (TAP / DRAIN).powi(2) / (2.0 * 9.81);
    println!("in the end {:.1} cm", 100.0 * level_for_balance);
    Ok(())
}
