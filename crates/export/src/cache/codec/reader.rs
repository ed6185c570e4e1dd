//! Reads frames in the cache's stream format.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use bytemuck::Pod;
use undine_frame::{
    Attribute, Body, Cloud, CloudRole, CounterHistory, Curves, Domain, Frame, Heights, Implicit, Mesh,
    Quantity, Raster, Shared, Sheet, Surface, SurfaceShape, Triangles, WaterLabel,
};

use super::{
    CURVE, CUSTOM, EARLIER, FIXED_POINT, FLOATS, HEIGHTS, IMPLICIT, IN_PART, IN_TILES, INLINE, LATTICE, LIST,
    LONGEST_TEXT, MATERIALS, MESH, PartStore, SCALES, SHEET, SURFACE_ROLES, broken, consistent,
};
use crate::cache::byte_planes::{BLOCK, unshuffle};
use crate::cache::fixed_point::from_steps;
use crate::cache::tiles::{SIDE, TilePlace, TilePlaces, paste, read_tile, tiles};

/// Reads the parts of a frame.
pub struct FrameReader<'p, R> {
    reader: R,
    parts: &'p dyn PartStore,
    /// The arrays read so far, in order.
    read: Vec<Shared<f32>>,
    /// The places of all tiles so far.
    places: TilePlaces,
    /// Open files of tiles, by the frame that stored them.
    tile_files: HashMap<u64, File>,
}

/// Most files of tiles that are open at a time.
const MOST_OPEN: usize = 64;

impl<'p, R: Read> FrameReader<'p, R> {
    pub fn new(reader: R, parts: &'p dyn PartStore) -> Self {
        let (places, tile_files) = (TilePlaces::new(), HashMap::new());
        FrameReader { reader, parts, read: Vec::new(), places, tile_files }
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
        let counters = self.list(Self::counter_history)?;
        self.end()?;
        Ok(Frame { index, time, waters, surfaces, meshes: Vec::new(), clouds, bodies, fields, counters })
    }

    /// The places of the tiles that the frame refers to.
    pub fn into_places(self) -> TilePlaces {
        self.places
    }

