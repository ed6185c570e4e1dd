//! `undine check`.

use undine::render::Effort;
use undine::{OpenError, Plan, TimeEstimate, estimate_time};

use super::SceneArgs;
use super::picture_args::PictureArgs;
use crate::terminal::{CommandError, bytes, print_json, print_line, problem_json, seconds};

/// Check a scene and estimate what it will take
///
/// The time is estimated by timing first steps, a coarse run and small pictures, which takes a few seconds.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine check my/scene.toml
  undine check swell --scale 4 --json")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    picture: PictureArgs,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks a scene.
pub fn run(args: &Args) -> Result<(), CommandError> {
    // Open the scene and build its waters; all problems are reported together
    let opened = undine::open(&args.scene.scene, &args.scene.options_with(&args.picture)?);
    let plan = opened.and_then(|scene| Plan::new(scene, undine::available_memory()).map_err(OpenError::from));
    let mut plan = match plan {
        Ok(plan) => plan,
        Err(OpenError::Scene(errors)) if args.json => {
            let problems: Vec<_> = errors.iter().map(problem_json).collect();
            print_json(&serde_json::json!({ "ok": false, "problems": problems }));
            return Err(CommandError::Wrong(format!(
                "{} {}",
                errors.len(),
                if errors.len() == 1 { "problem" } else { "problems" }
            )));
        }
        Err(error) => return Err(error.into()),
    };
    // The estimate, as JSON or as lines
    let threads = undine::grid::par::threads();
    let frames = plan.runner.frame_count();
    let count = plan.runner.count();
    let TimeEstimate { simulate, draw } = estimate_time(&mut plan, 0..frames, true, 0.0)?;
    if args.json {
        print_json(&serde_json::json!({
            "ok": true,
            "name": plan.scene.name,
            "frames": frames,
            "cells": count.cells,
            "particles": count.particles,
            "capacity_m3": capacities(&plan).into_iter().map(|(name, [_, capacity])| (name, capacity.into())).collect::<serde_json::Map<_, _>>(),
            "memory_bytes": plan.memory(),
            "threads": threads,
            "simulate_s": simulate,
            "render_s": draw,
            "pictures": plan.efforts.iter().map(|(number, effort)| effort_json(&plan, *number, effort)).collect::<Vec<_>>(),
            "warnings": plan.warnings().map(problem_json).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    plan.warnings().for_each(|warning| print_line(format!("warning: {warning}\n")));
    print_line(format!("{} is valid", plan.scene.name));
    print_line(format!("frames  {frames} at {} a second", plan.scene.fps));
    print_line(format!("size    {count}"));
    for (name, [held, capacity]) in capacities(&plan) {
        print_line(format!(
            "room    {name} has room for {capacity:.4} m³, and holds {held:.4} m³ at the start"
        ));
    }
    for (number, effort) in &plan.efforts {
        let name = plan.pictures.get(*number).map_or("", |picture| &picture.name);
        print_line(format!("picture {name}: {effort}, chosen for this machine"));
    }
    print_line(format!("memory  about {}", bytes(plan.memory())));
    print_line(format!("time    about {} to simulate", seconds(simulate)));
    print_line(format!("        about {} to draw, on {threads} threads", seconds(draw)));
    Ok(())
}

/// Volume at the start and capacity in m³ of each water that can be full.
fn capacities(plan: &Plan) -> Vec<(String, [f64; 2])> {
    let waters = plan.runner.waters().iter();
    let both = |water: &undine::sim::Water| {
        let capacity = water.simulation.capacity()?;
        Some((water.name.clone(), [water.simulation.volume().held, capacity]))
    };
    waters.filter_map(both).collect()
}

/// The rendering effort chosen for a picture.
fn effort_json(plan: &Plan, number: usize, effort: &Effort) -> serde_json::Value {
    serde_json::json!({
        "picture": plan.pictures.get(number).map(|picture| &picture.name),
        "size": effort.size,
        "quality": effort.quality.name(),
        "paths": effort.paths,
    })
}
