// A lattice of water: pipeline-overridable constants, maps, and the vertex shaders of its tiles.

override REFRACTION: bool = true;
override CAUSTICS: bool = true;
override WETNESS: bool = true;
override FOAM: bool = true;
override RIPPLES: bool = true;
override FLOW_RIPPLES: bool = false;
override GLITTER: bool = true;
override LINES: bool = false;
override DRAPED: bool = false;
override CLASSIC: bool = false;
override HAZE: bool = true;
// Whether a block or a tank stands on a floor.
override FLOOR: bool = false;
// Whether the floor is in a studio rather than under the sky.
override STUDIO: bool = false;
// Whether ground may be under water, and whether it may be dry.
override FLOODED: bool = true;
override DRY: bool = true;
// Whether water has its own bed.
override HAS_BED: bool = true;
// Material of land, and of the bed of open water; the numbers are those of albedo_of.
override GROUND: i32 = 0;
override BED: i32 = 1;

struct Lattice {
    // Position of the first sample, and grid spacing.
    grid: vec4<f32>,
    // Samples along both axes; whether it has a bed; whether samples are displaced horizontally.
    size: vec4<f32>,
    // Mean level; least depth that is drawn; base of a cut block; stride in samples along the border.
    level: vec4<f32>,
    // Lowest and highest ground; width of the terrain; whether a field is draped over it.
    ground: vec4<f32>,
}

@group(2) @binding(0) var<uniform> lattice: Lattice;
@group(2) @binding(1) var position_map: texture_2d<f32>;
@group(2) @binding(2) var slope_map: texture_2d<f32>;
@group(2) @binding(3) var ground_map: texture_2d<f32>;
@group(2) @binding(4) var caustic_map: texture_2d<f32>;
@group(2) @binding(5) var drape_map: texture_2d<f32>;
// Horizontal velocity in m/s; 1 in the last channel where it is known.
@group(2) @binding(6) var velocity_map: texture_2d<f32>;

const CELLS: i32 = 32;

// The sample of a vertex of a tile. Along an edge to a coarser tile it is snapped to that tile's vertices.
fn sample_of(vertex: i32, tile: vec4<i32>) -> vec2<i32> {
    var at = vec2<i32>(vertex % (CELLS + 1), vertex / (CELLS + 1));
    let own = at;
    let steps = vec4<u32>(vec4<i32>(tile.z >> 4u, tile.z >> 8u, tile.z >> 12u, tile.z >> 16u) & vec4<i32>(15));
    if own.x == 0 { at.y = (at.y >> steps.x) << steps.x; }
    if own.x == CELLS { at.y = (at.y >> steps.y) << steps.y; }
    if own.y == 0 { at.x = (at.x >> steps.z) << steps.z; }
    if own.y == CELLS { at.x = (at.x >> steps.w) << steps.w; }
    return min(tile.xy + at, vec2<i32>(lattice.size.xy) - 1);
}

// Position of a sample of the water (`part` 0) or of the bed (1).
fn place_at(at: vec2<i32>, part: i32) -> vec3<f32> {
    let texel = textureLoad(position_map, at, 0);
    if lattice.size.w > 0.5 {
        return texel.xyz;
    }
    let level = lattice.grid.xy + vec2<f32>(at) * lattice.grid.zw;
    return vec3<f32>(level, select(texel.x, texel.y, part == 1));
}

// Texture coordinates of the maps at a sample, and at a horizontal position.
fn map_place(at: vec2<f32>) -> vec2<f32> {
    return (at + 0.5) / lattice.size.xy;
}

fn map_under(point: vec2<f32>) -> vec2<f32> {
    return map_place((point - lattice.grid.xy) / lattice.grid.zw);
}

struct Surface {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) at: vec2<f32>,
    // Local wind strength, as of breeze_at.
    @location(2) breeze: f32,
}

// Local wind strength from 0 to 1: a noise of patches wider than a tile of ripples.
fn breeze_at(at: vec2<f32>) -> f32 {
    let place = at / (world.ripples.y * 14.0) - vec2<f32>(world.drift.z * 0.07, 0.0);
    return textureSampleLevel(noise_tile, repeated, place, 2.0).x;
}

@vertex
fn water_vertex(@builtin(vertex_index) vertex: u32, @location(0) tile: vec4<i32>) -> Surface {
    let at = sample_of(i32(vertex), tile);
    let point = place_at(at, 0);
    // Depth bias towards the eye: at the waterline the depth of the water decides visibility, not which coarse triangle
    // is above.
    return Surface(projected(point) * vec4<f32>(1.0, 1.0, 1.004, 1.0), point, map_place(vec2<f32>(at)), breeze_at(point.xy));
}

@vertex
fn ground_vertex(@builtin(vertex_index) vertex: u32, @location(0) tile: vec4<i32>) -> Surface {
    let at = sample_of(i32(vertex), tile);
    let point = place_at(at, 1);
    return Surface(projected(point), point, map_place(vec2<f32>(at)), 0.0);
}
