// Layers that fill the cells of a field: colours, dye, liquids, solids, grid lines. Joined to page.wgsl and to
// colours.wgsl.

struct Plane {
    // The corner of the first cell and the size of a cell, in metres.
    corner: vec2<f32>,
    spacing: vec2<f32>,
    // Cells along both axes; components per sample; opacity of the layer.
    cells: vec2<f32>,
    components: f32,
    opacity: f32,
    // Linear colour, or that of the paper of dye.
    colour: vec4<f32>,
    // Strength of dye; whether values are interpolated; samples per pixel and axis; whether dye absorbs.
    parameters: vec4<f32>,
}

@group(1) @binding(0) var<uniform> plane: Plane;
@group(1) @binding(1) var samples: texture_2d<f32>;

struct Fragment {
    @builtin(position) position: vec4<f32>,
    // Position in cells; the centre of the first cell is 0.
    @location(0) at: vec2<f32>,
}

@vertex
fn cover_vertex(@builtin(vertex_index) index: u32) -> Fragment {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    var out: Fragment;
    out.position = on_page(plane.corner + corner * plane.cells * plane.spacing);
    out.at = corner * plane.cells - 0.5;
    return out;
}

fn texel(at: vec2<i32>) -> vec4<f32> {
    let last = vec2<i32>(plane.cells) - 1;
    return textureLoad(samples, clamp(at, vec2<i32>(0), last), 0);
}

// The value of a sample, or the magnitude of a vector.
fn sample(at: vec2<i32>) -> f32 {
    let numbers = texel(at);
    if plane.components < 1.5 {
        return numbers.x;
    }
    if plane.components < 2.5 {
        return select(length(numbers.xy), MISSING, max(abs(numbers.x), abs(numbers.y)) >= MISSING);
    }
    let largest = max(max(abs(numbers.x), abs(numbers.y)), max(abs(numbers.z), abs(numbers.w)));
    return select(length(numbers), MISSING, largest >= MISSING);
}

// Bilinear interpolation; missing where one of the four samples is.
fn smooth_value(at: vec2<f32>) -> f32 {
    let inside = clamp(at, vec2<f32>(0.0), plane.cells - 1.0);
    let low = floor(inside);
    let share = inside - low;
    let first = vec2<i32>(low);
    let a = sample(first);
    let b = select(sample(first + vec2<i32>(1, 0)), a, share.x <= 0.0);
    let c = select(sample(first + vec2<i32>(0, 1)), a, share.y <= 0.0);
    let d = select(select(sample(first + vec2<i32>(1, 1)), b, share.y <= 0.0), c, share.x <= 0.0);
    if max(max(abs(a), abs(b)), max(abs(c), abs(d))) >= MISSING {
        return MISSING;
    }
    return mix(mix(a, b, share.x), mix(c, d, share.x), share.y);
}

fn value_at(at: vec2<f32>) -> f32 {
    if plane.parameters.y > 0.5 {
        return smooth_value(at);
    }
    return sample(vec2<i32>(floor(at + 0.5)));
}

// Size of a pixel in cells.
fn reach() -> vec2<f32> {
    return 1.0 / (page.density * plane.spacing);
}

@fragment
fn field_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let looks = i32(plane.parameters.z);
    let step = reach() / f32(looks);
    let first = in.at - 0.5 * reach() + 0.5 * step;
    var sum = 0.0;
    var count = 0.0;
    for (var look = 0; look < looks * looks; look += 1) {
        let value = value_at(first + step * vec2<f32>(f32(look % looks), f32(look / looks)));
        if abs(value) < MISSING {
            sum += value;
            count += 1.0;
        }
    }
    let mean = select(MISSING, sum / max(count, 1.0), count > 0.0);
    let colour = colour_of(mean);
    return vec4<f32>(colour.rgb, colour.a * plane.opacity);
}

// Weights of the quadratic B-spline for the three nearest samples.
fn spline(t: f32) -> vec3<f32> {
    let low = 0.5 * (0.5 - t) * (0.5 - t);
    let high = 0.5 * (0.5 + t) * (0.5 + t);
    return vec3<f32>(low, 1.0 - low - high, high);
}

// Dye by quadratic B-splines, so that thin jets have no staircase artefacts.
fn dye_at(at: vec2<f32>) -> vec3<f32> {
    let middle = floor(at + 0.5);
    let first = vec2<i32>(middle);
    let wx = spline(at.x - middle.x);
    let wy = spline(at.y - middle.y);
    var sum = vec3<f32>(0.0);
    for (var row = 0; row < 3; row += 1) {
        let line = first + vec2<i32>(0, row - 1);
        let along = texel(line - vec2<i32>(1, 0)).rgb * wx.x + texel(line).rgb * wx.y + texel(line + vec2<i32>(1, 0)).rgb * wx.z;
        sum += along * wy[row];
    }
    return sum;
}

