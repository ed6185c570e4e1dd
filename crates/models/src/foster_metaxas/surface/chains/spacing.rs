//! Even spacing of the particles of a new chain. Corners are kept.

use super::segments::{cross, dot, minus};

/// A turn of more than this, in radians, is a corner.
const CORNER: f64 = 0.45;

/// Points nearer than this are one, in cells.
const SAME: f64 = 1e-6;

/// A closed outline in cells of this `spacing`, divided anew: into `count` links, or into links of about `length` metres.
/// Corners stay; where there are more of them than `count`, there is a link for each.
pub fn space_evenly(
    outline: &[[f64; 2]],
    spacing: [f64; 2],
    length: f64,
    count: Option<usize>,
) -> Vec<[f64; 2]> {
    let mut outline: Vec<[f64; 2]> = outline.to_vec();
    outline.dedup_by(|b, a| is_same(*a, *b));
    while outline.len() > 1 && is_same(outline[0], outline[outline.len() - 1]) {
        outline.pop();
    }
    if outline.len() < 3 {
        return outline;
    }
    // From a corner to the next; without any, once around from the first point
    let corners: Vec<usize> = (0..outline.len()).filter(|&at| is_corner(&outline, at, spacing)).collect();
    let corners = if corners.is_empty() { vec![0] } else { corners };
    let sections: Vec<Vec<[f64; 2]>> = (0..corners.len())
        .map(|number| section(&outline, corners[number], corners[(number + 1) % corners.len()]))
        .collect();
    let lengths: Vec<f64> = sections.iter().map(|section| length_of(section, spacing)).collect();
    let links = links_per_section(&lengths, length, count);
    let divided = sections.iter().zip(&lengths).zip(links);
    divided.flat_map(|((section, length), links)| divide(section, spacing, *length, links)).collect()
}

/// Length of a closed outline, in metres.
pub fn perimeter(outline: &[[f64; 2]], spacing: [f64; 2]) -> f64 {
    let Some(&first) = outline.first() else { return 0.0 };
    length_of(outline, spacing) + length_of(&[outline[outline.len() - 1], first], spacing)
}

fn is_same(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).abs() < SAME && (a[1] - b[1]).abs() < SAME
}

fn metres(point: [f64; 2], spacing: [f64; 2]) -> [f64; 2] {
    [point[0] * spacing[0], point[1] * spacing[1]]
}

fn is_corner(outline: &[[f64; 2]], at: usize, spacing: [f64; 2]) -> bool {
    let count = outline.len();
    let point = |index: usize| metres(outline[index % count], spacing);
    let before = minus(point(at), point(at + count - 1));
    let after = minus(point(at + 1), point(at));
    cross(before, after).atan2(dot(before, after)).abs() > CORNER
}

/// The points from one index to another, both included, at least one step on.
fn section(outline: &[[f64; 2]], from: usize, to: usize) -> Vec<[f64; 2]> {
    let count = outline.len();
    let steps = (to + count - from - 1) % count + 1;
    (0..=steps).map(|step| outline[(from + step) % count]).collect()
}

fn length_of(section: &[[f64; 2]], spacing: [f64; 2]) -> f64 {
    let length = |pair: &[[f64; 2]]| {
        let along = metres(minus(pair[1], pair[0]), spacing);
        along[0].hypot(along[1])
    };
    section.windows(2).map(length).sum()
}

/// How many links each section gets: at least one; by the largest remainders if the sum is given.
fn links_per_section(lengths: &[f64], length: f64, count: Option<usize>) -> Vec<usize> {
    let Some(count) = count else {
        return lengths.iter().map(|section| ((section / length).round() as usize).max(1)).collect();
    };
    let total: f64 = lengths.iter().sum();
    let wanted = |section: &f64| section / total.max(f64::MIN_POSITIVE) * count as f64;
    let mut links: Vec<usize> =
        lengths.iter().map(|section| (wanted(section).floor() as usize).max(1)).collect();
    let mut order: Vec<usize> = (0..links.len()).collect();
    let remainder = |at: usize| wanted(&lengths[at]).fract();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let given: usize = links.iter().sum();
    order.iter().cycle().take(count.saturating_sub(given)).for_each(|&at| links[at] += 1);
    // Sections that got their one link beyond their share: taken from the longest
    for _ in count..given {
        let longest = (0..links.len()).filter(|&at| links[at] > 1).max_by_key(|&at| links[at]);
        longest.into_iter().for_each(|at| links[at] -= 1);
    }
    links
}

/// The beginnings of `links` links of equal length along a section.
fn divide(section: &[[f64; 2]], spacing: [f64; 2], length: f64, links: usize) -> Vec<[f64; 2]> {
    let mut points = Vec::with_capacity(links);
    let (mut passed, mut at) = (0.0, 0);
    for number in 0..links {
        let target = length * number as f64 / links as f64;
        while at + 2 < section.len() && passed + length_of(&section[at..at + 2], spacing) < target {
            passed += length_of(&section[at..at + 2], spacing);
            at += 1;
        }
        let along = length_of(&section[at..at + 2], spacing);
        let t = if along > 0.0 { ((target - passed) / along).clamp(0.0, 1.0) } else { 0.0 };
        let (a, b) = (section[at], section[at + 1]);
        points.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_stay_and_the_count_is_met() {
        let square = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 1e-9]];
        for count in [4, 7, 50] {
            let points = space_evenly(&square, [1.0; 2], 0.25, Some(count));
            assert_eq!(points.len(), count);
            for corner in [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]] {
                assert!(points.iter().any(|&point| is_same(point, corner)), "{count}: {points:?}");
            }
        }
        assert_eq!(space_evenly(&square, [1.0; 2], 0.25, None).len(), 24);
        // Cells of 2 m × 1 m: lengths are metres
        assert_eq!(space_evenly(&square, [2.0, 1.0], 0.25, None).len(), 40);
        assert_eq!(space_evenly(&square, [1.0; 2], 0.25, Some(2)).len(), 4);
    }

    #[test]
    fn a_circle_is_divided_into_equal_links() {
        let circle: Vec<[f64; 2]> = (0..1000)
            .map(|n| (n as f64 * std::f64::consts::TAU / 1000.0).sin_cos())
            .map(|(y, x)| [x, y])
            .collect();
        let points = space_evenly(&circle, [1.0; 2], 0.1, Some(50));
        assert_eq!(points.len(), 50);
        let chord = 2.0 * (std::f64::consts::PI / 50.0).sin();
        for number in 0..50 {
            let along = minus(points[(number + 1) % 50], points[number]);
            assert!((along[0].hypot(along[1]) - chord).abs() < 1e-4);
        }
    }
}
