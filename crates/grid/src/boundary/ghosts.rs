//! The one function that writes ghosts.
//!
//! Along one axis a ghost is the image of a sample: in a mirror on the side (method of images), moved by a period, or
//! continued from the nearest samples. With the side at x = 0, samples between sides at (i + ½)Δ have their images at
//! −(i + ½)Δ; samples on the side at iΔ have theirs at −iΔ, and sample 0 itself is set where the side fixes a value.
//! For `Value(a)` the image is 2a − u, for `Gradient(g)` it is u + 2gd at distance d from the side.
//!
//! Ghosts are written from the side outwards, low and high in turn, so that images of images are there when the ghosts
//! are wider than the field. Axes are swept in order, each over the ghosts of those before it: so edges and corners
//! are images of images too. Where two sides meet that fix different values, the later axis wins.

use super::condition::Condition;
use crate::field::Field;
use crate::location::Location;
use crate::par;
use crate::value::Value;

/// Writes every ghost of a field from its boundary: the one function that does. It also sets the samples that lie on a
/// side whose value is fixed (the velocity through a wall), and repeats the first sample as the last where the field
/// is periodic and samples lie on its sides.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, Side, fill_ghosts};
///
/// let grid = Grid::new([3], [0.5], [0.0])?;
/// let mut u = Field::new(grid, Location::Face(0), Condition::Open, 2)?;
/// u.copy_from(&[9.0, 1.0, 2.0, 3.0])?;
/// u.boundary.set(Side::West, Condition::NoSlip)?;
/// fill_ghosts(&mut u);
/// assert_eq!(u.row_with_ghosts([0]), [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_ghosts<T: Value, const D: usize>(field: &mut Field<T, D>) {
    for axis in 0..D {
        fill_axis(field, axis);
    }
}

/// How the value of a ghost follows from the samples inside.
#[derive(Clone, Copy)]
enum GhostSource<T> {
    /// The sample as far inside as the ghost is outside.
    Mirror,
    /// The same, reflected about a value, which holds on the side.
    About(T),
    /// The same, raised by twice the distance times this slope.
    Rising(f64),
    /// The nearest sample.
    Nearest,
    /// The line through the next two.
    GhostLine,
    /// The sample one period further in.
    Wrapped,
}

impl<T: Value> GhostSource<T> {
    fn of(condition: Condition<T>, location: Location, axis: usize) -> GhostSource<T> {
        match condition {
            Condition::Wall => GhostSource::Mirror,
            Condition::Open => GhostSource::Nearest,
            Condition::Extrapolated => GhostSource::GhostLine,
            Condition::Periodic => GhostSource::Wrapped,
            Condition::Value(value) => GhostSource::About(value),
            Condition::Gradient(slope) => GhostSource::Rising(slope.to_f64()),
            Condition::NoSlip => GhostSource::About(T::zeroed()),
            Condition::FreeSlip if location == Location::Face(axis) => GhostSource::About(T::zeroed()),
            Condition::FreeSlip => GhostSource::Mirror,
        }
    }
}

/// Fills the ghosts along one axis on every line along it. Lines among the ghosts of later axes are filled too, with
/// whatever they hold: those axes overwrite them.
fn fill_axis<T: Value, const D: usize>(field: &mut Field<T, D>, axis: usize) {
    let layout = *field.layout();
    let line = GhostLine::new(field, axis);

    // In memory the lines follow each other, each from its lowest ghost on
    let stored_values = layout.stored_rows() * layout.pitch();
    let line_values = if axis + 1 < D { layout.strides()[axis + 1] } else { stored_values };
    let start = layout.lead() - layout.ghost();
    let stored = &mut field.storage_mut()[start..start + stored_values];
    par::for_each_chunk(stored, line_values * par::pieces_per_task(line_values), |_, lines| {
        for values in lines.chunks_exact_mut(line_values) {
            line.fill(&mut values[..line.count * line.width]);
        }
    });
}

/// How to fill one line along an axis: `count` elements of `width` values each. Along x an element is a value, along
/// y a row, along z a plane.
struct GhostLine<T> {
    count: usize,
    width: usize,
    ghost: usize,
    is_on_side: bool,
    spacing: f64,
    images: [GhostSource<T>; 2],
}

impl<T: Value> GhostLine<T> {
    fn new<const D: usize>(field: &Field<T, D>, axis: usize) -> Self {
        let (layout, location) = (field.layout(), field.location());
        let mut images = field.boundary.across(axis).map(|side| GhostSource::of(side, location, axis));
        if layout.size()[axis] == 1 {
            // One sample has no slope
            images = images.map(|image| {
                if matches!(image, GhostSource::GhostLine) { GhostSource::Nearest } else { image }
            });
        }
        GhostLine {
            count: layout.ghosted(axis),
            width: layout.strides()[axis],
            ghost: layout.ghost(),
            is_on_side: location.is_on_side(axis),
            spacing: field.grid().spacing()[axis],
            images,
        }
    }