// Colour of dye: emission, saturating as 1 − exp(−s c); or absorption of white paper by the complement, by
// Beer–Lambert.
fn dyed(dye: vec3<f32>) -> vec3<f32> {
    if plane.parameters.w < 0.5 {
        return 1.0 - exp(-plane.parameters.x * dye);
    }
    let squares = dye * dye;
    let norm = sqrt(sqrt(dot(squares, squares)));
    let pairs = max(dye.x * dye.y + dye.y * dye.z + dye.z * dye.x, 1e-37);
    let grey = 3.0 * dye.x * dye.y * dye.z / pairs;
    return plane.colour.rgb * exp(-plane.parameters.x * (norm - dye + grey));
}

@fragment
fn dye_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let amount = dye_at(in.at);
    if max(max(abs(amount.x), abs(amount.y)), abs(amount.z)) >= 1e29 {
        return vec4<f32>(0.0);
    }
    return vec4<f32>(dyed(clamp(amount, vec3<f32>(0.0), vec3<f32>(1e4))), plane.opacity);
}

// A distance field and its gradient per cell, by quadratic B-splines, which have no creases as bilinear values do.
fn distance_at(at: vec2<f32>) -> vec3<f32> {
    let middle = floor(at + 0.5);
    let t = at - middle;
    let first = vec2<i32>(middle);
    let wx = spline(t.x);
    let wy = spline(t.y);
    let sx = vec3<f32>(t.x - 0.5, -2.0 * t.x, t.x + 0.5);
    let sy = vec3<f32>(t.y - 0.5, -2.0 * t.y, t.y + 0.5);
    var out = vec3<f32>(0.0);
    for (var row = 0; row < 3; row += 1) {
        let line = first + vec2<i32>(0, row - 1);
        let values = vec3<f32>(sample(line - vec2<i32>(1, 0)), sample(line), sample(line + vec2<i32>(1, 0)));
        let along = dot(values, wx);
        out += vec3<f32>(along * wy[row], dot(values, sx) * wy[row], along * sy[row]);
    }
    return out;
}

// Signed distance from the edge in pixels, and its direction of increase. Near the edge it is divided by the magnitude
// of the gradient, which need not be 1.
fn edge_at(at: vec2<f32>) -> vec3<f32> {
    let found = distance_at(at);
    let slope = found.yz / plane.spacing;
    let steep = length(slope);
    let away = smoothstep(0.5, 1.5, abs(found.x) / min(plane.spacing.x, plane.spacing.y));
    let measure = mix(max(steep, 0.35), 1.0, away);
    return vec3<f32>(found.x / measure * page.density, slope / max(steep, 1e-6));
}

fn covered(distance: f32) -> f32 {
    return clamp(0.5 - distance, 0.0, 1.0) * plane.opacity;
}

const SHALLOW: vec3<f32> = vec3<f32>(0.10, 0.50, 0.78);
const RIM: vec3<f32> = vec3<f32>(0.72, 0.93, 1.0);

// Liquid that darkens with depth, with a rim that is bright where it faces up, as in the software renderer.
@fragment
fn liquid_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let edge = edge_at(in.at);
    let tall = plane.cells.y * plane.spacing.y * page.density;
    let below = max(-edge.x, 0.0);
    let rims = below / max(0.03 * tall, 1.0);
    let depths = below / max(0.3 * tall, 1.0);
    let down = 1.0 - (in.at.y + 0.5) / plane.cells.y;
    let body = mix(plane.colour.rgb, max(SHALLOW, plane.colour.rgb), exp(-1.6 * depths)) * (1.12 - 0.45 * down);
    let facing = smoothstep(-1.2, 1.0, edge.z);
    let glow = exp(-2.2 * rims) * (0.10 + 0.42 * facing);
    let line = (1.0 - smoothstep(0.0, 0.22, rims)) * (0.25 + 0.75 * facing);
    return vec4<f32>(mix(body + RIM * glow, RIM, 0.9 * line), covered(edge.x));
}

// Solids with a rim lit from above.
@fragment
fn solid_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let edge = edge_at(in.at);
    let rim = 1.0 - smoothstep(0.0, 7.0, -edge.x);
    let light = 1.0 + rim * (0.5 * dot(edge.yz, vec2<f32>(-0.45, 0.89)));
    return vec4<f32>(plane.colour.rgb * light, covered(edge.x));
}

// Lines between cells, a pixel wide, that fade out where cells are small.
@fragment
fn grid_fragment(in: Fragment) -> @location(0) vec4<f32> {
    let cell = 1.0 / reach();
    // Cell centres are at integers, so borders are at half-integers
    let away = abs(fract(in.at) - 0.5) * cell;
    let fade = clamp((cell - 2.5) / 4.0, vec2<f32>(0.0), vec2<f32>(1.0));
    let lines = clamp(1.0 - away, vec2<f32>(0.0), vec2<f32>(1.0)) * fade;
    return vec4<f32>(plane.colour.rgb, plane.colour.a * max(lines.x, lines.y));
}
