//! Quantities of fields and attributes, kinds of cells, roles of surfaces and clouds, materials.
//!
//! Readers of a frame decide by these, never by a name: names are for people, and scenes choose them freely. The enums
//! are exhaustive on purpose, so that the compiler finds every place that must handle a new entry.

/// The quantity that a field, or an attribute of a surface or cloud, measures.
///
/// ```
/// use undine_frame::{FieldScale, Quantity};
/// assert_eq!(Quantity::Vorticity.scale(1), FieldScale::Signed);
/// assert_eq!(Quantity::Vorticity.scale(3), FieldScale::Vector);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Level of the surface in metres.
    Height,
    /// Level of the ground in metres.
    Bed,
    /// Depth of the water in metres.
    Depth,
    /// Magnitude of the velocity in m/s.
    Speed,
    /// Velocity in m/s.
    Velocity,
    /// Curl of the velocity in 1/s.
    Vorticity,
    /// Gauge pressure in Pa: relative to the air.
    Pressure,
    /// Pressure relative to its mean in Pa, of fluids without a free surface.
    DynamicPressure,
    /// Divergence of the velocity in 1/s.
    Divergence,
    /// Red, green and blue dye.
    Dye,
    /// Density of smoke.
    Smoke,
    /// Temperature above the ambient one in K.
    Temperature,
    /// Wetness of the ground, from 0 to 1.
    Wetness,
    /// Fraction of the surface that foam covers.
    Foam,
    /// Signed distance from the surface of a liquid in metres, negative in the liquid.
    SurfaceDistance,
    /// Signed distance from solids in metres, positive in the open.
    SolidDistance,
    /// Kind of a cell, as the code of a [`CellKind`].
    CellKind,
    /// 1 in solid cells, 0 in the open.
    SolidMask,
    /// Linear red, green and blue.
    Colour,
    /// Weight of a particle as a metaball.
    Mass,
    /// Time since a particle was made, in seconds.
    Age,
    /// Radius of a particle in metres.
    Radius,
    /// Determinant of the displacement of a surface: below 1 it is squeezed, below 0 folded over.
    Jacobian,
    /// Region of a column of water and whether it is asleep, as the code of a [`RegionState`].
    Region,
    /// Anything else, with the scale of its values.
    Custom(FieldScale),
}

/// Range of values of a quantity, which decides how a plot shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FieldScale {
    /// Real numbers: drawn with a sequential colour map.
    #[default]
    Plain,
    /// Signed numbers with a natural zero: drawn with a diverging colour map.
    Signed,
    /// Several numbers per sample: drawn as arrows or by their length.
    Vector,
    /// Categories as small integers: drawn with a legend.
    Kinds,
}

impl Default for Quantity {
    fn default() -> Self {
        Quantity::Custom(FieldScale::Plain)
    }
}

impl Quantity {
    /// Every quantity but custom ones.
    pub const KNOWN: [Quantity; 24] = [
        Quantity::Height,
        Quantity::Bed,
        Quantity::Depth,
        Quantity::Speed,
        Quantity::Velocity,
        Quantity::Vorticity,
        Quantity::Pressure,
        Quantity::DynamicPressure,
        Quantity::Divergence,
        Quantity::Dye,
        Quantity::Smoke,
        Quantity::Temperature,
        Quantity::Wetness,
        Quantity::Foam,
        Quantity::SurfaceDistance,
        Quantity::SolidDistance,
        Quantity::CellKind,
        Quantity::SolidMask,
        Quantity::Colour,
        Quantity::Mass,
        Quantity::Age,
        Quantity::Radius,
        Quantity::Jacobian,
        Quantity::Region,
    ];

    /// Scale of values with this number of components.
    pub fn scale(self, components: u32) -> FieldScale {
        match self {
            _ if components > 1 => FieldScale::Vector,
            Quantity::Custom(scale) => scale,
            Quantity::Vorticity
            | Quantity::DynamicPressure
            | Quantity::Divergence
            | Quantity::Temperature
            | Quantity::SurfaceDistance
            | Quantity::SolidDistance => FieldScale::Signed,
            Quantity::Velocity | Quantity::Dye | Quantity::Colour => FieldScale::Vector,
            Quantity::CellKind | Quantity::SolidMask | Quantity::Region => FieldScale::Kinds,
            Quantity::Height
            | Quantity::Bed
            | Quantity::Depth
            | Quantity::Speed
            | Quantity::Pressure
            | Quantity::Smoke
            | Quantity::Wetness
            | Quantity::Foam
            | Quantity::Mass
            | Quantity::Age
            | Quantity::Radius
            | Quantity::Jacobian => FieldScale::Plain,
        }
    }

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Height => "height",
            Quantity::Bed => "bed",
            Quantity::Depth => "depth",
            Quantity::Speed => "speed",
            Quantity::Velocity => "velocity",
            Quantity::Vorticity => "vorticity",
            Quantity::Pressure => "pressure",
            Quantity::DynamicPressure => "dynamic pressure",
            Quantity::Divergence => "divergence",
            Quantity::Dye => "dye",
            Quantity::Smoke => "smoke",
            Quantity::Temperature => "temperature",
            Quantity::Wetness => "wetness",
            Quantity::Foam => "foam",
            Quantity::SurfaceDistance => "distance from the surface",
            Quantity::SolidDistance => "distance from solids",
            Quantity::CellKind => "kind of cell",
            Quantity::SolidMask => "solid cells",
            Quantity::Colour => "colour",
            Quantity::Mass => "mass",
            Quantity::Age => "age",
            Quantity::Radius => "radius",
            Quantity::Jacobian => "Jacobian",
            Quantity::Region => "region",
            Quantity::Custom(_) => "custom",
        }
    }

    /// Name of a value of a categorical quantity; `None` for other quantities and unknown values.
    ///
    /// ```
    /// use undine_frame::{CellKind, Quantity};
    /// assert_eq!(Quantity::CellKind.kind_name(CellKind::Solid.code().into()), Some("solid"));
    /// assert_eq!(Quantity::SolidMask.kind_name(0), Some("open"));
    /// ```
    pub fn kind_name(self, value: usize) -> Option<&'static str> {
        match self {
            Quantity::CellKind => CellKind::ALL.get(value).map(|kind| kind.name()),
            Quantity::SolidMask => ["open", "solid"].get(value).copied(),
            Quantity::Region => RegionState::ALL.get(value).map(|state| state.name()),
            _ => None,
        }
    }
}

