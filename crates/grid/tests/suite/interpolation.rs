//! What interpolation reproduces, how fast it converges and what it never does.

use proptest::prelude::*;
use undine_grid::interpolation::{Cubic, Interpolant, Linear, MonotoneCubic, sample, slope};
use undine_grid::{Condition, Field, Grid, Location, fill_ghosts};

const LOCATIONS: [Location; 4] = [Location::Center, Location::Face(1), Location::Edge(0), Location::Node];

/// A field whose ghosts, too, hold the function: what interpolation does there is not the boundary's doing.
fn sampled<const D: usize>(
    grid: Grid<D>,
    location: Location,
    function: impl Fn([f64; D]) -> f64,
) -> Field<f64, D> {
    let mut field = Field::<f64, D>::new(grid, location, Condition::Open, 2).unwrap();
    let layout = *field.layout();
    let ghosted = layout.size().map(|along| along as isize + 4);
    for number in 0..ghosted.iter().product() {
        let mut rest: isize = number;
        let at = std::array::from_fn(|axis| {
            let along = rest % ghosted[axis] - 2;
            rest /= ghosted[axis];
            along
        });
        let value = function(field.position(at));
        field.storage_mut()[layout.offset(at)] = value;
    }
    field
}

fn box_grid() -> Grid<3> {
    Grid::new([5, 4, 3], [0.5, 0.25, 1.0], [-1.0, 2.0, 0.0]).unwrap()
}

fn point_in(grid: Grid<3>, fraction: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| grid.origin()[axis] + fraction[axis] * grid.length()[axis])
}

fn assert_close(value: f64, wanted: f64) {
    assert!((value - wanted).abs() < 1e-11 * (1.0 + wanted.abs()), "{value} for {wanted}");
}

/// Value and gradient of Σ c x^i y^j z^k with exponents up to `degree` on each axis.
fn assert_reproduces<I: Interpolant>(interpolant: I, degree: i32, coefficients: &[f64], fraction: [f64; 3]) {
    let terms = |[x, y, z]: [f64; 3], derived: Option<usize>| {
        let power = |base: f64, exponent: i32, axis| match derived {
            Some(along) if along == axis && exponent == 0 => 0.0,
            Some(along) if along == axis => f64::from(exponent) * base.powi(exponent - 1),
            _ => base.powi(exponent),
        };
        let mut sum = 0.0;
        let mut coefficient = coefficients.iter().cycle();
        for i in 0..=degree {
            for j in 0..=degree {
                for k in 0..=degree {
                    sum += coefficient.next().unwrap() * power(x, i, 0) * power(y, j, 1) * power(z, k, 2);
                }
            }
        }
        sum
    };
    let point = point_in(box_grid(), fraction);
    for location in LOCATIONS {
        let field = sampled(box_grid(), location, |at| terms(at, None));
        assert_close(sample(interpolant, &field, point), terms(point, None));
        let gradient = slope(interpolant, &field, point);
        (0..3).for_each(|axis| assert_close(gradient[axis], terms(point, Some(axis))));
    }
}

fn error_of<I: Interpolant>(interpolant: I, cells: usize) -> f64 {
    let wave = |[x, y]: [f64; 2]| (6.0 * x).sin() * (5.0 * y + 1.0).cos();
    let grid = Grid::new([cells; 2], [1.0 / cells as f64; 2], [0.0; 2]).unwrap();
    let field = sampled(grid, Location::Center, wave);
    let points = (0..200).map(|n| [(f64::from(n) * 0.618).fract(), (f64::from(n) * 0.414).fract()]);
    points.map(|point| (sample(interpolant, &field, point) - wave(point)).abs()).sum::<f64>() / 200.0
}

fn order_of<I: Interpolant>(interpolant: I) -> f64 {
    (error_of(interpolant, 40) / error_of(interpolant, 160)).log2() / 2.0
}