    /// Makes sure that the stream ends; reaching its end also makes the decompressor verify the checksum.
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
        let (name, water) = (self.text()?, self.index()?);
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
            CURVE => SurfaceShape::Curve(self.curves()?),
            _ => return Err(broken("a surface of unknown kind")),
        };
        let surface = Surface { name, water, role, shape, attributes: self.list(Self::attribute)? };
        consistent(surface.inconsistency(), surface)
    }

    fn curves(&mut self) -> io::Result<Curves> {
        let bounds = [self.reals()?, self.reals()?];
        let [cell] = self.reals()?;
        let points = self.vectors()?;
        let ends = self.array::<u32, 1>()?.into_flattened();
        Ok(Curves { points, ends: ends.into(), bounds, cell })
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
        consistent(mesh.inconsistency(), mesh)
    }

    fn triangles(&mut self) -> io::Result<Triangles> {
        match self.byte()? {
            LATTICE => self.single().map(|[columns, rows]| Triangles::Lattice { columns, rows }),
            LIST => self.array().map(Triangles::List),
            _ => Err(broken("a mesh of unknown kind")),
        }
    }

    fn cloud(&mut self) -> io::Result<Cloud> {
        let (name, water) = (self.text()?, self.index()?);
        let role = self.choice(&CloudRole::ALL)?;
        let (positions, velocities) = (self.packed()?, self.packed()?);
        let [radius] = self.single()?;
        let attributes = self.list(Self::attribute)?;
        let cloud = Cloud { name, water, role, positions, velocities, radius, attributes };
        consistent(cloud.inconsistency(), cloud)
    }

    fn body(&mut self) -> io::Result<Body> {
        let id = u32::try_from(self.number()?).map_err(|_| broken("a body has no such number"))?;
        let mesh = Arc::new(self.part(FrameReader::mesh)?);
        Ok(Body { id, mesh, position: self.single()?, rotation: self.single()? })
    }

    fn raster(&mut self) -> io::Result<Raster> {
        let (name, water, unit) = (self.text()?, self.index()?, self.text()?);
        let quantity = self.quantity()?;
        let size = self.single()?;
        let [components] = self.single()?;
        let (origin, spacing) = (self.reals()?, self.reals()?);
        let values = self.shared()?;
        let raster = Raster { name, water, unit, quantity, size, components, origin, spacing, values };
        consistent(raster.inconsistency(), raster)
    }

    fn counter_history(&mut self) -> io::Result<CounterHistory> {
        let (name, unit) = (self.text()?, self.text()?);
        let [interval] = self.reals()?;
        Ok(CounterHistory { name, unit, interval, blocks: self.list(Self::shared)? })
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

    /// An array that is stored inline, earlier in this frame, or in a part.
    fn shared(&mut self) -> io::Result<Shared<f32>> {
        let array = match self.byte()? {
            INLINE => Shared::from(self.numbers()?),
            IN_PART => Shared::from(self.part(FrameReader::numbers)?),
            IN_TILES => Shared::from(self.tiled()?),
            EARLIER => {
                let index = usize::try_from(self.number()?).ok();
                let earlier = index.and_then(|index| self.read.get(index));
                return earlier.cloned().ok_or_else(|| broken("it names an array that is not there"));
            }
            _ => return Err(broken("an array of unknown kind")),
        };
        self.read.push(array.clone());
        Ok(array)
    }

    /// An array over a lattice; memory grows by a row of tiles at a time, after they were read.
    fn tiled(&mut self) -> io::Result<Vec<f32>> {
        let [components, columns, rows] = [self.index()?, self.index()?, self.index()?];
        if !(1..=3).contains(&components) {
            return Err(broken("tiles of unknown kind"));
        }
        let mut numbers = Vec::new();
        for first in (0..rows).step_by(SIDE) {
            let band = SIDE.min(rows - first);
            let mut read = Vec::new();
            for tile in tiles(columns, band) {
                read.push((tile, self.tile()?));
            }
            let start = numbers.len();
            numbers.resize(start + band * columns * components, 0.0);
            for (tile, values) in read {
                if !paste(&mut numbers[start..], columns, components, tile, &values) {
                    return Err(broken("a tile is not whole"));
                }
            }
        }
        Ok(numbers)
    }

    fn tile(&mut self) -> io::Result<Vec<f32>> {
        let [hash, frame, offset] = [self.number()?, self.number()?, self.number()?];
        if self.tile_files.len() >= MOST_OPEN && !self.tile_files.contains_key(&frame) {
            self.tile_files.clear();
        }
        let file = match self.tile_files.entry(frame) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(closed) => closed.insert(self.parts.open_tiles(frame)?),
        };
        let named = |what: String| broken(&format!("{frame:06}.tiles, which it needs, {what}"));
        let bytes = read_tile(file, offset).map_err(|error| named(format!("cannot be read: {error}")))?;
        let bytes = bytes.ok_or_else(|| named("is of another version".into()))?;
        let values = FrameReader::new(bytes.as_slice(), self.parts).numbers()?;
        let values = Shared::from(values);
        if values.revision() != hash {
            return Err(named("is damaged".into()));
        }
        self.places.insert(hash, TilePlace { hash, frame, offset });
        Ok(values.to_vec())
    }

    fn vectors<const N: usize>(&mut self) -> io::Result<Shared<[f32; N]>> {
        let numbers = self.shared()?;
        let (vectors, rest) = numbers.as_chunks::<N>();
        if rest.is_empty() { Ok(vectors.to_vec().into()) } else { Err(broken("a vector is not whole")) }
    }

    fn numbers(&mut self) -> io::Result<Vec<f32>> {
        match self.byte()? {
            1 => self.packed::<1>().map(Vec::into_flattened),
            2 => self.packed::<2>().map(Vec::into_flattened),
            3 => self.packed::<3>().map(Vec::into_flattened),
            _ => Err(broken("numbers of unknown kind")),
        }
    }

    /// Reads a part by its content hash.
    fn part<T>(&mut self, read: fn(&mut FrameReader<'p, Box<dyn Read>>) -> io::Result<T>) -> io::Result<T> {
        let hash = self.number()?;
        let stream = self.parts.open(hash)?;
        let mut reader = FrameReader::new(stream, self.parts);
        let part = read(&mut reader)?;
        reader.end()?;
        Ok(part)
    }

    fn packed<const N: usize>(&mut self) -> io::Result<Vec<[f32; N]>> {
        match self.byte()? {
            FLOATS => self.array(),
            FIXED_POINT => {
                let [exponent] = self.single::<i32, 1>()?;
                let counts = self.array::<i32, N>()?;
                Ok(counts.iter().map(|item| item.map(|count| from_steps(count, exponent))).collect())
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

    /// The index of an item of a list.
    fn index(&mut self) -> io::Result<usize> {
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
            unshuffle(&planes, N, bytemuck::cast_slice_mut(items[start..].as_flattened_mut()));
            left -= block as u64;
        }
        Ok(items)
    }
}
