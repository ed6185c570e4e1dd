//! Draws made-up liquids into a folder: a dam that breaks around a pillar, a crown, honey, a glass that is filled, dyed
//! water, other views of the same, and cuts in 2-D; and how long each took.
//!
//! ```sh
//! cargo run --release -p undine-render --example liquid -- pictures
//! ```

use std::error::Error;
use std::f32::consts::TAU;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use glam::Vec3;
use undine_frame::{Attribute, Body, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Raster, Triangles};
use undine_render::{Picture, Pictures, draw};
use undine_scene::{LoadOptions, Scene};

/// A picture by its name, what the scene file says of it, and what it shows.
type Shot = (&'static str, &'static str, fn() -> Frame);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| String::from("pictures"));
    let only = std::env::args().nth(2);
    fs::create_dir_all(&folder)?;
    let mut times = String::from("picture,triangles,milliseconds\n");
    let scenes: [Shot; 12] = [
        ("dam", "", dam),
        ("dam-west", "azimuth = -150\nelevation = 8", dam),
        ("dam-top", "azimuth = -20\nelevation = 50", dam),
        ("dam-sky", "\n[[picture]]\nbackdrop = 'sky'\ntank = 'plinth'", dam),
        ("crown", "elevation = 12\n[[picture]]\ntank = 'plinth'\nbackdrop = 'dark'", crown),
        ("honey", "\n[[picture]]\nlook = 'honey'\ntank = 'plinth'", honey),
        ("glass", "elevation = 10\n[[picture]]\ntank = 'none'", glass),
        ("dyed", "", dyed),
        ("views", VIEWS, dam),
        ("wires", WIRES, dam),
        ("flat", "\n[[picture]]\nkind = 'flat'", flat),
        ("flat-views", FLAT_VIEWS, flat),
    ];
    for (name, text, frame) in scenes {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let text =
            if text.contains("[[picture]]") { text.to_owned() } else { format!("{text}\n[[picture]]\n") };
        let kind = if text.contains("kind") { "" } else { "kind = 'preview'\n" };
        let text = format!("[scene]\nduration = 1\n[camera]\n{text}\n{kind}size = [960, 540]\n");
        let scene = Scene::parse(name, &text, &LoadOptions::default())?;
        let spec = &Pictures::read(&scene)?[0];
        let frame = frame();
        let triangles: usize = frame.meshes.iter().map(Mesh::triangle_count).sum();
        let mut best = f64::INFINITY;
        let mut picture = draw(spec, &frame)?;
        for _ in 0..2 {
            let start = Instant::now();
            picture = draw(spec, &frame)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        times += &format!("{name},{triangles},{:.0}\n", 1e3 * best);
        write(&Path::new(&folder).join(format!("{name}.png")), &picture)?;
    }
    fs::write(Path::new(&folder).join("times.csv"), times)?;
    Ok(())
}

const VIEWS: &str = "
[[picture]]
layer = [
    { show = 'grid' },
    { show = 'solid' },
    { show = 'particles', colour_by = 'speed' },
]";

const WIRES: &str = "
[[picture]]
backdrop = 'dark'
tank = 'none'
layer = [
    { show = 'grid' },
    { show = 'outline', opacity = 0.25, colour = '#8fd3ff' },
    { show = 'vectors', colour = '#ffb060' },
    { show = 'solid' },
]";

const FLAT_VIEWS: &str = "
[[picture]]
kind = 'flat'
background = '#f4f2ec'
margin = 0.03
layer = [
    { show = 'cells', opacity = 0.5 },
    { show = 'grid' },
    { show = 'particles', colour_by = 'speed', map = 'lagoon' },
    { show = 'outline', colour = '#10243a', thickness = 2 },
    { show = 'solid' },
]";

/// A box of cells with a distance in it.
struct Space<F: Fn(Vec3) -> f32> {
    high: Vec3,
    cell: f32,
    distance: F,
}

impl<F: Fn(Vec3) -> f32> Space<F> {
    fn size(&self) -> [usize; 3] {
        (self.high / self.cell).round().to_array().map(|cells| cells as usize)
    }

