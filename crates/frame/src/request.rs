//! Requests for parts of a frame, so that only those are captured and tessellated.

use crate::{Quantity, Raster};

/// The parts of a frame that a reader needs.
///
/// ```
/// use undine_frame::FrameRequest;
/// let meshes = FrameRequest { meshes: true, ..FrameRequest::default() };
/// assert_eq!(meshes.or(FrameRequest::ALL), FrameRequest::ALL);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameRequest {
    /// Surfaces in the representation of the simulation, and bodies.
    pub surfaces: bool,
    /// Meshes of height fields and sheets, and bodies.
    pub meshes: bool,
    /// Among these, meshes of all samples of [large waters](crate::LargeWater). Pictures draw them without.
    pub large_meshes: bool,
    /// Closed meshes made from particles, of liquids and of metaballs, or by revolving curves, and bodies: the most
    /// expensive part of a frame.
    pub liquid_meshes: bool,
    /// Clouds of particles.
    pub clouds: bool,
    /// Fields.
    pub fields: FieldRequest,
    /// What the waters counted in every frame so far.
    pub counters: bool,
}

/// The fields that a reader needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FieldRequest {
    /// None of them.
    #[default]
    None,
    /// All fields.
    All,
    /// These, where they exist.
    Chosen(Vec<FieldChoice>),
}

/// A field chosen by name or quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldChoice {
    /// The one with this name.
    Named(String),
    /// The first that measures this.
    Of(Quantity),
}

impl FrameRequest {
    /// All parts.
    pub const ALL: FrameRequest = FrameRequest {
        surfaces: true,
        meshes: true,
        large_meshes: true,
        liquid_meshes: true,
        clouds: true,
        fields: FieldRequest::All,
        counters: true,
    };

    /// The union of two requests.
    pub fn or(self, other: FrameRequest) -> FrameRequest {
        FrameRequest {
            surfaces: self.surfaces || other.surfaces,
            meshes: self.meshes || other.meshes,
            large_meshes: self.large_meshes || other.large_meshes,
            liquid_meshes: self.liquid_meshes || other.liquid_meshes,
            clouds: self.clouds || other.clouds,
            fields: self.fields.or(other.fields),
            counters: self.counters || other.counters,
        }
    }

    /// Whether surfaces are requested in any form.
    pub fn wants_surfaces(&self) -> bool {
        self.surfaces || self.meshes || self.liquid_meshes
    }
}

impl FieldRequest {
    /// The fields with these names.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> FieldRequest {
        FieldRequest::Chosen(names.into_iter().map(|name| FieldChoice::Named(name.to_owned())).collect())
    }

    /// Whether a field with this name and quantity is requested.
    pub fn includes(&self, name: &str, quantity: Quantity) -> bool {
        match self {
            FieldRequest::None => false,
            FieldRequest::All => true,
            FieldRequest::Chosen(choices) => choices.iter().any(|choice| choice.fits(name, quantity)),
        }
    }

    /// The fields of both requests.
    pub fn or(self, other: FieldRequest) -> FieldRequest {
        match (self, other) {
            (FieldRequest::All, _) | (_, FieldRequest::All) => FieldRequest::All,
            (FieldRequest::None, some) | (some, FieldRequest::None) => some,
            (FieldRequest::Chosen(mut choices), FieldRequest::Chosen(others)) => {
                let new: Vec<_> = others.into_iter().filter(|one| !choices.contains(one)).collect();
                choices.extend(new);
                FieldRequest::Chosen(choices)
            }
        }
    }
}

impl From<&str> for FieldChoice {
    fn from(name: &str) -> Self {
        FieldChoice::Named(name.to_owned())
    }
}

impl From<Quantity> for FieldChoice {
    fn from(quantity: Quantity) -> Self {
        FieldChoice::Of(quantity)
    }
}

impl FieldChoice {
    /// Whether a field with this name and quantity is the chosen one.
    pub fn fits(&self, name: &str, quantity: Quantity) -> bool {
        match self {
            FieldChoice::Named(wanted) => wanted == name,
            FieldChoice::Of(wanted) => *wanted == quantity,
        }
    }

    /// Name or quantity, for messages.
    pub fn name(&self) -> &str {
        match self {
            FieldChoice::Named(name) => name,
            FieldChoice::Of(quantity) => quantity.name(),
        }
    }

    /// The first matching field.
    ///
    /// ```
    /// use undine_frame::{FieldChoice, Quantity, Raster};
    /// let fields = [Raster { name: "pool.speed".into(), quantity: Quantity::Speed, ..Raster::default() }];
    /// assert!(FieldChoice::Of(Quantity::Speed).find(&fields).is_some());
    /// assert!(FieldChoice::Named("speed".into()).find(&fields).is_none());
    /// ```
    pub fn find<'f>(&self, fields: &'f [Raster]) -> Option<&'f Raster> {
        fields.iter().find(|field| self.fits(&field.name, field.quantity))
    }
}
