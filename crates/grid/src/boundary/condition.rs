//! Boundary conditions on the sides of a field.

use super::side::Side;
use crate::location::Location;
use crate::value::Value;

/// Boundary condition on one side of a field.
///
/// A velocity takes a condition for all its components at once, with `Value` and `Gradient` as vectors; see
/// [`MacVelocity`](crate::MacVelocity).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition<T> {
    /// A mirror: nothing crosses, the gradient across the side is zero.
    Wall,
    /// The nearest sample continues outwards, so that waves and flow can leave.
    Open,
    /// The slope of the two nearest samples continues outwards. Lets a bed or a pressure run on; is not stable for
    /// every scheme.
    Extrapolated,
    /// The field continues at the opposite side, which must say so too.
    Periodic,
    /// This value on the side.
    Value(T),
    /// This derivative along the outward normal, per metre.
    Gradient(T),
    /// For a velocity: nothing crosses, and the flow along the side is free.
    FreeSlip,
    /// For a velocity: the flow stands still at the side.
    NoSlip,
}

/// Why a condition is refused; the message names the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoundaryError {
    /// The field has no such side.
    #[error("a field of {dimension} axes has no {side} side")]
    NoSuchSide {
        /// The side.
        side: Side,
        /// Axes of the field.
        dimension: usize,
    },
    /// One of two opposite sides is periodic and the other is not.
    #[error("{side} and {opposite} must both be periodic or neither; set both at once with `set_axis`", opposite = side.opposite())]
    HalfPeriodic {
        /// The side that was set.
        side: Side,
    },
    /// A slip condition on something that is not a velocity component.
    #[error(
        "free-slip and no-slip are for velocities on faces, not for {location} ({side} side); use Wall for a mirror or Value(0)"
    )]
    NotVelocity {
        /// The side that was set.
        side: Side,
        /// Location of the field.
        location: Location,
    },
    /// A mirror on the component that crosses the side.
    #[error(
        "Wall does not say what crosses the {side} side, where these faces lie; use FreeSlip, NoSlip or Value for a velocity, Open for a flux that leaves"
    )]
    MirrorAcross {
        /// The side that was set.
        side: Side,
    },
    /// A gradient of labels.
    #[error("labels have no gradient ({side} side); use Value, Open or Wall")]
    GradientOfLabels {
        /// The side that was set.
        side: Side,
    },
    /// A value or gradient that is infinite or not a number.
    #[error("the number given for the {side} side is not finite")]
    NotFinite {
        /// The side that was set.
        side: Side,
    },
}

/// One condition per side of a field. Only conditions that make sense at the field's location get in.
///
/// ```
/// use undine_grid::{Boundary, BoundaryError, Condition, Location, Side};
///
/// let mut boundary = Boundary::<f32, 2>::new(Location::Center, Condition::Wall)?;
/// boundary.set(Side::West, Condition::Value(1.0))?;
/// boundary.set_axis(1, Condition::Periodic, Condition::Periodic)?;
/// assert_eq!(boundary.get(Side::North), Some(Condition::Periodic));
/// assert_eq!(boundary.set(Side::East, Condition::Periodic), Err(BoundaryError::HalfPeriodic { side: Side::East }));
/// # Ok::<(), BoundaryError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary<T, const D: usize> {
    location: Location,
    sides: [[Condition<T>; 2]; D],
}

impl<T: Value, const D: usize> Boundary<T, D> {
    /// The same condition on every side of a field at `location`.
    pub fn new(location: Location, condition: Condition<T>) -> Result<Self, BoundaryError> {
        let boundary = Boundary { location, sides: [[condition; 2]; D] };
        Side::of_dimension(D).iter().try_for_each(|&side| boundary.check(side, condition))?;
        Ok(boundary)
    }

    /// Sets one side. Periodic sides come in pairs: [`Boundary::set_axis`].
    pub fn set(&mut self, side: Side, condition: Condition<T>) -> Result<(), BoundaryError> {
        let opposite = self.get(side.opposite()).ok_or(BoundaryError::NoSuchSide { side, dimension: D })?;
        let [low, high] = if side.is_high() { [opposite, condition] } else { [condition, opposite] };
        self.check(side, condition)?;
        check_pair(side, low, high)?;
        self.sides[side.axis()] = [low, high];
        Ok(())
    }

    /// Sets both sides across an axis.
    pub fn set_axis(
        &mut self,
        axis: usize,
        low: Condition<T>,
        high: Condition<T>,
    ) -> Result<(), BoundaryError> {
        let side = Side::ALL[2 * axis.min(2)];
        self.get(side).filter(|_| axis < D).ok_or(BoundaryError::NoSuchSide { side, dimension: D })?;
        self.check(side, low)?;
        self.check(side.opposite(), high)?;
        check_pair(side, low, high)?;
        self.sides[axis] = [low, high];
        Ok(())
    }

