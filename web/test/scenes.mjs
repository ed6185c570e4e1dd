// Scene files for the checks.

/** Waves in a pool of 128 × 128 cells. */
export const POOL = `[scene]
duration = 60
fps = 60

[[terrain]]
kind = "plane"
level = 0

[[water]]
kind = "kass-miller"
size = [4, 4]
resolution = 128
level = 0.5
hump = [{ center = [-0.7, 0.5], radius = [0.5, 0.5], height = 0.3, shape = "dome" }]
`;

/** A lid-driven cavity of 128 × 128 cells. */
export const FLUID = `[scene]
duration = 60
fps = 60

[[water]]
kind = "stable-fluids"
size = [1, 1]
resolution = 128
viscosity = 1e-3
north = { kind = "moving", speed = 1 }
`;

/** A scene with a misspelt key. */
export const BROKEN = FLUID.replace("viscosity", "viscosty");
