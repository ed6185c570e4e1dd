//! `undine check`.

use undine::render::Effort;
use undine::{OpenError, Plan};

use super::SceneArgs;
use super::shots::ShotArgs;
use crate::style::{Exit, bytes, problem_json, say, say_json, seconds};

/// Check a scene and estimate what it will take
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine check my/scene.toml
  undine check swell --scale 4 --json")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    shot: ShotArgs,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks a scene.
pub fn run(args: &Args) -> Result<(), Exit> {
    let opened = undine::open(&args.scene.scene, &args.scene.options_with(&args.shot)?);
    let plan = opened.and_then(|scene| Plan::new(scene, undine::available_memory()).map_err(OpenError::from));
    let plan = match plan {
        Ok(plan) => plan,
        Err(OpenError::Scene(errors)) if args.json => {
            let problems: Vec<_> = errors.iter().map(problem_json).collect();
            say_json(&serde_json::json!({ "ok": false, "problems": problems }));
            return Err(Exit::Wrong(format!(
                "{} {}",
                errors.len(),
                if errors.len() == 1 { "problem" } else { "problems" }
            )));
        }
        Err(error) => return Err(error.into()),
    };
    let threads = undine::grid::par::threads();
    let frames = plan.runner.frame_count();
    let count = plan.runner.count();
    let per_frame = plan.seconds_per_frame(threads);
    let pictures = plan.seconds_to_draw(threads);
    if args.json {
        say_json(&serde_json::json!({
            "ok": true,
            "name": plan.scene.name,
            "frames": frames,
            "cells": count.cells,
            "particles": count.particles,
            "memory_bytes": plan.memory(),
            "threads": threads,
            "simulate_s": per_frame * frames as f64,
            "render_s": pictures * frames as f64,
            "pictures": plan.efforts.iter().map(|(number, effort)| effort_json(&plan, *number, effort)).collect::<Vec<_>>(),
            "warnings": plan.warnings().map(problem_json).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    plan.warnings().for_each(|warning| say(format!("warning: {warning}\n")));
    say(format!("{} is a good scene", plan.scene.name));
    say(format!("frames  {frames} at {} a second", plan.scene.fps));
    say(format!("size    {count}"));
    for (number, effort) in &plan.efforts {
        let name = plan.pictures.get(*number).map_or("", |picture| &picture.name);
        say(format!("picture {name}: {effort}, chosen for this machine"));
    }
    say(format!("memory  about {}", bytes(plan.memory())));
    say(format!("time    about {} to simulate", seconds(per_frame * frames as f64)));
    say(format!("        about {} to draw, on {threads} threads", seconds(pictures * frames as f64)));
    Ok(())
}

/// How much work a picture gets that leaves it to the machine.
fn effort_json(plan: &Plan, number: usize, effort: &Effort) -> serde_json::Value {
    serde_json::json!({
        "picture": plan.pictures.get(number).map(|picture| &picture.name),
        "size": effort.size,
        "quality": effort.quality.name(),
        "paths": effort.paths,
    })
}
