//! Writes frames in the cache's stream format.

use std::collections::HashMap;
use std::io::{self, Write};

use bytemuck::Pod;
use undine_frame::{
    Attribute, Body, Cloud, CloudRole, CounterHistory, Curves, Frame, Heights, Mesh, Quantity, Raster,
    Shared, Surface, SurfaceRole, SurfaceShape, Triangles, WaterLabel,
};

use super::{
    CURVE, CUSTOM, EARLIER, FIXED_POINT, FLOATS, HEIGHTS, IMPLICIT, IN_PART, IN_TILES, INLINE, LATTICE, LIST,
    LONGEST_TEXT, MATERIALS, MESH, MIN_SHARED_LENGTH, MIN_TILED_SAMPLES, PartStore, SCALES, SHEET,
    SURFACE_ROLES,
};
use crate::cache::byte_planes::{BLOCK, shuffle};
use crate::cache::fixed_point::{common_exponent, to_steps};
use crate::cache::tiles::{TilePlace, TileWriter, cut, tiles};

/// Whether a quantity seldom changes from frame to frame.
fn is_steady(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::Bed | Quantity::SolidDistance)
}

/// Writes the parts of a frame.
pub struct FrameWriter<'p, W> {
    writer: W,
    parts: &'p dyn PartStore,
    planes: Vec<u8>,
    /// Index of every array that this frame holds already, by revision and length.
    written: HashMap<(u64, usize), u64>,
    tiles: TileWriter,
}

impl<'p, W: Write> FrameWriter<'p, W> {
    pub fn new(writer: W, parts: &'p dyn PartStore, tiles: TileWriter) -> Self {
        FrameWriter { writer, parts, planes: Vec::new(), written: HashMap::new(), tiles }
    }

    /// What was written to, and the tiles of the frame.
    pub fn into_inner(self) -> (W, TileWriter) {
        (self.writer, self.tiles)
    }

    /// The bytes that `write` writes, as a part of its own.
    fn apart(
        &self,
        write: impl FnOnce(&mut FrameWriter<'p, Vec<u8>>) -> io::Result<()>,
    ) -> io::Result<Vec<u8>> {
        let mut writer = FrameWriter::new(Vec::new(), self.parts, TileWriter::default());
        write(&mut writer)?;
        Ok(writer.writer)
    }

    pub fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.number(frame.index)?;
        self.reals(&[frame.time])?;
        self.list(&frame.waters, Self::water)?;
        self.list(&frame.surfaces, Self::surface)?;
        self.list(&frame.clouds, Self::cloud)?;
        self.list(&frame.bodies, Self::body)?;
        self.list(&frame.fields, Self::raster)?;
        self.list(&frame.counters, Self::counter_history)
    }

    fn water(&mut self, water: &WaterLabel) -> io::Result<()> {
        self.text(&water.name)?;
        self.option(water.domain.as_ref(), |writer, domain| {
            writer.array(&[domain.size])?;
            writer.reals(&domain.origin)?;
            writer.reals(&domain.spacing)
        })
    }

    fn surface(&mut self, surface: &Surface) -> io::Result<()> {
        self.text(&surface.name)?;
        self.number(surface.water as u64)?;
        self.choice(&SURFACE_ROLES, surface.role)?;
        match &surface.shape {
            SurfaceShape::Heights(heights) => {
                self.byte(HEIGHTS)?;
                self.heights(heights, surface.role)?;
            }
            SurfaceShape::Sheet(sheet) => {
                self.byte(SHEET)?;
                self.doubles(&sheet.columns)?;
                self.doubles(&sheet.rows)?;
                for vectors in [&sheet.positions, &sheet.normals, &sheet.velocities] {
                    self.shared(vectors, vectors.as_flattened(), 3, false, None)?;
                }
            }
            SurfaceShape::Mesh(mesh) => {
                self.byte(MESH)?;
                self.mesh(mesh)?;
            }
            SurfaceShape::Implicit(liquid) => {
                self.byte(IMPLICIT)?;
                self.reals(liquid.bounds.as_flattened())?;
                self.reals(&[liquid.cell])?;
            }
            SurfaceShape::Curve(curves) => {
                self.byte(CURVE)?;
                self.curves(curves)?;
            }
        }
        let size = match &surface.shape {
            SurfaceShape::Heights(heights) => Some(heights.size),
            SurfaceShape::Sheet(_)
            | SurfaceShape::Mesh(_)
            | SurfaceShape::Implicit(_)
            | SurfaceShape::Curve(_) => None,
        };
        self.number(surface.attributes.len() as u64)?;
        surface.attributes.iter().try_for_each(|attribute| self.attribute_over(attribute, size))
    }

