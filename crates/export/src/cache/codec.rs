//! A frame as a stream of bytes, little endian, and back.
//!
//! Everything is written in the order of the fields of [`Frame`]. A list is its length (u64) and its items; text is a
//! list of bytes; large arrays go through [`planes`](super::planes), those of particles and fields as whole
//! [`steps`](super::steps) where they can. Meshes of surfaces are left out: they are made again from their shapes. An
//! array that was there before in the same frame is only named, and what seldom changes, such as the ground and the
//! meshes of bodies, is stored apart, once for all frames that share it. The reader believes no length: memory grows
//! only as bytes really arrive, and geometry that does not fit together is refused.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use bytemuck::Pod;
use undine_frame::{
    Attribute, Body, Cloud, CloudRole, Domain, FieldScale, Frame, Heights, Implicit, Material, Mesh,
    Quantity, Raster, Shared, Sheet, Surface, SurfaceRole, SurfaceShape, Triangles, WaterLabel,
};

use super::planes::{BLOCK, join, split};
use super::steps::{common_step, count, value};

/// Longest name or unit that is believed.
const LONGEST_TEXT: u64 = 1 << 16;
/// Arrays with fewer numbers than this are not worth a file of their own.
const LEAST_APART: usize = 256;

const MATERIALS: [Material; 4] = [Material::Water, Material::Ground, Material::Solid, Material::Glass];
const SURFACE_ROLES: [SurfaceRole; 2] = [SurfaceRole::Water, SurfaceRole::Bed];

const SCALES: [FieldScale; 4] =
    [FieldScale::Plain, FieldScale::Signed, FieldScale::Vector, FieldScale::Kinds];
/// The codes of custom quantities begin here, one for each scale; those before are of the known ones.
const CUSTOM: u8 = 128;

const LATTICE: u8 = 0;
const LIST: u8 = 1;

const FLOATS: u8 = 0;
const STEPS: u8 = 1;

const HEIGHTS: u8 = 0;
const SHEET: u8 = 1;
const MESH: u8 = 2;
const IMPLICIT: u8 = 3;

const HERE: u8 = 0;
const AGAIN: u8 = 1;
const APART: u8 = 2;

/// Where parts are kept that several frames share.
pub(super) trait Parts {
    /// Keeps a part under a number that no other part has.
    fn store(&self, number: u64, bytes: &[u8]) -> io::Result<()>;
    /// The part with this number.
    fn open(&self, number: u64) -> io::Result<Box<dyn Read>>;
}

/// Whether a quantity seldom changes from frame to frame.
fn is_steady(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::Bed | Quantity::SolidDistance)
}

/// Writes the parts of a frame.
pub(super) struct FrameWriter<'p, W> {
    writer: W,
    parts: &'p dyn Parts,
    planes: Vec<u8>,
    /// The arrays that this frame holds already, by their revisions.
    written: HashMap<(u64, usize), u64>,
}

impl<'p, W: Write> FrameWriter<'p, W> {
    pub fn new(writer: W, parts: &'p dyn Parts) -> Self {
        FrameWriter { writer, parts, planes: Vec::new(), written: HashMap::new() }
    }

    pub fn into_inner(self) -> W {
        self.writer
    }