#[test]
fn errors_shrink_at_the_stated_order() {
    let orders = [order_of(Linear), order_of(Cubic), order_of(MonotoneCubic)];
    assert!((orders[0] - 2.0).abs() < 0.15, "linear: {}", orders[0]);
    assert!((orders[1] - 3.0).abs() < 0.25, "cubic: {}", orders[1]);
    // Near crests the limiter flattens slopes; elsewhere it leaves them
    assert!(orders[2] > 2.0 && orders[2] < 3.25, "monotone cubic: {}", orders[2]);
}

#[test]
fn points_outside_are_taken_to_the_edge_or_around() {
    let grid = Grid::new([8], [1.0], [0.0]).unwrap();
    let mut field = Field::<f64, 1>::new(grid, Location::Center, Condition::Open, 1).unwrap();
    field.set_by_position(|[x]| x);
    fill_ghosts(&mut field);
    assert_eq!(sample(Linear, &field, [-100.0]), 0.5);
    assert_eq!(sample(Cubic, &field, [f64::INFINITY]), 7.5);
    assert!(sample(Cubic, &field, [f64::NAN]).is_nan());

    field.boundary.set_axis(0, Condition::Periodic, Condition::Periodic).unwrap();
    field.set_by_position(|[x]| (x * std::f64::consts::TAU / 8.0).sin());
    fill_ghosts(&mut field);
    for x in [0.1, 3.0, 7.9] {
        assert_close(sample(Cubic, &field, [x - 16.0]), sample(Cubic, &field, [x]));
        assert_close(sample(Cubic, &field, [x + 8.0]), sample(Cubic, &field, [x]));
    }
    // Across the seam the wave is as smooth as elsewhere, though the ghosts are narrow
    assert_close(sample(Cubic, &field, [0.25]), -sample(Cubic, &field, [-0.25]));
}

#[test]
fn one_cell_is_enough() {
    let grid = Grid::new([1, 1, 1], [1.0; 3], [0.0; 3]).unwrap();
    let mut field = Field::<f32, 3>::new(grid, Location::Center, Condition::Wall, 1).unwrap();
    field.fill(3.0);
    for point in [[0.5; 3], [-9.0; 3], [9.0; 3]] {
        assert_eq!(sample(MonotoneCubic, &field, point), 3.0);
        assert_eq!(slope(Cubic, &field, point), [0.0; 3]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn polynomials_are_reproduced(
        coefficients in prop::collection::vec(-1.0..1.0_f64, 27), fraction in prop::array::uniform3(0.001..0.999_f64),
    ) {
        assert_reproduces(Linear, 1, &coefficients, fraction);
        assert_reproduces(Cubic, 2, &coefficients, fraction);
    }

    #[test]
    fn monotone_cubics_reproduce_planes(a in -1.0..1.0_f64, b in -1.0..1.0_f64, fraction in prop::array::uniform3(0.0..1.0_f64)) {
        let plane = |[x, y, z]: [f64; 3]| a * x + b * y - z;
        let point = point_in(box_grid(), fraction);
        for location in LOCATIONS {
            assert_close(sample(MonotoneCubic, &sampled(box_grid(), location, plane), point), plane(point));
        }
    }

    #[test]
    fn monotone_cubics_stay_between_the_corners(
        heights in prop::collection::vec(-1.0..1.0_f32, 36), fraction in prop::array::uniform2(0.0..1.0_f64),
    ) {
        let grid = Grid::new([5, 5], [1.0; 2], [0.0; 2]).unwrap();
        let mut field = Field::new(grid, Location::Node, Condition::Wall, 1).unwrap();
        field.copy_from(&heights).unwrap();
        fill_ghosts(&mut field);
        let point = fraction.map(|along| along * 5.0);
        let [x, y] = point.map(|along| (along as usize).min(4));
        let corners = [field[[x, y]], field[[x + 1, y]], field[[x, y + 1]], field[[x + 1, y + 1]]];
        let value = sample(MonotoneCubic, &field, point);
        prop_assert!(corners.iter().any(|&corner| corner <= value) && corners.iter().any(|&corner| corner >= value));
    }
}
