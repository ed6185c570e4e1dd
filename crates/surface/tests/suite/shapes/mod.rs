//! Liquids of known shapes, and what can be measured of their meshes.

use std::collections::HashMap;

use undine_frame::{Attribute, Cloud, Liquid, Mesh, Quantity, Raster};
use undine_surface::{Surfacing, liquid_mesh};

/// A liquid in a box of cubic cells, with its lowest corner at the origin.
pub struct Shape {
    pub cloud: Cloud,
    pub distance: Raster,
    pub solids: Option<Raster>,
}

/// Numbers between 0 and 1 that look random.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// Particles, eight to a cell, wherever `distance` is negative and deeper than `band` cells they are left out.
pub fn shape(cells: [u32; 3], dx: f64, band: f32, distance: impl Fn([f32; 3]) -> f32) -> Shape {
    let mut dice = Dice(7);
    let mut cloud = Cloud { name: "water".into(), radius: 0.5 * dx as f32, ..Cloud::default() };
    let half = 0.5 * dx as f32;
    for index in 0..8 * cells.iter().product::<u32>() {
        let at = [
            index % (2 * cells[0]),
            index / (2 * cells[0]) % (2 * cells[1]),
            index / (4 * cells[0] * cells[1]),
        ];
        let position = at.map(|x| (x as f32 + dice.roll()) * half);
        let depth = distance(position);
        if depth < 0.0 && depth > -band * dx as f32 {
            cloud.positions.push(position);
        }
    }
    cloud.velocities = cloud.positions.iter().map(|at| [at[1], -at[0], 2.0]).collect();
    let values: Vec<f32> = cloud.positions.iter().map(|at| at[0]).collect();
    cloud.attributes.push(Attribute::new("mass", Quantity::Mass, 1, values));
    let size = cells;
    let centre = |index: u32| {
        [index % size[0], index / size[0] % size[1], index / size[0] / size[1]]
            .map(|x| (x as f32 + 0.5) * dx as f32)
    };
    let kept = 4.0 * dx as f32;
    let values = (0..size.iter().product()).map(|index| distance(centre(index)).clamp(-kept, kept)).collect();
    let distance = Raster {
        name: "distance".into(),
        unit: "m".into(),
        size,
        components: 1,
        origin: [0.5 * dx; 3],
        spacing: [dx; 3],
        values,
        ..Raster::default()
    };
    Shape { cloud, distance, solids: None }
}

/// The same with solids where `distance` is negative; particles in them are taken out.
pub fn with_solids(mut shape: Shape, distance: impl Fn([f32; 3]) -> f32) -> Shape {
    let keep: Vec<bool> = shape.cloud.positions.iter().map(|at| distance(*at) > 0.0).collect();
    let mut flags = keep.iter();
    shape.cloud.positions.retain(|_| *flags.next().unwrap());
    let mut flags = keep.iter();
    shape.cloud.velocities.retain(|_| *flags.next().unwrap());
    let mut flags = keep.iter();
    shape.cloud.attributes[0].values.retain(|_| *flags.next().unwrap());
    let (size, dx) = (shape.distance.size.map(|count| count + 1), shape.distance.spacing[0] as f32);
    let node = |index: u32| {
        [index % size[0], index / size[0] % size[1], index / size[0] / size[1]].map(|x| x as f32 * dx)
    };
    shape.solids = Some(Raster {
        name: "solids".into(),
        size,
        components: 1,
        spacing: shape.distance.spacing,
        values: (0..size.iter().product()).map(|index| distance(node(index))).collect(),
        ..Raster::default()
    });
    shape
}

impl Shape {
    pub fn liquid(&self) -> Liquid<'_> {
        Liquid { cloud: &self.cloud, distance: &self.distance, solids: self.solids.as_ref() }
    }

    /// Its mesh, which must be sound and closed.
    pub fn mesh(&self, surfacing: &Surfacing) -> Mesh {
        let mesh = liquid_mesh(&self.liquid(), surfacing);
        assert_eq!(mesh.inconsistency(), None);
        assert_manifold(&mesh);
        mesh
    }
}

/// Every edge belongs to exactly two triangles, once in each direction, and every vertex to some triangle.
pub fn assert_manifold(mesh: &Mesh) {
    let mut sides: HashMap<(u32, u32), i32> = HashMap::new();
    for [a, b, c] in mesh.triangles() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            assert_ne!(from, to);
            *sides.entry((from, to)).or_default() += 1;
        }
    }
    for (&(from, to), &count) in &sides {
        assert_eq!((count, sides.get(&(to, from))), (1, Some(&1)), "edge {from}–{to}");
    }
    let mut is_used = vec![false; mesh.positions.len()];
    mesh.triangles().flatten().for_each(|vertex| is_used[vertex as usize] = true);
    assert!(is_used.iter().all(|&used| used));
}

/// The volume that a closed mesh holds.
pub fn volume(mesh: &Mesh) -> f64 {
    let corner = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
    let six = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(corner);
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    mesh.triangles().map(six).sum::<f64>() / 6.0
}
