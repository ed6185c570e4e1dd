#!/usr/bin/env python3
"""Times the 512 x 512 stable-fluid example that comes with Taichi, on the CPU.

    pip install taichi
    python3 benches/peers/taichi_stable_fluid.py [--sweeps 40 500] [--threads 2] [--steps 20]
    undine bench stable-fluids

Prints one JSON object per number of Jacobi sweeps: the milliseconds of the fastest step. The example advects velocity and
three channels of dye once per step, semi-Lagrangian; its sweeps do not converge. Run both on the same idle machine: only
times from one machine are comparable.
"""

import argparse
import json
import os
import sys
import time


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweeps", type=int, nargs="+", default=[40, 500], help="Jacobi sweeps per step")
    parser.add_argument("--threads", type=int, default=0, help="threads for Taichi; all when absent")
    parser.add_argument("--steps", type=int, default=20, help="steps to time, after two to warm up")
    return parser.parse_args()


def load_example(threads):
    """Imports the example, which starts Taichi by itself and reads its own arguments."""
    sys.argv = sys.argv[:1]
    os.environ.setdefault("TI_LOG_LEVEL", "error")
    if threads:
        os.environ["TI_CPU_MAX_NUM_THREADS"] = str(threads)
    from taichi.examples.simulation import stable_fluid

    return stable_fluid


def fastest_step(example, sweeps, steps):
    import numpy
    import taichi

    example.p_jacobi_iters = sweeps
    # A hand that pushes in the middle, so that there is something to carry
    mouse = numpy.zeros(8, dtype=numpy.float32)
    mouse[:7] = [1.0, 0.5, 256.0, 256.0, 0.9, 0.4, 0.2]
    best = float("inf")
    for turn in range(steps + 2):
        taichi.sync()
        start = time.perf_counter()
        example.step(mouse)
        taichi.sync()
        if turn >= 2:
            best = min(best, time.perf_counter() - start)
    return best


def main():
    arguments = read_arguments()
    example = load_example(arguments.threads)
    for sweeps in arguments.sweeps:
        seconds = fastest_step(example, sweeps, arguments.steps)
        print(
            json.dumps(
                {
                    "peer": "taichi stable_fluid",
                    "cells": example.res**2,
                    "jacobi_sweeps": sweeps,
                    "milliseconds_per_step": round(1e3 * seconds, 2),
                    "steps_per_second": round(1 / seconds, 2),
                }
            )
        )


if __name__ == "__main__":
    main()