    fn fill(&self, line: &mut [T]) {
        self.set_samples_on_sides(line);
        for distance in 1..=self.ghost {
            self.write_ghost(line, 0, distance);
            self.write_ghost(line, 1, distance);
        }
    }

    fn set_samples_on_sides(&self, line: &mut [T]) {
        if !self.is_on_side {
            return;
        }
        for (side, image) in self.images.into_iter().enumerate() {
            if let GhostSource::About(value) = image {
                line[self.element(side, 0)].fill(value);
            }
        }
        if let GhostSource::Wrapped = self.images[1] {
            line.copy_within(self.element(0, 0), self.element(1, 0).start);
        }
    }

    /// The values of the element `steps` inwards from the outermost sample of a side; ghosts have negative steps.
    fn element(&self, side: usize, steps: isize) -> std::ops::Range<usize> {
        let steps_from_end = self.ghost.wrapping_add_signed(steps);
        let index = if side == 0 { steps_from_end } else { self.count - 1 - steps_from_end };
        index * self.width..(index + 1) * self.width
    }

    /// Writes the ghost at `distance` samples beyond the outermost one of a side.
    fn write_ghost(&self, line: &mut [T], side: usize, distance: usize) {
        let mirrored = distance as isize - isize::from(!self.is_on_side);
        let period = (self.count - 2 * self.ghost - usize::from(self.is_on_side)) as isize;
        let source = match self.images[side] {
            GhostSource::Mirror | GhostSource::About(_) | GhostSource::Rising(_) => mirrored,
            GhostSource::Nearest => 0,
            GhostSource::GhostLine => 1 - distance as isize,
            GhostSource::Wrapped => period - distance as isize,
        };
        let ghost = self.element(side, -(distance as isize));
        line.copy_within(self.element(side, source), ghost.start);
        self.adjust(line, side, distance, ghost);
    }

