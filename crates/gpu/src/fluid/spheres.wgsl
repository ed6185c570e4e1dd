// Particles as spheres: depth and thickness of a liquid, and shaded balls. Joined to world.wgsl.

struct Cloud {
    // Radius of the spheres in metres; thickness in metres at the centre of each; least radius in pixels; height of the
    // target in pixels.
    radius: f32,
    thickness: f32,
    least: f32,
    height: f32,
}

@group(1) @binding(0) var<uniform> cloud: Cloud;

struct Sphere {
    @builtin(position) position: vec4<f32>,
    // Position on its disc, in radii.
    @location(0) at: vec2<f32>,
    // Depth of its centre, and its radius.
    @location(1) @interpolate(flat) body: vec2<f32>,
    @location(2) @interpolate(flat) colour: vec3<f32>,
}

// A triangle around the disc, with fewer vertices than a quad.
fn sphere(index: u32, centre: vec3<f32>, colour: vec3<f32>) -> Sphere {
    let corner = vec2<f32>((f32(index) - 1.0) * 1.7320508, select(-1.0, 2.0, index == 1u));
    let ahead = dot(centre - world.eye.xyz, world.ahead.xyz);
    // A sphere smaller than a pixel could fall between samples
    let pixel = 2.0 * world.up.w * max(ahead, 0.0) / cloud.height;
    let radius = max(cloud.radius, cloud.least * pixel);
    let offset = world.right.xyz * corner.x + world.up.xyz * corner.y;
    var out: Sphere;
    out.position = projected(centre + offset * radius);
    // Spheres that cross the near plane are discarded
    if ahead <= world.ahead.w + radius {
        out.position = vec4<f32>(2.0, 2.0, 0.0, 1.0);
    }
    out.at = corner;
    out.body = vec2<f32>(ahead, radius);
    out.colour = colour;
    return out;
}

@vertex
fn sphere_vertex(@builtin(vertex_index) index: u32, @location(0) centre: vec3<f32>) -> Sphere {
    return sphere(index, centre, vec3<f32>(0.0));
}

@vertex
fn coloured_sphere_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) centre: vec3<f32>,
    @location(1) colour: vec4<f32>,
) -> Sphere {
    return sphere(index, centre, colour.rgb * colour.rgb);
}

struct Depth {
    @location(0) ahead: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

// Depth of the front of the sphere.
@fragment
fn depth_fragment(in: Sphere) -> Depth {
    let squared = dot(in.at, in.at);
    if squared > 1.0 {
        discard;
    }
    let ahead = in.body.x - in.body.y * sqrt(1.0 - squared);
    return Depth(vec4<f32>(ahead), world.ahead.w / ahead);
}

// Thickness of the sphere, for additive blending.
@fragment
fn thickness_fragment(in: Sphere) -> @location(0) vec4<f32> {
    let squared = dot(in.at, in.at);
    if squared > 1.0 {
        discard;
    }
    let shrunk = cloud.radius / in.body.y;
    return vec4<f32>(cloud.thickness * shrunk * shrunk * sqrt(1.0 - squared));
}

// A diffuse ball with a small highlight. It keeps the depth of its disc: writing frag_depth would disable the early
// depth test.
@fragment
fn ball_fragment(in: Sphere) -> Opaque {
    let squared = dot(in.at, in.at);
    if squared > 1.0 {
        discard;
    }
    let rise = sqrt(1.0 - squared);
    let normal = world.right.xyz * in.at.x + world.up.xyz * in.at.y - world.ahead.xyz * rise;
    let ray = through(in.position.xy);
    let stretch = length(ray);
    let direction = ray / stretch;
    let highlight = pow(max(dot(normal, normalize(world.sun.xyz - direction)), 0.0), 40.0);
    let light = in.colour * daylight(normal, 1.0) / PI + world.sunlight.rgb * (0.06 * highlight);
    let distance = (in.body.x - in.body.y * rise) * stretch;
    return opaque(hazed(light, direction, distance), distance);
}
