//! A liquid in a frame: its particles and the signed distance from which its mesh is made.

use crate::{Cloud, CloudRole, Frame, Quantity, Raster};

/// The data from which the mesh of a liquid is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liquid<'a> {
    /// Its particles, named after the water.
    pub cloud: &'a Cloud,
    /// Signed distance from the surface at cell centres in metres, negative in the liquid.
    pub distance: &'a Raster,
    /// Signed distance from solids at the nodes of the grid in metres, positive in the open.
    pub solids: Option<&'a Raster>,
}

impl Frame {
    /// The liquids that the frame carries: every cloud of liquid whose water has a field of distances from its surface.
    ///
    /// ```
    /// use undine_frame::{Cloud, CloudRole, Frame, Quantity, Raster};
    /// let mut frame = Frame::new(0, 0.0);
    /// frame.clouds.push(Cloud { name: "sea".into(), water: 1, role: CloudRole::Liquid, ..Cloud::default() });
    /// assert_eq!(frame.liquids().count(), 0);
    /// frame.fields.push(Raster { quantity: Quantity::SurfaceDistance, water: 1, ..Raster::default() });
    /// assert_eq!(frame.liquids().next().map(|liquid| liquid.cloud.name.as_str()), Some("sea"));
    /// ```
    pub fn liquids(&self) -> impl Iterator<Item = Liquid<'_>> {
        self.clouds.iter().filter(|cloud| cloud.role == CloudRole::Liquid).filter_map(|cloud| {
            let own = |quantity: Quantity| {
                self.fields.iter().find(|field| field.quantity == quantity && field.water == cloud.water)
            };
            let distance = own(Quantity::SurfaceDistance)?;
            Some(Liquid { cloud, distance, solids: own(Quantity::SolidDistance) })
        })
    }
}