    /// Turns the copied sample into its image.
    fn adjust(&self, line: &mut [T], side: usize, distance: usize, ghost: std::ops::Range<usize>) {
        match self.images[side] {
            GhostSource::Mirror | GhostSource::Nearest | GhostSource::Wrapped => {}
            GhostSource::About(value) => {
                line[ghost].iter_mut().for_each(|image| *image = image.reflected(value))
            }
            GhostSource::Rising(slope) => {
                let steps = 2.0 * distance as f64 - f64::from(!self.is_on_side);
                let rise = slope * steps * self.spacing;
                line[ghost].iter_mut().for_each(|image| *image = image.raised(rise));
            }
            GhostSource::GhostLine => {
                let next = self.element(side, 2 - distance as isize).start;
                for (place, ghost) in ghost.enumerate() {
                    line[ghost] = line[next + place].reflected(line[ghost]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Side;
    use crate::grid::Grid;

    fn line(
        location: Location,
        ghost: usize,
        low: Condition<f64>,
        high: Condition<f64>,
        inside: &[f64],
    ) -> Vec<f64> {
        let cells = inside.len() - usize::from(location.is_on_side(0));
        let grid = Grid::new([cells], [0.5], [0.0]).unwrap();
        let mut field = Field::new(grid, location, Condition::Open, ghost).unwrap();
        field.boundary.set_axis(0, low, high).unwrap();
        field.copy_from(inside).unwrap();
        fill_ghosts(&mut field);
        field.row_with_ghosts([0]).to_vec()
    }

    #[test]
    fn each_condition_between_sides() {
        use Condition::*;
        let centres = |low, high| line(Location::Center, 2, low, high, &[1.0, 2.0, 4.0]);
        assert_eq!(centres(Wall, Open), [2.0, 1.0, 1.0, 2.0, 4.0, 4.0, 4.0]);
        assert_eq!(centres(Extrapolated, Extrapolated), [-1.0, 0.0, 1.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(centres(Periodic, Periodic), [2.0, 4.0, 1.0, 2.0, 4.0, 1.0, 2.0]);
        assert_eq!(centres(Value(1.0), Value(5.0)), [0.0, 1.0, 1.0, 2.0, 4.0, 6.0, 8.0]);
        // The derivative on the side: (1 - 1.5) / 0.5 and (2 - 3.5) / 1.5 are -1 outwards from the west
        assert_eq!(centres(Gradient(1.0), Gradient(2.0)), [3.5, 1.5, 1.0, 2.0, 4.0, 5.0, 5.0]);
    }

    #[test]
    fn each_condition_on_sides() {
        use Condition::*;
        let faces = |low, high| line(Location::Face(0), 2, low, high, &[1.0, 2.0, 4.0, 8.0]);
        assert_eq!(faces(NoSlip, FreeSlip), [-4.0, -2.0, 0.0, 2.0, 4.0, 0.0, -4.0, -2.0]);
        assert_eq!(faces(Value(3.0), Open), [2.0, 4.0, 3.0, 2.0, 4.0, 8.0, 8.0, 8.0]);
        assert_eq!(faces(Periodic, Periodic), [2.0, 4.0, 1.0, 2.0, 4.0, 1.0, 2.0, 4.0]);
        assert_eq!(faces(Gradient(1.0), Extrapolated), [6.0, 3.0, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0]);
        let nodes = line(Location::Node, 1, Wall, Wall, &[1.0, 2.0, 4.0]);
        assert_eq!(nodes, [2.0, 1.0, 2.0, 4.0, 2.0]);
    }

    #[test]
    fn ghosts_wider_than_the_field_are_images_of_images() {
        use Condition::*;
        let cell = |low, high| line(Location::Center, 3, low, high, &[2.0]);
        assert_eq!(cell(Wall, Wall), [2.0; 7]);
        assert_eq!(cell(Periodic, Periodic), [2.0; 7]);
        assert_eq!(cell(Extrapolated, Open), [2.0; 7]);
        // Zero at the west, a mirror at the east: half waves of two cells, turn and turn about
        assert_eq!(cell(Value(0.0), Wall), [2.0, -2.0, -2.0, 2.0, 2.0, -2.0, -2.0]);
        // Two fixed values: the line through both, wherever the images are
        assert_eq!(cell(Value(1.0), Value(3.0)), [-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        let faces = line(Location::Face(0), 3, NoSlip, Value(5.0), &[7.0, 7.0]);
        assert_eq!(faces, [-15.0, -10.0, -5.0, 0.0, 5.0, 10.0, 15.0, 20.0]);
    }

    #[test]
    fn tangential_velocity_slips_or_sticks() {
        let grid = Grid::new([2, 2], [1.0; 2], [0.0; 2]).unwrap();
        let mut u = Field::new(grid, Location::Face(0), Condition::Open, 1).unwrap();
        u.boundary.set(Side::South, Condition::FreeSlip).unwrap();
        u.boundary.set(Side::North, Condition::NoSlip).unwrap();
        u.fill(3.0);
        fill_ghosts(&mut u);
        assert_eq!((u.at([1, -1]), u.at([1, 0]), u.at([1, 2])), (3.0, 3.0, -3.0));
    }

    /// A polynomial that a linear boundary continues exactly must be continued into every edge and corner.
    #[test]
    fn corners_and_edges_are_filled_in_every_dimension() {
        fn check<const D: usize>(location: Location) {
            let grid = Grid::new([3; D], [0.5; D], [1.0; D]).unwrap();
            let mut field = Field::<f64, D>::new(grid, location, Condition::Extrapolated, 3).unwrap();
            let product = |point: [f64; D]| point.iter().product::<f64>();
            field.fill(f64::NAN);
            field.set_by_position(product);
            fill_ghosts(&mut field);
            let ghosted = field.size().map(|n| n as isize + 6);
            for number in 0..ghosted.iter().product() {
                let mut rest: isize = number;
                let at = ghosted.map(|x| (rest % x - 3, rest /= x).0);
                let wanted = product(field.position(at));
                assert!(
                    (field.at(at) - wanted).abs() < 1e-9,
                    "{location} {at:?}: {} for {wanted}",
                    field.at(at)
                );
            }
        }
        check::<1>(Location::Center);
        check::<1>(Location::Node);
        (0..2).for_each(|axis| check::<2>(Location::Face(axis)));
        check::<2>(Location::Center);
        (0..3).for_each(|axis| check::<3>(Location::Edge(axis)));
        check::<3>(Location::Center);
        check::<3>(Location::Node);
    }

    #[test]
    fn samples_off_the_sides_are_left_alone() {
        let grid = Grid::new([40, 9, 5], [1.0; 3], [0.0; 3]).unwrap();
        let mut field = Field::<f32, 3>::new(grid, Location::Center, Condition::Value(2.0), 2).unwrap();
        field.set_by_position(|[x, y, z]| x * y - z);
        let before = field.to_dense();
        fill_ghosts(&mut field);
        assert_eq!(field.to_dense(), before);
    }
}
