//! Water on a lattice with its derived maps: caustics, a draped field and velocities.

use glam::Vec3;
use undine_frame::Raster;
use wgpu::{Device, Queue};

use super::caustics::CausticsMap;
use super::drape::Drape;
use super::lattice::{GpuLattice, LatticeShared};
use super::lattice_maps::LatticeMaps;
use super::velocity_map::VelocityMap;
use crate::ColourMapping;
use crate::height_field::{HeightFieldRevision, HeightFieldTiles};

/// Water on a lattice, and the maps that are derived from it.
pub struct LatticeWater {
    /// Textures and tiles.
    pub lattice: GpuLattice,
    /// Caustics on its bed, once rendered.
    pub caustics: Option<CausticsMap>,
    /// Direction to the sun for which the caustics were rendered.
    pub sun: Vec3,
    /// Texture of a draped field, once there was one.
    pub drape: Option<Drape>,
    /// Texture of its velocities, once ripples on its flow were drawn.
    pub velocity: Option<VelocityMap>,
    /// Revision of the height field it was made from.
    pub revision: Option<HeightFieldRevision>,
    /// The tiles of that height field, if it has them.
    pub tiles: Option<HeightFieldTiles>,
    /// The field that is draped over it.
    pub draped: Option<(String, ColourMapping)>,
}

impl LatticeWater {
    /// Uploads maps, reusing the textures of `old` where they fit. Where the tiles of both height fields are known, only what
    /// has changed is written to them.
    pub fn new(
        shared: &LatticeShared,
        device: &Device,
        queue: &Queue,
        lattice_maps: LatticeMaps,
        revision: Option<HeightFieldRevision>,
        tiles: Option<HeightFieldTiles>,
        old: Option<LatticeWater>,
    ) -> LatticeWater {
        let known = old.as_ref().and_then(|old| old.tiles.as_ref());
        let is_whole = revision.is_some_and(|revision| revision.size() == lattice_maps.size);
        let changed = match (&tiles, known) {
            (Some(tiles), Some(known)) if is_whole => tiles.changed_since(known),
            _ => None,
        };
        let (lattice, caustics, drape, velocity, sun) = match old {
            Some(old) => (Some(old.lattice), old.caustics, old.drape, old.velocity, old.sun),
            None => (None, None, None, None, Vec3::ZERO),
        };
        let lattice = GpuLattice::new(shared, device, queue, lattice_maps, changed.as_deref(), lattice);
        let caustics = caustics.filter(|caustics| caustics.fits(&lattice));
        let drape = drape.filter(|drape| drape.fits(&lattice));
        let velocity = velocity.filter(|velocity| velocity.fits(&lattice));
        // The draped field belongs to an earlier frame
        let mut water =
            LatticeWater { lattice, caustics, sun, drape, velocity, revision, tiles, draped: None };
        water.rebind(shared, device);
        water
    }

    /// Binds the present caustics, drape and velocities.
    pub fn rebind(&mut self, shared: &LatticeShared, device: &Device) {
        let caustics = self.caustics.as_ref().map(|caustics| &caustics.map);
        let drape = self.drape.as_ref().map(|drape| &drape.map);
        let velocity = self.velocity.as_ref().map(|velocity| &velocity.map);
        self.lattice.rebind(shared, device, [caustics, drape, velocity]);
    }

    /// Uploads the velocities of the lattice, if they are known and not on the device.
    pub fn upload_velocities(&mut self, shared: &LatticeShared, device: &Device, queue: &Queue) {
        if self.lattice.velocities.is_empty() {
            if self.velocity.take().is_some() {
                self.rebind(shared, device);
            }
            return;
        }
        if self.velocity.is_none() {
            self.velocity = Some(VelocityMap::new(device, &self.lattice));
            self.rebind(shared, device);
        }
        if let Some(velocity) = &mut self.velocity {
            velocity.write(queue, &self.lattice.velocities);
        }
    }

    /// Drapes a field over the surface, if it is not draped already; `None` or a missing field removes it.
    pub fn drape_field(
        &mut self,
        shared: &LatticeShared,
        device: &Device,
        queue: &Queue,
        rasters: &[Raster],
        wanted: Option<&(String, ColourMapping)>,
    ) {
        if self.draped.as_ref() == wanted {
            return;
        }
        self.draped = None;
        let Some((name, colours)) = wanted else { return };
        let found = rasters.iter().find(|raster| raster.name == *name && raster.inconsistency().is_none());
        let Some(raster) = found.filter(|raster| !raster.values.is_empty()) else { return };
        if self.drape.is_none() {
            self.drape = Some(Drape::new(device, &self.lattice));
            self.rebind(shared, device);
        }
        if let Some(drape) = &self.drape {
            drape.write(queue, &self.lattice, raster, colours);
            self.draped = Some((name.clone(), colours.clone()));
        }
    }
}