    // The distance from what is left of the liquid inside the box.
    fn at(&self, point: Vec3) -> f32 {
        let outside = (-point).max(point - self.high).max_element();
        (self.distance)(point).max(outside)
    }

    fn normal(&self, point: Vec3) -> Vec3 {
        let step = 0.4 * self.cell;
        let slope = |axis: Vec3| self.at(point + axis * step) - self.at(point - axis * step);
        Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)).normalize_or(Vec3::Z)
    }

    /// One vertex in every cell that the surface passes, joined across the edges that it crosses.
    fn mesh(&self) -> Mesh {
        let size = self.size().map(|cells| cells + 2);
        let node = |[x, y, z]: [usize; 3]| (Vec3::new(x as f32, y as f32, z as f32) - 0.5) * self.cell;
        let index = |[x, y, z]: [usize; 3]| (z * (size[1] + 1) + y) * (size[0] + 1) + x;
        let mut values = vec![0.0; (size[0] + 1) * (size[1] + 1) * (size[2] + 1)];
        let (mut positions, mut vertices) = (Vec::new(), vec![u32::MAX; values.len()]);
        each(size.map(|cells| cells + 1), |at| values[index(at)] = self.at(node(at)));
        each(size, |at| {
            let corner = |corner: usize| [0, 1, 2].map(|axis| at[axis] + (corner >> axis & 1));
            let (mut sum, mut count) = (Vec3::ZERO, 0.0);
            for from in 0..8 {
                for to in (0..3).map(|axis| from | 1 << axis).filter(|&to| to != from) {
                    let [a, b] = [from, to].map(|end| values[index(corner(end))]);
                    if (a < 0.0) != (b < 0.0) {
                        sum += node(corner(from)).lerp(node(corner(to)), a / (a - b));
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                vertices[index(at)] = positions.len() as u32;
                positions.push((sum / count).clamp(Vec3::ZERO, self.high));
            }
        });
        let mut triangles = Vec::new();
        each(size, |at| {
            for axis in 0..3 {
                let mut next = at;
                next[axis] += 1;
                let (a, b) = (values[index(at)], values[index(next)]);
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                if (a < 0.0) == (b < 0.0) || at[u] == 0 || at[v] == 0 {
                    continue;
                }
                let around = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[back_u, back_v]| {
                    let mut cell = at;
                    cell[u] -= back_u;
                    cell[v] -= back_v;
                    vertices[index(cell)]
                });
                let [a_, b_, c_, d_] = around;
                let quad = if a < 0.0 { [[a_, b_, c_], [a_, c_, d_]] } else { [[a_, c_, b_], [a_, d_, c_]] };
                triangles.extend(quad);
            }
        });
        let normals = positions.iter().map(|&point| self.normal(point).to_array()).collect();
        Mesh {
            name: "water".into(),
            material: Material::Water,
            positions: positions.iter().map(|point| point.to_array()).collect(),
            normals,
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(triangles),
        }
    }

    fn field(&self) -> Raster {
        let size = self.size();
        let mut values = Vec::new();
        each(size, |at| {
            let place = (Vec3::from(at.map(|along| along as f32)) + 0.5) * self.cell;
            values.push((self.distance)(place).clamp(-3.0 * self.cell, 3.0 * self.cell));
        });
        Raster {
            name: "distance".into(),
            water: 0,
            unit: "m".into(),
            quantity: Quantity::SurfaceDistance,
            size: size.map(|cells| cells as u32),
            components: 1,
            origin: [0.5 * f64::from(self.cell); 3],
            spacing: [f64::from(self.cell); 3],
            values: values.into(),
        }
    }

    fn points(&self, velocity: impl Fn(Vec3) -> Vec3) -> Cloud {
        let mut cloud = Cloud { role: CloudRole::Liquid, radius: 0.3 * self.cell, ..Cloud::default() };
        each(self.size(), |at| {
            let place = (Vec3::from(at.map(|along| along as f32)) + 0.5) * self.cell;
            let inside = (self.distance)(place);
            if inside < 0.0 && inside > -3.0 * self.cell {
                cloud.positions.push(place.to_array());
                cloud.velocities.push(velocity(place).to_array());
            }
        });
        cloud
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::new(0, 0.4);
        frame.meshes.push(self.mesh());
        frame.fields.push(self.field());
        frame.clouds.push(self.points(|at| Vec3::new(2.0 - at.x, 0.3 * (at.y - 0.5), at.z)));
        frame
    }
}