    pub fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.number(frame.index)?;
        self.reals(&[frame.time])?;
        self.list(&frame.waters, Self::water)?;
        self.list(&frame.surfaces, Self::surface)?;
        self.list(&frame.clouds, Self::cloud)?;
        self.list(&frame.bodies, Self::body)?;
        self.list(&frame.fields, Self::raster)
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
                    self.shared(vectors, vectors.as_flattened(), 3, false)?;
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
        }
        self.list(&surface.attributes, Self::attribute)
    }

    fn heights(&mut self, heights: &Heights, role: SurfaceRole) -> io::Result<()> {
        self.array(&[heights.size])?;
        self.reals(&heights.origin)?;
        self.reals(&heights.spacing)?;
        self.array(&[[heights.dry_depth]])?;
        self.shared(&heights.level, &heights.level, 1, role == SurfaceRole::Bed)?;
        self.option(heights.bed.as_ref(), |writer, bed| writer.shared(bed, bed, 1, true))?;
        self.option(heights.velocity.as_ref(), |writer, velocity| {
            writer.shared(velocity, velocity.as_flattened(), 2, false)
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
        self.steps(&cloud.positions)?;
        self.steps(&cloud.velocities)?;
        self.array(&[[cloud.radius]])?;
        self.list(&cloud.attributes, Self::attribute)
    }

    /// A body: its mesh apart, since it is the same in every frame, and its pose.
    fn body(&mut self, body: &Body) -> io::Result<()> {
        self.number(u64::from(body.id))?;
        let mut part = FrameWriter::new(Vec::new(), self.parts);
        part.mesh(&body.mesh)?;
        self.part(&part.into_inner())?;
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
        self.shared(&raster.values, &raster.values, raster.components, is_steady(raster.quantity))
    }

    fn attribute(&mut self, attribute: &Attribute) -> io::Result<()> {
        self.text(&attribute.name)?;
        self.text(&attribute.unit)?;
        self.quantity(attribute.quantity)?;
        self.array(&[[attribute.components]])?;
        self.shared(&attribute.values, &attribute.values, attribute.components, false)
    }

    fn quantity(&mut self, quantity: Quantity) -> io::Result<()> {
        let position = |scale| SCALES.iter().position(|one| *one == scale);
        match quantity {
            Quantity::Custom(scale) => self.byte(CUSTOM + position(scale).unwrap_or(0) as u8),
            known => self.choice(&Quantity::KNOWN, known),
        }
    }

    /// An array that other parts of this frame, or other frames, may have too. `numbers` are all its numbers, so many
    /// `components` for each sample.
    fn shared<T: Pod>(
        &mut self,
        array: &Shared<T>,
        numbers: &[f32],
        components: u32,
        is_steady: bool,
    ) -> io::Result<()> {
        let key = (array.revision(), numbers.len());
        if let Some(place) = self.written.get(&key).copied() {
            self.byte(AGAIN)?;
            return self.number(place);
        }
        self.written.insert(key, self.written.len() as u64);
        if is_steady && numbers.len() >= LEAST_APART {
            let mut part = FrameWriter::new(Vec::new(), self.parts);
            part.numbers(numbers, components)?;
            self.byte(APART)?;
            return self.part(&part.into_inner());
        }
        self.byte(HERE)?;
        self.numbers(numbers, components)
    }

    /// Numbers side by side, so many for each sample.
    fn numbers(&mut self, numbers: &[f32], components: u32) -> io::Result<()> {
        match components {
            2 if numbers.len().is_multiple_of(2) => {
                self.byte(2).and_then(|()| self.steps(numbers.as_chunks::<2>().0))
            }
            3 if numbers.len().is_multiple_of(3) => {
                self.byte(3).and_then(|()| self.steps(numbers.as_chunks::<3>().0))
            }
            _ => self.byte(1).and_then(|()| self.steps(numbers.as_chunks::<1>().0)),
        }
    }

    /// Bytes that are stored apart, by their number.
    fn part(&mut self, bytes: &[u8]) -> io::Result<()> {
        let number = Shared::from(bytes.to_vec()).revision();
        self.parts.store(number, bytes)?;
        self.number(number)
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
        // Longer text would not be believed by the reader.
        let end = text.floor_char_boundary(LONGEST_TEXT as usize);
        self.number(end as u64)?;
        self.writer.write_all(&text.as_bytes()[..end])
    }

    fn choice<T: PartialEq>(&mut self, choices: &[T], chosen: T) -> io::Result<()> {
        let place = choices.iter().position(|choice| *choice == chosen);
        self.byte(place.and_then(|place| u8::try_from(place).ok()).ok_or(io::ErrorKind::InvalidInput)?)
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
            split(bytemuck::cast_slice(block.as_flattened()), N, &mut self.planes);
            self.writer.write_all(&self.planes)?;
        }
        Ok(())
    }

    /// An array of numbers, as whole steps where they are multiples of one.
    fn steps<const N: usize>(&mut self, items: &[[f32; N]]) -> io::Result<()> {
        match common_step(items.as_flattened()) {
            Some(exponent) => {
                self.byte(STEPS)?;
                self.array(&[[exponent]])?;
                let counts: Vec<[i32; N]> =
                    items.iter().map(|item| item.map(|one| count(one, exponent))).collect();
                self.array(&counts)
            }
            None => {
                self.byte(FLOATS)?;
                self.array(items)
            }
        }
    }
}

/// Reads the parts of a frame.
pub(super) struct FrameReader<'p, R> {
    reader: R,
    parts: &'p dyn Parts,
    /// The arrays read so far, in order.
    read: Vec<Shared<f32>>,
}

impl<'p, R: Read> FrameReader<'p, R> {
    pub fn new(reader: R, parts: &'p dyn Parts) -> Self {
        FrameReader { reader, parts, read: Vec::new() }
    }

    /// Reads a frame and makes sure that nothing follows it.
    pub fn frame(&mut self) -> io::Result<Frame> {
        let index = self.number()?;
        let [time] = self.reals()?;
        let waters = self.list(Self::water)?;
        let surfaces = self.list(Self::surface)?;
        let clouds = self.list(Self::cloud)?;
        let bodies = self.list(Self::body)?;
        let fields = self.list(Self::raster)?;
        self.end()?;
        Ok(Frame { index, time, waters, surfaces, meshes: Vec::new(), clouds, bodies, fields })
    }

