#!/usr/bin/env python3
"""Times the bake of a dam break by Blender's liquid (Mantaflow, FLIP), without a window.

    apt install blender
    blender -b -P benches/peers/blender_liquid.py -- [--resolution 128] [--frames 24] [--threads 2] [--mesh off on]
    undine bench liquid/step

The tank is 2 x 1 x 1 m and a third full, at 24 frames per second: the scene of `undine bench liquid/step`. Prints one JSON
object with and one without the mesh: the mean seconds per frame, and from the cache the number of cells and particles and the
position of the front along the floor. The time includes writing the cache, but not loading the particles for display. To time
Undine with the cache and the mesh, run the same scene:

    undine run dam-break --set water.0.resolution=128 --out dam

Run both on the same idle machine: only times from one machine are comparable.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time

import bpy


def read_arguments():
    own = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resolution", type=int, default=128, help="cells along the longest side")
    parser.add_argument("--frames", type=int, default=24, help="frames to bake")
    parser.add_argument("--threads", type=int, default=0, help="threads for Blender; all when absent")
    parser.add_argument("--mesh", nargs="+", choices=["off", "on"], default=["off", "on"], help="make a mesh too")
    return parser.parse_args(own)


def add_box(name, low, high):
    """A box between two corners, its scale applied."""
    middle = [0.5 * (a + b) for a, b in zip(low, high)]
    bpy.ops.mesh.primitive_cube_add(size=1, location=middle)
    box = bpy.context.active_object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    return box


def make_fluid(box, kind):
    modifier = box.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = kind
    return modifier


def make_scene(arguments, with_mesh, cache):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_start, scene.frame_end = 1, arguments.frames
    if arguments.threads:
        scene.render.threads_mode = "FIXED"
        scene.render.threads = arguments.threads

    domain = add_box("Tank", [0, 0, 0], [2, 1, 1])
    settings = make_fluid(domain, "DOMAIN").domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = arguments.resolution
    settings.use_mesh = with_mesh
    settings.cache_directory = cache
    settings.cache_type = "ALL"
    settings.cache_frame_start, settings.cache_frame_end = 1, arguments.frames
    show_particles(settings, False)

    # 1 mm inside the tank, so that no face of the block coincides with a wall of the domain
    column = add_box("Column", [0.001, 0.001, 0.001], [2 / 3, 0.999, 0.999])
    flow = make_fluid(column, "FLOW").flow_settings
    flow.flow_type = "LIQUID"
    flow.flow_behavior = "GEOMETRY"
    return domain


def show_particles(settings, is_shown):
    """Whether Blender loads the particles for display after each frame. Assigning the flag toggles it."""
    if settings.use_flip_particles != is_shown:
        settings.use_flip_particles = is_shown


def read_frame(domain, frame):
    """The cells of the domain, the number of particles and their largest x, from the cache of a frame."""
    bpy.context.scene.frame_set(frame)
    baked = domain.evaluated_get(bpy.context.evaluated_depsgraph_get())
    cells = list(baked.modifiers["Fluid"].domain_settings.domain_resolution)
    particles = baked.particle_systems[0].particles
    return cells, len(particles), max((one.location.x for one in particles), default=0.0)


def check(domain, arguments, cache):
    """Checks that every frame was baked, at the requested resolution, and that the front moves; returns the facts."""
    folder = os.path.join(cache, "data")
    baked = len(os.listdir(folder)) if os.path.isdir(folder) else 0
    if baked < arguments.frames:
        sys.exit(f"only {baked} files were baked for {arguments.frames} frames")
    show_particles(domain.modifiers["Fluid"].domain_settings, True)
    _, _, start = read_frame(domain, 1)
    cells, particles, front = read_frame(domain, arguments.frames)
    if cells != [arguments.resolution, arguments.resolution // 2, arguments.resolution // 2]:
        sys.exit(f"the domain has {cells} cells")
    if arguments.frames > 1 and not front > start:
        sys.exit(f"the water does not move: {particles} particles reach from x = {start} m to {front} m")
    return {"cells": cells, "particles": particles, "front_m": round(front, 3)}


def bake(arguments, with_mesh):
    """The seconds of a bake, and the facts from its cache."""
    cache = tempfile.mkdtemp(prefix="blender_liquid_")
    try:
        domain = make_scene(arguments, with_mesh, cache)
        bpy.context.view_layer.objects.active = domain
        domain.select_set(True)
        start = time.perf_counter()
        bpy.ops.fluid.bake_all()
        seconds = time.perf_counter() - start
        return seconds, check(domain, arguments, cache)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def main():
    arguments = read_arguments()
    for mesh in arguments.mesh:
        seconds, made = bake(arguments, mesh == "on")
        print(
            json.dumps(
                {
                    "peer": f"blender {bpy.app.version_string} liquid",
                    "resolution": arguments.resolution,
                    "frames": arguments.frames,
                    "mesh": mesh,
                    "seconds_per_frame": round(seconds / arguments.frames, 3),
                    **made,
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
