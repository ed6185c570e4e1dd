//! Attributes of the vertices of a surface or of the particles of a cloud.

use crate::{Quantity, Shared};

/// Values per vertex or particle: foam, wetness, depth, colour, …
///
/// ```
/// use undine_frame::{Attribute, Quantity};
/// let colours = Attribute::new("colour", Quantity::Colour, 3, vec![1.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
/// assert_eq!((colours.count(), colours.triples()), (2, Some([[1.0, 0.0, 0.0], [0.0, 0.5, 1.0]].as_slice())));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its unit, empty for a pure number.
    pub unit: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Numbers per vertex or particle.
    pub components: u32,
    /// The values, components fastest.
    pub values: Shared<f32>,
}

impl Attribute {
    /// An attribute without a unit.
    pub fn new(name: &str, quantity: Quantity, components: u32, values: impl Into<Shared<f32>>) -> Attribute {
        Attribute { name: name.to_owned(), unit: String::new(), quantity, components, values: values.into() }
    }

    /// The first of some attributes that holds a quantity for every one of `count` vertices or particles.
    pub fn find(attributes: &[Attribute], quantity: Quantity, count: usize) -> Option<&Attribute> {
        attributes.iter().find(|one| one.quantity == quantity && one.inconsistency(count, "").is_none())
    }

    /// How many vertices or particles it has values for.
    pub fn count(&self) -> usize {
        self.values.len() / self.components.max(1) as usize
    }

    /// The values three by three, of an attribute with three components.
    pub fn triples(&self) -> Option<&[[f32; 3]]> {
        (self.components == 3).then(|| self.values.as_chunks::<3>().0)
    }

    /// What is inconsistent about this attribute of `count` vertices or particles, if anything.
    pub fn inconsistency(&self, count: usize, of_what: &str) -> Option<String> {
        let values = self.values.len();
        let is_whole = self.components > 0 && values as u128 == count as u128 * u128::from(self.components);
        (!is_whole).then(|| format!("{values} {} for {count} {of_what}", self.name))
    }
}