    /// Reading on to the end also makes the decompressor compare the checksum.
    fn end(&mut self) -> io::Result<()> {
        if self.reader.read(&mut [0])? == 0 {
            Ok(())
        } else {
            Err(broken("there is more than a frame in it"))
        }
    }

    fn water(&mut self) -> io::Result<WaterLabel> {
        let name = self.text()?;
        let domain = self.option(|reader| {
            Ok(Domain { size: reader.single()?, origin: reader.reals()?, spacing: reader.reals()? })
        })?;
        Ok(WaterLabel { name, domain })
    }

    fn surface(&mut self) -> io::Result<Surface> {
        let (name, water) = (self.text()?, self.place()?);
        let role = self.choice(&SURFACE_ROLES)?;
        let shape = match self.byte()? {
            HEIGHTS => SurfaceShape::Heights(self.heights()?),
            SHEET => SurfaceShape::Sheet(Sheet {
                columns: self.doubles()?.into(),
                rows: self.doubles()?.into(),
                positions: self.vectors()?,
                normals: self.vectors()?,
                velocities: self.vectors()?,
            }),
            MESH => SurfaceShape::Mesh(Arc::new(self.mesh()?)),
            IMPLICIT => {
                let bounds = [self.reals()?, self.reals()?];
                let [cell] = self.reals()?;
                SurfaceShape::Implicit(Implicit { bounds, cell })
            }
            _ => return Err(broken("a surface of unknown kind")),
        };
        let surface = Surface { name, water, role, shape, attributes: self.list(Self::attribute)? };
        sound(surface.inconsistency(), surface)
    }

    fn heights(&mut self) -> io::Result<Heights> {
        let size = self.single()?;
        let (origin, spacing) = (self.reals()?, self.reals()?);
        let [dry_depth] = self.single()?;
        let level = self.shared()?;
        let bed = self.option(Self::shared)?;
        let velocity = self.option(Self::vectors)?;
        Ok(Heights { size, origin, spacing, level, bed, velocity, dry_depth })
    }

    fn mesh(&mut self) -> io::Result<Mesh> {
        let name = self.text()?;
        let material = self.choice(&MATERIALS)?;
        let (positions, normals, velocities) = (self.array()?, self.array()?, self.array()?);
        let (uvs, attributes) = (self.array()?, self.list(Self::attribute)?);
        let triangles = self.triangles()?;
        let mesh = Mesh { name, material, positions, normals, velocities, uvs, attributes, triangles };
        sound(mesh.inconsistency(), mesh)
    }

    fn triangles(&mut self) -> io::Result<Triangles> {
        match self.byte()? {
            LATTICE => self.single().map(|[columns, rows]| Triangles::Lattice { columns, rows }),
            LIST => self.array().map(Triangles::List),
            _ => Err(broken("a mesh of unknown kind")),
        }
    }

    fn cloud(&mut self) -> io::Result<Cloud> {
        let (name, water) = (self.text()?, self.place()?);
        let role = self.choice(&CloudRole::ALL)?;
        let (positions, velocities) = (self.steps()?, self.steps()?);
        let [radius] = self.single()?;
        let attributes = self.list(Self::attribute)?;
        let cloud = Cloud { name, water, role, positions, velocities, radius, attributes };
        sound(cloud.inconsistency(), cloud)
    }

    fn body(&mut self) -> io::Result<Body> {
        let id = u32::try_from(self.number()?).map_err(|_| broken("a body has no such number"))?;
        let mesh = Arc::new(self.part(FrameReader::mesh)?);
        Ok(Body { id, mesh, position: self.single()?, rotation: self.single()? })
    }

    fn raster(&mut self) -> io::Result<Raster> {
        let (name, water, unit) = (self.text()?, self.place()?, self.text()?);
        let quantity = self.quantity()?;
        let size = self.single()?;
        let [components] = self.single()?;
        let (origin, spacing) = (self.reals()?, self.reals()?);
        let values = self.shared()?;
        let raster = Raster { name, water, unit, quantity, size, components, origin, spacing, values };
        sound(raster.inconsistency(), raster)
    }

    fn attribute(&mut self) -> io::Result<Attribute> {
        let (name, unit) = (self.text()?, self.text()?);
        let quantity = self.quantity()?;
        let [components] = self.single()?;
        Ok(Attribute { name, unit, quantity, components, values: self.shared()? })
    }

    fn quantity(&mut self) -> io::Result<Quantity> {
        let code = self.byte()?;
        let custom = code
            .checked_sub(CUSTOM)
            .map(|scale| SCALES.get(usize::from(scale)).copied().map(Quantity::Custom));
        let known = || Quantity::KNOWN.get(usize::from(code)).copied();
        custom.unwrap_or_else(known).ok_or_else(|| broken("a quantity of unknown kind"))
    }

