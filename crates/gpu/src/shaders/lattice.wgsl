// A lattice of water: its maps, and its vertices in tiles.

override REFRACTION: bool = true;
override CAUSTICS: bool = true;
override WETNESS: bool = true;
override FOAM: bool = true;
override RIPPLES: bool = true;
override GLITTER: bool = true;
override LINES: bool = false;
override DRAPED: bool = false;
override CLASSIC: bool = false;
override HAZE: bool = true;
// Whether a block or a tank stands on a floor.
override FLOOR: bool = false;
// Whether that floor is in a studio, rather than under the sky.
override STUDIO: bool = false;
// Ground may be under water, and it may be dry.
override FLOODED: bool = true;
override DRY: bool = true;
// Whether water has a bed of its own.
override HAS_BED: bool = true;
// What land is covered with, and what the bed of open water is made of.
override GROUND: i32 = 0;
override BED: i32 = 1;

struct Lattice {
    // Position of the first sample, and the distance of samples.
    place: vec4<f32>,
    // Samples along both axes; whether it has a bed; whether samples move sideways.
    size: vec4<f32>,
    // Mean level; least depth that is drawn; lower end of a cut block; samples in a stride along the border.
    level: vec4<f32>,
    // Lowest and highest ground; width of the land; whether a field is laid over it.
    ground: vec4<f32>,
}

@group(2) @binding(0) var<uniform> lattice: Lattice;
@group(2) @binding(1) var places: texture_2d<f32>;
@group(2) @binding(2) var slope_map: texture_2d<f32>;
@group(2) @binding(3) var ground_map: texture_2d<f32>;
@group(2) @binding(4) var caustic_map: texture_2d<f32>;
@group(2) @binding(5) var drape_map: texture_2d<f32>;

const CELLS: i32 = 32;

// The sample that a vertex of a tile stands on. Along an edge to a coarser tile it moves onto that tile's vertices.
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

// A sample's place, where `part` 0 is the water and 1 the bed.
fn place_at(at: vec2<i32>, part: i32) -> vec3<f32> {
    let texel = textureLoad(places, at, 0);
    if lattice.size.w > 0.5 {
        return texel.xyz;
    }
    let level = lattice.place.xy + vec2<f32>(at) * lattice.place.zw;
    return vec3<f32>(level, select(texel.x, texel.y, part == 1));
}

// Texture coordinates of the maps at a sample, and at a point of a height field.
fn map_place(at: vec2<f32>) -> vec2<f32> {
    return (at + 0.5) / lattice.size.xy;
}

fn map_under(point: vec2<f32>) -> vec2<f32> {
    return map_place((point - lattice.place.xy) / lattice.place.zw);
}

struct Surface {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) at: vec2<f32>,
    // How strongly the breeze ruffles the water.
    @location(2) breeze: f32,
}

// How strongly the breeze ruffles the water at a place, from 0 to 1: it comes in patches, wider than a tile of ripples.
fn breeze_at(at: vec2<f32>) -> f32 {
    let place = at / (world.ripples.y * 14.0) - vec2<f32>(world.drift.z * 0.07, 0.0);
    return textureSampleLevel(noise_tile, repeated, place, 2.0).x;
}

@vertex
fn water_vertex(@builtin(vertex_index) vertex: u32, @location(0) tile: vec4<i32>) -> Surface {
    let at = sample_of(i32(vertex), tile);
    let point = place_at(at, 0);
    // A little nearer than it is: at the shore the depth of the water decides what is seen, not which coarse triangle
    // happens to lie above.
    return Surface(projected(point) * vec4<f32>(1.0, 1.0, 1.004, 1.0), point, map_place(vec2<f32>(at)), breeze_at(point.xy));
}

@vertex
fn ground_vertex(@builtin(vertex_index) vertex: u32, @location(0) tile: vec4<i32>) -> Surface {
    let at = sample_of(i32(vertex), tile);
    let point = place_at(at, 1);
    return Surface(projected(point), point, map_place(vec2<f32>(at)), 0.0);
}