    /// The condition on one side; `None` when the field has no such side.
    pub fn get(&self, side: Side) -> Option<Condition<T>> {
        self.sides.get(side.axis()).map(|sides| sides[usize::from(side.is_high())])
    }

    /// The conditions on the low and high side across an axis.
    pub(crate) fn across(&self, axis: usize) -> [Condition<T>; 2] {
        self.sides[axis]
    }

    /// Whether the field continues at the opposite side along this axis.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.sides.get(axis).is_some_and(|sides| matches!(sides, [Condition::Periodic, _]))
    }

    /// Location of the field that this boundary is made for.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Whether a condition makes sense on a side by itself.
    fn check(&self, side: Side, condition: Condition<T>) -> Result<(), BoundaryError> {
        let location = self.location;
        match condition {
            Condition::Wall if location == Location::Face(side.axis()) => {
                Err(BoundaryError::MirrorAcross { side })
            }
            Condition::FreeSlip | Condition::NoSlip if !matches!(location, Location::Face(_)) => {
                Err(BoundaryError::NotVelocity { side, location })
            }
            Condition::Gradient(_) if T::IS_LABEL => Err(BoundaryError::GradientOfLabels { side }),
            Condition::Value(number) | Condition::Gradient(number) if !number.is_finite() => {
                Err(BoundaryError::NotFinite { side })
            }
            _ => Ok(()),
        }
    }
}

fn check_pair<T: PartialEq>(side: Side, low: Condition<T>, high: Condition<T>) -> Result<(), BoundaryError> {
    match (low, high) {
        (Condition::Periodic, Condition::Periodic) => Ok(()),
        (Condition::Periodic, _) | (_, Condition::Periodic) => Err(BoundaryError::HalfPeriodic { side }),
        _ => Ok(()),
    }
}

impl<T: Copy, const D: usize> Condition<[T; D]> {
    /// The condition of the component along `axis` that follows from a condition on the velocity.
    pub fn component(self, axis: usize) -> Condition<T> {
        match self {
            Condition::Wall => Condition::Wall,
            Condition::Open => Condition::Open,
            Condition::Extrapolated => Condition::Extrapolated,
            Condition::Periodic => Condition::Periodic,
            Condition::Value(vector) => Condition::Value(vector[axis]),
            Condition::Gradient(vector) => Condition::Gradient(vector[axis]),
            Condition::FreeSlip => Condition::FreeSlip,
            Condition::NoSlip => Condition::NoSlip,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Plane = Boundary<f64, 2>;

    #[test]
    fn senseless_conditions_are_refused_when_made() {
        let refused = |location, condition| Plane::new(location, condition).unwrap_err();
        let west = Side::West;
        assert_eq!(
            refused(Location::Center, Condition::FreeSlip),
            BoundaryError::NotVelocity { side: west, location: Location::Center }
        );
        assert!(matches!(refused(Location::Node, Condition::NoSlip), BoundaryError::NotVelocity { .. }));
        assert_eq!(
            refused(Location::Face(1), Condition::Wall),
            BoundaryError::MirrorAcross { side: Side::South }
        );
        assert_eq!(
            refused(Location::Center, Condition::Value(f64::NAN)),
            BoundaryError::NotFinite { side: west }
        );
        let labels = Boundary::<u8, 1>::new(Location::Center, Condition::Gradient(1)).unwrap_err();
        assert_eq!(labels, BoundaryError::GradientOfLabels { side: west });
    }

    #[test]
    fn a_refused_condition_changes_nothing() {
        let mut boundary = Plane::new(Location::Face(0), Condition::FreeSlip).unwrap();
        let before = boundary;
        assert!(boundary.set(Side::East, Condition::Periodic).is_err());
        assert!(boundary.set(Side::East, Condition::Wall).is_err());
        assert!(boundary.set_axis(0, Condition::Open, Condition::Periodic).is_err());
        let no_side = BoundaryError::NoSuchSide { side: Side::Down, dimension: 2 };
        assert_eq!(boundary.set(Side::Down, Condition::Open), Err(no_side));
        assert_eq!(boundary.set_axis(2, Condition::Open, Condition::Open), Err(no_side));
        assert_eq!(boundary, before);
    }

    #[test]
    fn a_periodic_pair_is_opened_together() {
        let mut boundary = Plane::new(Location::Center, Condition::Periodic).unwrap();
        let error = boundary.set(Side::West, Condition::Open).unwrap_err();
        assert!(error.to_string().contains("west and east") && error.to_string().contains("set_axis"));
        boundary.set_axis(0, Condition::Open, Condition::Wall).unwrap();
        assert!(!boundary.is_periodic(0) && boundary.is_periodic(1));
    }
}