    fn curves(&mut self, curves: &Curves) -> io::Result<()> {
        self.reals(curves.bounds.as_flattened())?;
        self.reals(&[curves.cell])?;
        self.shared(&curves.points, curves.points.as_flattened(), 2, false, None)?;
        self.array(curves.ends.as_chunks::<1>().0)
    }

    fn heights(&mut self, heights: &Heights, role: SurfaceRole) -> io::Result<()> {
        self.array(&[heights.size])?;
        self.reals(&heights.origin)?;
        self.reals(&heights.spacing)?;
        self.array(&[[heights.dry_depth]])?;
        let size = Some(heights.size);
        self.shared(&heights.level, &heights.level, 1, role == SurfaceRole::Bed, size)?;
        self.option(heights.bed.as_ref(), |writer, bed| writer.shared(bed, bed, 1, true, size))?;
        self.option(heights.velocity.as_ref(), |writer, velocity| {
            writer.shared(velocity, velocity.as_flattened(), 2, false, size)
        })
    }

    fn mesh(&mut self, mesh: &Mesh) -> io::Result<()> {
        self.text(&mesh.name)?;
        self.choice(&MATERIALS, mesh.material)?;
        self.array(&mesh.positions)?;
        self.array(&mesh.normals)?;
        self.array(&mesh.velocities)?;
        self.array(&mesh.uvs)?;
        self.list(&mesh.attributes, Self::attribute)?;
        match &mesh.triangles {
            Triangles::Lattice { columns, rows } => {
                self.byte(LATTICE)?;
                self.array(&[[*columns, *rows]])
            }
            Triangles::List(list) => {
                self.byte(LIST)?;
                self.array(list)
            }
        }
    }

    fn cloud(&mut self, cloud: &Cloud) -> io::Result<()> {
        self.text(&cloud.name)?;
        self.number(cloud.water as u64)?;
        self.choice(&CloudRole::ALL, cloud.role)?;
        self.packed(&cloud.positions)?;
        self.packed(&cloud.velocities)?;
        self.array(&[[cloud.radius]])?;
        self.list(&cloud.attributes, Self::attribute)
    }

    /// A body: its mesh as a part of its own, since it is the same in every frame, and its pose.
    fn body(&mut self, body: &Body) -> io::Result<()> {
        self.number(u64::from(body.id))?;
        let part = self.apart(|writer| writer.mesh(&body.mesh))?;
        self.part(&part)?;
        self.array(&[body.position])?;
        self.array(&[body.rotation])
    }

    fn raster(&mut self, raster: &Raster) -> io::Result<()> {
        self.text(&raster.name)?;
        self.number(raster.water as u64)?;
        self.text(&raster.unit)?;
        self.quantity(raster.quantity)?;
        self.array(&[raster.size])?;
        self.array(&[[raster.components]])?;
        self.reals(&raster.origin)?;
        self.reals(&raster.spacing)?;
        let [columns, rows, layers] = raster.size;
        let size = (layers == 1).then_some([columns, rows]);
        self.shared(&raster.values, &raster.values, raster.components, is_steady(raster.quantity), size)
    }

    /// What a counter counted; its full blocks are the same in all later frames.
    fn counter_history(&mut self, history: &CounterHistory) -> io::Result<()> {
        self.text(&history.name)?;
        self.text(&history.unit)?;
        self.reals(&[history.interval])?;
        self.list(&history.blocks, |writer, block| writer.shared(block, block, 1, true, None))
    }

    fn attribute(&mut self, attribute: &Attribute) -> io::Result<()> {
        self.attribute_over(attribute, None)
    }

    /// An attribute, of the samples of a lattice if it has a size.
    fn attribute_over(&mut self, attribute: &Attribute, size: Option<[u32; 2]>) -> io::Result<()> {
        self.text(&attribute.name)?;
        self.text(&attribute.unit)?;
        self.quantity(attribute.quantity)?;
        self.array(&[[attribute.components]])?;
        self.shared(&attribute.values, &attribute.values, attribute.components, false, size)
    }

    fn quantity(&mut self, quantity: Quantity) -> io::Result<()> {
        let position = |scale| SCALES.iter().position(|one| *one == scale);
        match quantity {
            Quantity::Custom(scale) => self.byte(CUSTOM + position(scale).unwrap_or(0) as u8),
            known => self.choice(&Quantity::KNOWN, known),
        }
    }