/// State of the water of a column by the region that manages it: what the region is, and whether it is asleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegionState {
    /// Dry, or in no region.
    None,
    /// Water in a cup.
    Pooling,
    /// Water running down a hill.
    Flowing,
    /// The lip of a waterfall.
    Waterfall,
    /// Water in a cup that is not simulated.
    PoolingAsleep,
    /// Water running down a hill that is not simulated.
    FlowingAsleep,
    /// The lip of a waterfall that is not simulated.
    WaterfallAsleep,
}

impl RegionState {
    /// Every state, in the order of their codes.
    pub const ALL: [RegionState; 7] = [
        RegionState::None,
        RegionState::Pooling,
        RegionState::Flowing,
        RegionState::Waterfall,
        RegionState::PoolingAsleep,
        RegionState::FlowingAsleep,
        RegionState::WaterfallAsleep,
    ];

    /// Its value in a field.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Name for legends.
    pub fn name(self) -> &'static str {
        match self {
            RegionState::None => "dry",
            RegionState::Pooling => "pooling",
            RegionState::Flowing => "flowing",
            RegionState::Waterfall => "waterfall",
            RegionState::PoolingAsleep => "pooling, asleep",
            RegionState::FlowingAsleep => "flowing, asleep",
            RegionState::WaterfallAsleep => "waterfall, asleep",
        }
    }
}

/// Kind of a cell of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// Air.
    Empty,
    /// Liquid beside air.
    Surface,
    /// Liquid, or a fluid that fills its box, on all sides.
    Full,
    /// An obstacle.
    Solid,
    /// Where fluid comes in.
    Inflow,
    /// Where fluid goes out.
    Outflow,
}

impl CellKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [CellKind; 6] = [
        CellKind::Empty,
        CellKind::Surface,
        CellKind::Full,
        CellKind::Solid,
        CellKind::Inflow,
        CellKind::Outflow,
    ];

    /// Its value in a field.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Name for legends.
    pub fn name(self) -> &'static str {
        match self {
            CellKind::Empty => "empty",
            CellKind::Surface => "surface",
            CellKind::Full => "full",
            CellKind::Solid => "solid",
            CellKind::Inflow => "inflow",
            CellKind::Outflow => "outflow",
        }
    }
}

/// What a surface bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SurfaceRole {
    /// Water, against the air.
    #[default]
    Water,
    /// The ground, under water or bare.
    Bed,
}

/// What the particles of a cloud are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CloudRole {
    /// The liquid itself: its particles fill it.
    Liquid,
    /// Drops of water in the air, torn off a surface.
    Spray,
    /// Foam on a surface.
    Foam,
    /// Bubbles of air in water.
    Bubble,
    /// Mist, which light mostly passes.
    Mist,
    /// Drops that fall from above.
    Rain,
    /// Passive particles that follow a fluid.
    #[default]
    Tracer,
    /// Points that mark where the liquid is.
    Marker,
}

impl CloudRole {
    /// Every role.
    pub const ALL: [CloudRole; 8] = [
        CloudRole::Liquid,
        CloudRole::Spray,
        CloudRole::Foam,
        CloudRole::Bubble,
        CloudRole::Mist,
        CloudRole::Rain,
        CloudRole::Tracer,
        CloudRole::Marker,
    ];
}

/// Material of a surface or body, by which renderers choose its shading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Material {
    /// The surface of water: reflects, refracts, tints what is below it.
    #[default]
    Water,
    /// Ground under or around water.
    Ground,
    /// An opaque solid body.
    Solid,
    /// A transparent solid body.
    Glass,
}

impl Material {
    /// Whether it is that of a body, rather than of water or ground.
    pub fn is_body(self) -> bool {
        match self {
            Material::Solid | Material::Glass => true,
            Material::Water | Material::Ground => false,
        }
    }
}