fn each(size: [usize; 3], mut take: impl FnMut([usize; 3])) {
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                take([x, y, z]);
            }
        }
    }
}

fn ball(point: Vec3, centre: Vec3, radius: f32) -> f32 {
    (point - centre).length() - radius
}

fn brick(point: Vec3, low: Vec3, high: Vec3) -> f32 {
    let out = (low - point).max(point - high);
    out.max(Vec3::ZERO).length() + out.max_element().min(0.0)
}

fn random(index: u32, seed: u32) -> f32 {
    let mut bits = index.wrapping_mul(0x9e37_79b1) ^ seed.wrapping_mul(0x85eb_ca77);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
    ((bits ^ bits >> 15) >> 8) as f32 / 16_777_216.0
}

fn merged(a: f32, b: f32, width: f32) -> f32 {
    let share = (0.5 + 0.5 * (b - a) / width).clamp(0.0, 1.0);
    b + (a - b) * share - width * share * (1.0 - share)
}

const PILLAR: [Vec3; 2] = [Vec3::new(1.2, 0.4, 0.0), Vec3::new(1.4, 0.6, 0.8)];

/// A dam that has run against a pillar and the wall behind it.
fn dam() -> Frame {
    let drops: Vec<(Vec3, f32)> = (0..60)
        .map(|index| {
            let at = |seed: u32| random(index, seed);
            let place = Vec3::new(1.0 + 0.95 * at(1), 0.05 + 0.9 * at(2), 0.3 + 0.6 * at(3) * at(4));
            (place, 0.006 + 0.016 * at(5) * at(5))
        })
        .collect();
    let distance = move |p: Vec3| {
        let ripple =
            0.014 * (9.0 * p.x + 4.0 * (5.0 * p.y).sin()).sin() + 0.01 * (17.0 * p.y + 6.0 * p.x).cos();
        let slope =
            0.5 - 0.22 * p.x + 0.10 * (p.x - 1.5).max(0.0) + 0.3 * (p.x - 1.75).max(0.0).powi(2) * 9.0;
        let bulk = (p.z - slope - ripple) * 0.8;
        // A sheet thrown up before the pillar, and one running up the far wall.
        let bend = 1.1 - 0.35 * (p.z - 0.3).max(0.0) + 0.25 * (p.y - 0.5).powi(2);
        let top = 0.78 - 2.2 * (p.y - 0.5).powi(2) + 0.05 * (31.0 * p.y).sin();
        let sheet = ((p.x - bend).abs() - 0.016).max(p.z - top).max(0.2 - p.z);
        let wall = 1.97 - 0.03 * (1.0 + (13.0 * p.y).sin());
        let climb = (wall - p.x).max(p.z - 0.85 - 0.08 * (11.0 * p.y).sin()).max(0.3 - p.z);
        let water = merged(merged(bulk, sheet, 0.06), climb, 0.08);
        let water =
            drops.iter().fold(water, |water, (at, radius)| merged(water, ball(p, *at, *radius), 0.01));
        water.max(-brick(p, PILLAR[0], PILLAR[1]))
    };
    let mut frame = Space { high: Vec3::new(2.0, 1.0, 1.0), cell: 1.0 / 80.0, distance }.frame();
    let middle = 0.5 * (PILLAR[0] + PILLAR[1]);
    frame.bodies.push(body("pillar", PILLAR[0] - middle, PILLAR[1] - middle, middle));
    frame
}