    /// An array that may occur again in this frame or in others. `numbers` are its values flattened, `components` per
    /// sample; `size` is that of its lattice, if it is over one.
    fn shared<T: Pod>(
        &mut self,
        array: &Shared<T>,
        numbers: &[f32],
        components: u32,
        is_steady: bool,
        size: Option<[u32; 2]>,
    ) -> io::Result<()> {
        let key = (array.revision(), numbers.len());
        if let Some(index) = self.written.get(&key).copied() {
            self.byte(EARLIER)?;
            return self.number(index);
        }
        self.written.insert(key, self.written.len() as u64);
        let size = size.map(|size| size.map(|samples| samples as usize));
        let fits = |[columns, rows]: &[usize; 2]| {
            columns * rows >= MIN_TILED_SAMPLES
                && (1..=3).contains(&components)
                && columns * rows * components as usize == numbers.len()
        };
        if let Some(size) = size.filter(fits) {
            self.byte(IN_TILES)?;
            return self.tiled(numbers, components, size);
        }
        if is_steady && numbers.len() >= MIN_SHARED_LENGTH {
            let part = self.apart(|writer| writer.numbers(numbers, components))?;
            self.byte(IN_PART)?;
            return self.part(&part);
        }
        self.byte(INLINE)?;
        self.numbers(numbers, components)
    }

    /// The places of the tiles of an array over a lattice; tiles that are new are stored.
    fn tiled(&mut self, numbers: &[f32], components: u32, [columns, rows]: [usize; 2]) -> io::Result<()> {
        [u64::from(components), columns as u64, rows as u64].iter().try_for_each(|&n| self.number(n))?;
        for tile in tiles(columns, rows) {
            let values = cut(numbers, columns, components as usize, tile);
            let mut store = std::mem::take(&mut self.tiles);
            let place =
                store.place(values.revision(), || self.apart(|writer| writer.numbers(&values, components)));
            self.tiles = store;
            let TilePlace { hash, frame, offset } = place?;
            [hash, frame, offset].iter().try_for_each(|&number| self.number(number))?;
        }
        Ok(())
    }

    /// Interleaved numbers, `components` per sample.
    fn numbers(&mut self, numbers: &[f32], components: u32) -> io::Result<()> {
        match components {
            2 if numbers.len().is_multiple_of(2) => {
                self.byte(2).and_then(|()| self.packed(numbers.as_chunks::<2>().0))
            }
            3 if numbers.len().is_multiple_of(3) => {
                self.byte(3).and_then(|()| self.packed(numbers.as_chunks::<3>().0))
            }
            _ => self.byte(1).and_then(|()| self.packed(numbers.as_chunks::<1>().0)),
        }
    }

    /// Stores bytes as a part and refers to it by its content hash.
    fn part(&mut self, bytes: &[u8]) -> io::Result<()> {
        let hash = Shared::from(bytes.to_vec()).revision();
        self.parts.store(hash, bytes)?;
        self.number(hash)
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        self.writer.write_all(&[byte])
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        self.writer.write_all(&number.to_le_bytes())
    }

    fn reals(&mut self, reals: &[f64]) -> io::Result<()> {
        reals.iter().try_for_each(|real| self.writer.write_all(&real.to_le_bytes()))
    }

    fn doubles(&mut self, reals: &[f64]) -> io::Result<()> {
        self.number(reals.len() as u64)?;
        self.reals(reals)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        // The reader accepts no longer text.
        let end = text.floor_char_boundary(LONGEST_TEXT as usize);
        self.number(end as u64)?;
        self.writer.write_all(&text.as_bytes()[..end])
    }

    fn choice<T: PartialEq>(&mut self, choices: &[T], chosen: T) -> io::Result<()> {
        let index = choices.iter().position(|choice| *choice == chosen);
        self.byte(index.and_then(|index| u8::try_from(index).ok()).ok_or(io::ErrorKind::InvalidInput)?)
    }

    fn option<T>(
        &mut self,
        item: Option<&T>,
        write: impl FnOnce(&mut Self, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.byte(u8::from(item.is_some()))?;
        item.map_or(Ok(()), |item| write(self, item))
    }

    fn list<T>(&mut self, items: &[T], write: fn(&mut Self, &T) -> io::Result<()>) -> io::Result<()> {
        self.number(items.len() as u64)?;
        items.iter().try_for_each(|item| write(self, item))
    }

    fn array<T: Pod, const N: usize>(&mut self, items: &[[T; N]]) -> io::Result<()> {
        self.number(items.len() as u64)?;
        for block in items.chunks(BLOCK) {
            shuffle(bytemuck::cast_slice(block.as_flattened()), N, &mut self.planes);
            self.writer.write_all(&self.planes)?;
        }
        Ok(())
    }

    /// An array of numbers, in fixed point where all are multiples of one power of two.
    fn packed<const N: usize>(&mut self, items: &[[f32; N]]) -> io::Result<()> {
        match common_exponent(items.as_flattened()) {
            Some(exponent) => {
                self.byte(FIXED_POINT)?;
                self.array(&[[exponent]])?;
                let counts: Vec<[i32; N]> =
                    items.iter().map(|item| item.map(|number| to_steps(number, exponent))).collect();
                self.array(&counts)
            }
            None => {
                self.byte(FLOATS)?;
                self.array(items)
            }
        }
    }
}
