//! A liquid in a frame: its particles and the distances from which its mesh can be made again.

use crate::{Frame, Mesh, Points, Raster};

/// Name of the raster that holds the distance from the surface of a liquid.
pub const DISTANCE: &str = "distance";
/// Name of the raster that holds the distance from solids.
pub const SOLIDS: &str = "solids";

/// What the mesh of a liquid is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liquid<'a> {
    /// Its particles, named after the water.
    pub points: &'a Points,
    /// Signed distance from the surface at cell centres in metres, negative in the liquid.
    pub distance: &'a Raster,
    /// Signed distance from solids at the nodes of the grid in metres, positive in the open.
    pub solids: Option<&'a Raster>,
}

impl Frame {
    /// The liquids that the frame carries: every cloud with a raster `distance`, or `<water>.distance` among several
    /// waters.
    ///
    /// ```
    /// use undine_frame::{Frame, Points, Raster};
    /// let mut frame = Frame::new(0, 0.0);
    /// frame.points.push(Points { name: "sea".into(), ..Points::default() });
    /// assert_eq!(frame.liquids().count(), 0);
    /// frame.rasters.push(Raster { name: "sea.distance".into(), ..Raster::default() });
    /// assert_eq!(frame.liquids().next().map(|liquid| liquid.points.name.as_str()), Some("sea"));
    /// ```
    pub fn liquids(&self) -> impl Iterator<Item = Liquid<'_>> {
        self.points.iter().enumerate().filter_map(|(place, points)| {
            let own = |name: &str| self.raster(&format!("{}.{name}", points.name));
            // Without a prefix a raster belongs to the first cloud, that of the only water there is
            let only = |name: &str| self.raster(name).filter(|_| place == 0);
            let distance = own(DISTANCE).or_else(|| only(DISTANCE))?;
            Some(Liquid { points, distance, solids: own(SOLIDS).or_else(|| only(SOLIDS)) })
        })
    }

    /// The meshes that cannot be made again from the liquids of the frame.
    pub fn lasting_meshes(&self) -> impl Iterator<Item = &Mesh> {
        let names: Vec<&str> = self.liquids().map(|liquid| liquid.points.name.as_str()).collect();
        self.meshes.iter().filter(move |mesh| !names.contains(&mesh.name.as_str()))
    }
}
