//! A frame as a stream of bytes, little endian, and back.
//!
//! Everything is written in the order of the fields of [`Frame`]. A list is its length (u64) and its items; text is a
//! list of bytes; large arrays go through [`planes`](super::planes), those of particles and fields as whole
//! [`steps`](super::steps) where they can. Meshes of liquids are left out: they are made again from their particles.
//! The reader believes no length: memory grows only as bytes really arrive, and geometry that does not fit together
//! is refused.

use std::io::{self, Read, Write};

use bytemuck::Pod;
use undine_frame::{Attribute, Frame, Mesh, Points, Posed, Raster, RasterKind, Substance, Triangles};

use super::planes::{BLOCK, join, split};
use super::steps::{common_step, count, value};
use crate::ply::points_fault;

/// Longest name or unit that is believed.
const LONGEST_TEXT: u64 = 1 << 16;

const SUBSTANCES: [Substance; 3] = [Substance::Water, Substance::Ground, Substance::Solid];

const RASTER_KINDS: [RasterKind; 6] = [
    RasterKind::Scalar,
    RasterKind::Signed,
    RasterKind::Vector,
    RasterKind::Surface,
    RasterKind::Ground,
    RasterKind::CellKind,
];

const LATTICE: u8 = 0;
const LIST: u8 = 1;

const FLOATS: u8 = 0;
const STEPS: u8 = 1;

/// Writes the parts of a frame.
pub(super) struct FrameWriter<W> {
    writer: W,
    planes: Vec<u8>,
}

impl<W: Write> FrameWriter<W> {
    pub fn new(writer: W) -> Self {
        FrameWriter { writer, planes: Vec::new() }
    }

    pub fn into_inner(self) -> W {
        self.writer
    }

    pub fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.number(frame.index)?;
        self.reals(&[frame.time])?;
        let meshes: Vec<&Mesh> = frame.lasting_meshes().collect();
        self.list(&meshes, |writer, mesh| writer.mesh(mesh))?;
        self.list(&frame.points, Self::points)?;
        self.list(&frame.posed, Self::posed)?;
        self.list(&frame.rasters, Self::raster)
    }

    fn mesh(&mut self, mesh: &Mesh) -> io::Result<()> {
        self.text(&mesh.name)?;
        self.choice(&SUBSTANCES, mesh.substance)?;
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

    fn points(&mut self, points: &Points) -> io::Result<()> {
        self.text(&points.name)?;
        self.steps(&points.positions)?;
        self.steps(&points.velocities)?;
        self.array(&[[points.radius]])?;
        self.list(&points.attributes, Self::attribute)
    }

    fn posed(&mut self, posed: &Posed) -> io::Result<()> {
        self.mesh(&posed.shape)?;
        self.array(&[posed.position])?;
        self.array(&[posed.rotation])
    }

    fn raster(&mut self, raster: &Raster) -> io::Result<()> {
        self.text(&raster.name)?;
        self.text(&raster.unit)?;
        self.choice(&RASTER_KINDS, raster.kind)?;
        self.array(&[raster.size])?;
        self.array(&[[raster.components]])?;
        self.reals(&raster.origin)?;
        self.reals(&raster.spacing)?;
        self.steps(raster.values.as_chunks::<1>().0)
    }

    fn attribute(&mut self, attribute: &Attribute) -> io::Result<()> {
        self.text(&attribute.name)?;
        self.text(&attribute.unit)?;
        self.steps(attribute.values.as_chunks::<1>().0)
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
}

impl<W: Write> FrameWriter<W> {
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
pub(super) struct FrameReader<R> {
    reader: R,
}

impl<R: Read> FrameReader<R> {
    pub fn new(reader: R) -> Self {
        FrameReader { reader }
    }

    /// Reads a frame and makes sure that nothing follows it.
    pub fn frame(&mut self) -> io::Result<Frame> {
        let index = self.number()?;
        let [time] = self.reals()?;
        let meshes = self.list(Self::mesh)?;
        let points = self.list(Self::points)?;
        let posed = self.list(Self::posed)?;
        let rasters = self.list(Self::raster)?;
        // Reading on to the end also makes the decompressor compare the checksum.
        if self.reader.read(&mut [0])? != 0 {
            return Err(broken("there is more than a frame in it"));
        }
        Ok(Frame { index, time, meshes, points, posed, rasters })
    }

    fn mesh(&mut self) -> io::Result<Mesh> {
        let name = self.text()?;
        let substance = self.choice(&SUBSTANCES)?;
        let (positions, normals, velocities) = (self.array()?, self.array()?, self.array()?);
        let (uvs, attributes) = (self.array()?, self.list(Self::attribute)?);
        let triangles = self.triangles()?;
        let mesh = Mesh { name, substance, positions, normals, velocities, uvs, attributes, triangles };
        sound(mesh.fault(), mesh)
    }

    fn triangles(&mut self) -> io::Result<Triangles> {
        match self.byte()? {
            LATTICE => self.single().map(|[columns, rows]| Triangles::Lattice { columns, rows }),
            LIST => self.array().map(Triangles::List),
            _ => Err(broken("a mesh of unknown kind")),
        }
    }

    fn points(&mut self) -> io::Result<Points> {
        let name = self.text()?;
        let (positions, velocities) = (self.steps()?, self.steps()?);
        let [radius] = self.single()?;
        let points = Points { name, positions, velocities, radius, attributes: self.list(Self::attribute)? };
        sound(points_fault(&points), points)
    }

    fn posed(&mut self) -> io::Result<Posed> {
        Ok(Posed { shape: self.mesh()?, position: self.single()?, rotation: self.single()? })
    }

    fn raster(&mut self) -> io::Result<Raster> {
        let (name, unit) = (self.text()?, self.text()?);
        let kind = self.choice(&RASTER_KINDS)?;
        let size = self.single()?;
        let [components] = self.single()?;
        let (origin, spacing) = (self.reals()?, self.reals()?);
        let values = self.values()?;
        let raster = Raster { name, unit, kind, size, components, origin, spacing, values };
        sound(raster.fault(), raster)
    }

    fn attribute(&mut self) -> io::Result<Attribute> {
        Ok(Attribute { name: self.text()?, unit: self.text()?, values: self.values()? })
    }

    fn values(&mut self) -> io::Result<Vec<f32>> {
        self.steps::<1>().map(Vec::into_flattened)
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

    fn reals<const N: usize>(&mut self) -> io::Result<[f64; N]> {
        let mut reals = [0.0; N];
        for real in &mut reals {
            *real = f64::from_le_bytes(self.bytes()?);
        }
        Ok(reals)
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

fn sound<T>(fault: Option<String>, part: T) -> io::Result<T> {
    fault.map_or(Ok(part), |fault| Err(broken(&fault)))
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