    /// An array that was written here, before, or apart.
    fn shared(&mut self) -> io::Result<Shared<f32>> {
        let array = match self.byte()? {
            HERE => Shared::from(self.numbers()?),
            APART => Shared::from(self.part(FrameReader::numbers)?),
            AGAIN => {
                let place = usize::try_from(self.number()?).ok();
                let earlier = place.and_then(|place| self.read.get(place));
                return earlier.cloned().ok_or_else(|| broken("it names an array that is not there"));
            }
            _ => return Err(broken("an array of unknown kind")),
        };
        self.read.push(array.clone());
        Ok(array)
    }

    fn vectors<const N: usize>(&mut self) -> io::Result<Shared<[f32; N]>> {
        let numbers = self.shared()?;
        let (vectors, rest) = numbers.as_chunks::<N>();
        if rest.is_empty() { Ok(vectors.to_vec().into()) } else { Err(broken("a vector is not whole")) }
    }

    fn numbers(&mut self) -> io::Result<Vec<f32>> {
        match self.byte()? {
            1 => self.steps::<1>().map(Vec::into_flattened),
            2 => self.steps::<2>().map(Vec::into_flattened),
            3 => self.steps::<3>().map(Vec::into_flattened),
            _ => Err(broken("numbers of unknown kind")),
        }
    }

    /// Something that is stored apart.
    fn part<T>(&mut self, read: fn(&mut FrameReader<'p, Box<dyn Read>>) -> io::Result<T>) -> io::Result<T> {
        let number = self.number()?;
        let stream = self.parts.open(number)?;
        let mut reader = FrameReader::new(stream, self.parts);
        let part = read(&mut reader)?;
        reader.end()?;
        Ok(part)
    }

    fn steps<const N: usize>(&mut self) -> io::Result<Vec<[f32; N]>> {
        match self.byte()? {
            FLOATS => self.array(),
            STEPS => {
                let [exponent] = self.single::<i32, 1>()?;
                let counts = self.array::<i32, N>()?;
                Ok(counts.iter().map(|item| item.map(|one| value(one, exponent))).collect())
            }
            _ => Err(broken("numbers of unknown kind")),
        }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.bytes().map(|[byte]| byte)
    }

    fn number(&mut self) -> io::Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// The number of something in a list.
    fn place(&mut self) -> io::Result<usize> {
        usize::try_from(self.number()?).map_err(|_| broken("a water has no such number"))
    }

    fn reals<const N: usize>(&mut self) -> io::Result<[f64; N]> {
        let mut reals = [0.0; N];
        for real in &mut reals {
            *real = f64::from_le_bytes(self.bytes()?);
        }
        Ok(reals)
    }

    fn doubles(&mut self) -> io::Result<Vec<f64>> {
        (0..self.number()?).map(|_| self.reals().map(|[real]| real)).collect()
    }

    fn text(&mut self) -> io::Result<String> {
        let length = self.number()?;
        if length > LONGEST_TEXT {
            return Err(broken("a name is too long"));
        }
        let mut bytes = vec![0; length as usize];
        self.reader.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| broken("a name is not text"))
    }

    fn choice<T: Copy>(&mut self, choices: &[T]) -> io::Result<T> {
        choices.get(usize::from(self.byte()?)).copied().ok_or_else(|| broken("a part of unknown kind"))
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<Option<T>> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(broken("a part of unknown kind")),
        }
    }

    fn list<T>(&mut self, read: fn(&mut Self) -> io::Result<T>) -> io::Result<Vec<T>> {
        (0..self.number()?).map(|_| read(self)).collect()
    }

    /// An array of exactly one item.
    fn single<T: Pod, const N: usize>(&mut self) -> io::Result<[T; N]> {
        match self.array()?.as_slice() {
            [item] => Ok(*item),
            _ => Err(broken("a single value is missing")),
        }
    }

    fn array<T: Pod, const N: usize>(&mut self) -> io::Result<Vec<[T; N]>> {
        let count = self.number()?;
        let (mut items, mut planes) = (Vec::new(), Vec::new());
        let mut left = count;
        while left > 0 {
            let block = left.min(BLOCK as u64) as usize;
            planes.resize(4 * N * block, 0);
            self.reader.read_exact(&mut planes)?;
            let start = items.len();
            items.resize(start + block, [T::zeroed(); N]);
            join(&planes, N, bytemuck::cast_slice_mut(items[start..].as_flattened_mut()));
            left -= block as u64;
        }
        Ok(items)
    }
}

fn sound<T>(inconsistency: Option<String>, part: T) -> io::Result<T> {
    inconsistency.map_or(Ok(part), |what| Err(broken(&what)))
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