fn body(name: &str, low: Vec3, high: Vec3, place: Vec3) -> Body {
    let positions = (0..8).map(|index| [0, 1, 2].map(|axis: usize| [low, high][index >> axis & 1][axis]));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let shape = Mesh {
        name: name.into(),
        material: Material::Solid,
        positions: positions.collect(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(
            faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
        ),
    };
    Body { position: place.to_array(), rotation: [0.0, 0.0, 0.0, 1.0], ..Body::standing(0, shape) }
}

/// A crown that a drop has thrown up from a pool.
fn crown() -> Frame {
    let distance = |p: Vec3| {
        let offset = Vec3::new(p.x - 0.2, p.y - 0.2, 0.0);
        let (away, angle) = (offset.length(), offset.y.atan2(offset.x));
        let pool = p.z - 0.12 - 0.006 * (90.0 * away).sin() * (-8.0 * away).exp()
            + 0.03 * (-(away / 0.03).powi(2)).exp();
        let teeth = 0.5 + 0.5 * (14.0 * angle).cos();
        let lean = 0.085 + 0.32 * (p.z - 0.12).max(0.0);
        let top = 0.20 + 0.025 * teeth;
        let sheet = ((away - lean).abs() - 0.0035).max(p.z - top).max(0.10 - p.z);
        let beads = (0..14).map(|tooth| {
            let turn = tooth as f32 * TAU / 14.0;
            let rise = 0.235 + 0.03 * random(tooth, 3);
            let place = Vec3::new(0.2 + 0.125 * turn.cos(), 0.2 + 0.125 * turn.sin(), rise);
            ball(p, place, 0.005 + 0.004 * random(tooth, 4))
        });
        beads.fold(merged(pool, sheet, 0.02), f32::min)
    };
    Space { high: Vec3::new(0.4, 0.4, 0.32), cell: 0.4 / 140.0, distance }.frame()
}

/// A thread of honey that coils on a heap.
fn honey() -> Frame {
    let distance = |p: Vec3| {
        let offset = Vec3::new(p.x - 0.06, p.y - 0.06, 0.0);
        let heap = p.z - 0.022 * (-(offset.length() / 0.035).powi(2)).exp() - 0.006;
        let heap = (0.7 * heap).max(offset.length() - 0.045);
        let coils = (0..60).map(|step| {
            let turn = step as f32 * 0.55;
            let place =
                Vec3::new(0.06 + 0.009 * turn.cos(), 0.06 + 0.009 * turn.sin(), 0.022 + 0.0004 * step as f32);
            ball(p, place, 0.0034)
        });
        let thread =
            (Vec3::new(offset.x - 0.009 * (p.z * 60.0).cos() * (0.1 - p.z).max(0.0) * 9.0, offset.y, 0.0)
                .length()
                - 0.0028)
                .max(0.04 - p.z);
        coils.fold(merged(heap, thread, 0.004), |body, coil| merged(body, coil, 0.0015))
    };
    Space { high: Vec3::new(0.12, 0.12, 0.1), cell: 0.12 / 150.0, distance }.frame()
}

/// Water poured into a drinking glass.
fn glass() -> Frame {
    let (middle, inner, outer) = (Vec3::new(0.1, 0.1, 0.0), 0.040, 0.043);
    let distance = move |p: Vec3| {
        let away = (p - middle).with_z(0.0).length();
        let level = 0.075 + 0.004 * (140.0 * away).cos() * (-away * 30.0).exp();
        let filled = (p.z - level).max(away - inner - 0.0004).max(0.012 - p.z);
        let jet = ((p - middle - Vec3::X * 0.01).with_z(0.0).length() - 0.006 - 0.001 * (p.z * 160.0).sin())
            .max(0.07 - p.z);
        merged(filled, jet, 0.006)
    };
    let mut frame = Space { high: Vec3::new(0.2, 0.2, 0.18), cell: 0.2 / 160.0, distance }.frame();
    let cup = move |p: Vec3| {
        let away = p.with_z(0.0).length();
        (away - outer).max(-p.z + 0.001).max(p.z - 0.12).max(-(away - inner).max(0.012 - p.z))
    };
    let shell = Space {
        high: Vec3::new(0.1, 0.1, 0.13),
        cell: 0.0008,
        distance: move |p: Vec3| cup(p - Vec3::new(0.05, 0.05, 0.0)),
    };
    let mut shape = shell.mesh();
    shape.name = "drinking-glass".into();
    shape.material = Material::Solid;
    frame.bodies.push(Body {
        position: [0.05, 0.05, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        ..Body::standing(0, shape)
    });
    frame
}

/// Two dyed waters that meet.
fn dyed() -> Frame {
    let distance = |p: Vec3| {
        p.z - 0.35 - 0.1 * (5.0 * p.x).sin() * (3.0 * p.y).cos() - 0.3 * (-((p.x - 1.0) / 0.12).powi(2)).exp()
    };
    let mut frame = Space { high: Vec3::new(2.0, 1.0, 1.0), cell: 1.0 / 64.0, distance }.frame();
    let mesh = &mut frame.meshes[0];
    let (west, east) = (Vec3::new(0.95, 0.25, 0.15), Vec3::new(0.1, 0.35, 0.95));
    let colours = mesh.positions.iter().flat_map(|at| {
        let share = 1.0 / (1.0 + (-30.0 * (at[0] - 1.0 - 0.1 * (9.0 * at[1]).sin())).exp());
        west.lerp(east, share).to_array()
    });
    let colours: Vec<f32> = colours.collect();
    mesh.attributes.push(Attribute::new("colour", Quantity::Colour, 3, colours));
    frame
}

/// A dam break in 2-D around a disc.
fn flat() -> Frame {
    let cell = 1.0 / 90.0;
    let disc = |x: f32, y: f32| (x - 1.15).hypot(y - 0.18) - 0.1;
    let distance = |x: f32, y: f32| {
        let level = 0.46 - 0.20 * x + 0.02 * (8.0 * x).sin() + 0.02 * (23.0 * x).cos() * x;
        let bulk = 0.85 * (y - level);
        let jet = (x - 1.0 - 0.5 * (y - 0.2)).hypot(0.0).max(0.0) - 0.03 * (0.95 - y).max(0.0);
        let jet = jet.max(y - 0.8).max(0.15 - y);
        let drops = (0..40).map(|index| {
            let at = |seed: u32| random(index, seed);
            let along = at(1);
            let place = [1.25 + 0.6 * along, 0.72 + 0.22 * (3.0 * along).sin() - 0.45 * along * along];
            (x - place[0] - 0.08 * at(2)).hypot(y - place[1] - 0.12 * (at(3) - 0.5))
                - 0.006
                - 0.014 * at(4) * at(4)
        });
        drops.fold(merged(bulk, jet, 0.07), f32::min).max(-disc(x, y))
    };
    let field = |quantity: Quantity, size: [u32; 3], shift: f64, value: &dyn Fn(f32, f32) -> f32| {
        let cells = (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| [column, row]));
        let place = |at: u32| (f64::from(at) + shift) as f32 * cell;
        Raster {
            name: quantity.name().into(),
            water: 0,
            unit: "m".into(),
            quantity,
            size,
            components: 1,
            origin: [shift * f64::from(cell), shift * f64::from(cell), 0.0],
            spacing: [f64::from(cell); 3],
            values: cells.map(|[column, row]| value(place(column), place(row))).collect(),
        }
    };
    let mut frame = Frame::new(0, 0.5);
    let held = |x: f32, y: f32| distance(x, y).clamp(-3.0 * cell, 3.0 * cell);
    frame.fields.push(field(Quantity::SurfaceDistance, [180, 90, 1], 0.5, &held));
    frame.fields.push(field(Quantity::SolidDistance, [181, 91, 1], 0.0, &disc));
    let mut cloud = Cloud { role: CloudRole::Liquid, radius: 0.25 * cell, ..Cloud::default() };
    for index in 0..(4 * 180 * 90) {
        let (x, y) = (2.0 * random(index, 11), random(index, 12));
        if distance(x, y) < 0.0 {
            cloud.positions.push([x, y, 0.0]);
            cloud.velocities.push([1.5 * x, 1.0 - y, 0.0]);
        }
    }
    frame.clouds.push(cloud);
    frame
}

fn write(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
