//! Whether a mesh encloses anything: open edges, sides that face different ways, parts that cross.
//!
//! A closed mesh has two triangles at every edge, which pass it in opposite senses. Triangles that face the wrong way
//! are turned; what is open is refused; parts that cross are solid together, and it is said where.

use std::collections::HashMap;

use super::facets::Facets;
use super::mesh::{self, Triangle, cross, dot, minus, normal};

/// Corners nearer than this share of the mesh's extent are one.
const WELD: f64 = 1e-6;

/// Why a mesh is no solid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unsound {
    /// It has holes.
    #[error("the mesh is open: {edges} edges have no second triangle, one of them near {}", place(*.near))]
    Open {
        /// How many such edges there are.
        edges: usize,
        /// The middle of the first.
        near: [f64; 3],
    },
    /// More than two triangles meet so that no inside is left.
    #[error("an odd number of triangles meets at an edge near {}", place(*.near))]
    Branched {
        /// The middle of the edge.
        near: [f64; 3],
    },
    /// Its triangles cannot all face outwards.
    #[error("the mesh has only one side, as a Möbius strip has; it shows near {}", place(*.near))]
    OneSided {
        /// Where it shows.
        near: [f64; 3],
    },
    /// All its triangles are flat or cancel.
    #[error("the mesh encloses nothing")]
    Flat,
}

/// A mesh that encloses something, and what was found or mended on the way.
#[derive(Debug, Clone)]
pub struct Sound {
    /// Its triangles, facing outwards.
    pub triangles: Vec<Triangle>,
    /// What its author should know.
    pub remarks: Vec<String>,
}

/// A triangle as the numbers of its corners.
type Corners = [u32; 3];

/// One triangle at an edge: the lower and the higher corner, the triangle, and whether it passes them in this order.
type Pass = (u32, u32, u32, bool);

/// Checks a mesh that is to be solid.
pub fn check_closed(triangles: Vec<Triangle>) -> Result<Sound, Unsound> {
    let (mut triangles, mut corners, mut remarks) = weld(triangles);
    let passes = passes(&corners);
    find_holes(&passes, &triangles)?;
    let turned = face_alike(&passes, &mut corners, &mut triangles)?;
    if turned > 0 {
        remarks
            .push(format!("{turned} of its {} triangles faced the wrong way and were turned", corners.len()));
    }
    let extent = extent(&triangles);
    let volume: f64 = triangles.iter().map(volume_below).sum();
    if volume.is_nan() || volume.abs() <= 1e-12 * extent.powi(3) {
        return Err(Unsound::Flat);
    }
    if volume < 0.0 {
        triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        remarks.push("it is inside out and was turned".to_owned());
    }
    remarks.extend(find_crossing(&triangles));
    Ok(Sound { triangles, remarks })
}

/// Checks a mesh that is to be a sheet: only triangles that are none are taken out.
pub fn check_sheet(triangles: Vec<Triangle>) -> Result<Sound, Unsound> {
    let (triangles, _, remarks) = weld(triangles);
    let area: f64 = triangles.iter().map(|one| dot(normal(one), normal(one)).sqrt()).sum();
    if area > 0.0 { Ok(Sound { triangles, remarks }) } else { Err(Unsound::Flat) }
}

/// Numbers the corners, one number for all at the same place, and takes out triangles with two equal corners.
fn weld(triangles: Vec<Triangle>) -> (Vec<Triangle>, Vec<Corners>, Vec<String>) {
    let grain = (WELD * extent(&triangles)).max(f64::MIN_POSITIVE);
    let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
    let mut number = |corner: [f64; 3]| {
        let count = numbers.len() as u32;
        *numbers.entry(corner.map(|along| (along / grain).round() as i64)).or_insert(count)
    };
    let before = triangles.len();
    let (mut kept, mut corners) = (Vec::with_capacity(before), Vec::with_capacity(before));
    for triangle in triangles {
        let [a, b, c] = triangle.map(&mut number);
        if a != b && b != c && c != a {
            kept.push(triangle);
            corners.push([a, b, c]);
        }
    }
    let lost = before - kept.len();
    let remark = format!("{lost} of its {before} triangles have no area and were left out");
    let remarks = if lost > 0 { vec![remark] } else { Vec::new() };
    (kept, corners, remarks)
}

/// Every triangle at every edge, edge by edge.
fn passes(corners: &[Corners]) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::with_capacity(3 * corners.len());
    for (number, [a, b, c]) in corners.iter().enumerate() {
        for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
            passes.push((from.min(to), from.max(to), number as u32, from < to));
        }
    }
    passes.sort_unstable();
    passes
}

fn edges(passes: &[Pass]) -> impl Iterator<Item = &[Pass]> {
    passes.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
}

fn find_holes(passes: &[Pass], triangles: &[Triangle]) -> Result<(), Unsound> {
    let middle = |edge: &[Pass]| middle(&triangles[edge[0].2 as usize]);
    let mut open = edges(passes).filter(|edge| edge.len() == 1);
    if let Some(first) = open.next() {
        return Err(Unsound::Open { edges: 1 + open.count(), near: middle(first) });
    }
    match edges(passes).find(|edge| edge.len() % 2 == 1) {
        Some(edge) => Err(Unsound::Branched { near: middle(edge) }),
        None => Ok(()),
    }
}

/// Turns triangles until neighbours face alike, and returns how many. Parts that do already are left as they are: what
/// faces inwards may be a hollow.
fn face_alike(
    passes: &[Pass],
    corners: &mut [Corners],
    triangles: &mut [Triangle],
) -> Result<usize, Unsound> {
    // Pairs of neighbours, and whether one of the two must be turned
    let pairs: Vec<(u32, u32, bool)> = edges(passes)
        .filter_map(|edge| match *edge {
            [one, other] => Some([(one.2, other.2, one.3 == other.3), (other.2, one.2, one.3 == other.3)]),
            _ => None,
        })
        .flatten()
        .collect();
    if pairs.iter().all(|pair| !pair.2) {
        return Ok(0);
    }
    let neighbours = by_first(pairs, corners.len());
    let mut turned: Vec<Option<bool>> = vec![None; corners.len()];
    let mut count = 0;
    for start in 0..corners.len() {
        if turned[start].is_none() {
            let part = spread(start, &neighbours, &mut turned)
                .map_err(|at| Unsound::OneSided { near: middle(&triangles[at]) })?;
            count += turn_part(&part, &turned, corners, triangles);
        }
    }
    Ok(count)
}

/// The neighbours of every triangle.
fn by_first(pairs: Vec<(u32, u32, bool)>, count: usize) -> Vec<Vec<(u32, bool)>> {
    let mut lists = vec![Vec::new(); count];
    pairs.into_iter().for_each(|(one, other, differ)| lists[one as usize].push((other, differ)));
    lists
}

/// Decides for all triangles of a part which are turned against the first; fails with one that would have to be both.
fn spread(
    start: usize,
    neighbours: &[Vec<(u32, bool)>],
    turned: &mut [Option<bool>],
) -> Result<Vec<usize>, usize> {
    turned[start] = Some(false);
    let mut part = vec![start];
    let mut next = 0;
    while let Some(&here) = part.get(next) {
        next += 1;
        for &(beside, differ) in &neighbours[here] {
            let (beside, wanted) = (beside as usize, turned[here].map(|turned| turned != differ));
            match turned[beside] {
                None => {
                    turned[beside] = wanted;
                    part.push(beside);
                }
                known if known != wanted => return Err(beside),
                _ => {}
            }
        }
    }
    Ok(part)
}

/// Turns what must be turned in a part, the other way round where that leaves it facing inwards.
fn turn_part(
    part: &[usize],
    turned: &[Option<bool>],
    corners: &mut [Corners],
    triangles: &mut [Triangle],
) -> usize {
    if part.iter().all(|&one| turned[one] == Some(false)) {
        return 0;
    }
    let signed = |one: &usize| {
        let volume = volume_below(&triangles[*one]);
        if turned[*one] == Some(true) { -volume } else { volume }
    };
    let faces_inwards = part.iter().map(signed).sum::<f64>() < 0.0;
    let mut count = 0;
    for &one in part.iter().filter(|&&one| (turned[one] == Some(true)) != faces_inwards) {
        triangles[one].swap(0, 1);
        corners[one].swap(0, 1);
        count += 1;
    }
    count
}

/// A remark on the first place where an edge passes through a triangle that it does not belong to.
fn find_crossing(triangles: &[Triangle]) -> Option<String> {
    let facets = Facets::new(triangles.to_vec());
    let crosses = |stretch: [[f64; 3]; 2]| {
        facets.hits(stretch).find(|(way, other)| {
            let is_apart = !other.iter().any(|corner| stretch.contains(corner));
            is_apart && (1e-6..1.0 - 1e-6).contains(way)
        })
    };
    let edges = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let (stretch, way) = edges.into_iter().find_map(|stretch| Some((stretch, crosses(stretch)?.0)))?;
    let along = minus(stretch[1], stretch[0]);
    let at = std::array::from_fn(|axis| stretch[0][axis] + way * along[axis]);
    Some(format!("it crosses itself near {}; what any of its parts encloses is solid", place(at)))
}

/// Six times the volume between a triangle and the origin.
fn volume_below([a, b, c]: &Triangle) -> f64 {
    dot(*a, cross(*b, *c))
}

fn middle(triangle: &Triangle) -> [f64; 3] {
    std::array::from_fn(|axis| triangle.iter().map(|corner| corner[axis]).sum::<f64>() / 3.0)
}

/// Greatest side of the box around a mesh.
fn extent(triangles: &[Triangle]) -> f64 {
    let [low, high] = mesh::bounds(triangles);
    (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max)
}

fn place([x, y, z]: [f64; 3]) -> String {
    format!("[{x:.4}, {y:.4}, {z:.4}]")
}

#[cfg(test)]
mod tests {
    use super::super::mesh::samples::{ball, sheet};
    use super::*;

    fn volume(triangles: &[Triangle]) -> f64 {
        triangles.iter().map(volume_below).sum::<f64>() / 6.0
    }

    #[test]
    fn a_closed_mesh_has_nothing_to_remark() {
        let sound = check_closed(ball(1.0, 16)).unwrap();
        assert_eq!(sound.remarks, Vec::<String>::new());
        assert_eq!(sound.triangles, ball(1.0, 16));
    }

    #[test]
    fn an_open_mesh_is_refused_with_its_place_and_may_be_a_sheet() {
        let mut triangles = ball(1.0, 16);
        triangles.remove(200);
        let refusal = check_closed(triangles.clone()).unwrap_err();
        assert!(matches!(refusal, Unsound::Open { edges: 3, .. }), "{refusal}");
        assert!(refusal.to_string().contains("near ["), "{refusal}");
        assert_eq!(check_sheet(triangles.clone()).unwrap().triangles, triangles);
        assert_eq!(check_sheet(vec![[[1.0; 3]; 3]]).unwrap_err(), Unsound::Flat);
    }

    #[test]
    fn triangles_that_face_inwards_are_turned() {
        let exact = volume(&ball(1.0, 16));
        let mut some = ball(1.0, 16);
        some.iter_mut().step_by(3).for_each(|triangle| triangle.swap(0, 1));
        let sound = check_closed(some).unwrap();
        assert!((volume(&sound.triangles) - exact).abs() < 1e-12 && sound.remarks.len() == 1, "{sound:?}");
        let all = ball(1.0, 16).into_iter().map(|[a, b, c]| [b, a, c]).collect();
        let sound = check_closed(all).unwrap();
        assert!((volume(&sound.triangles) - exact).abs() < 1e-12);
        assert_eq!(sound.remarks, ["it is inside out and was turned"]);
    }

    #[test]
    fn a_hollow_keeps_facing_inwards() {
        let mut triangles = ball(1.0, 16);
        triangles.extend(ball(0.5, 16).into_iter().map(|[a, b, c]| [b, a, c]));
        let sound = check_closed(triangles.clone()).unwrap();
        assert_eq!((sound.triangles, sound.remarks.len()), (triangles, 0));
    }

    #[test]
    fn parts_that_cross_and_triangles_that_are_none_are_remarked() {
        let mut triangles = ball(1.0, 16);
        triangles.extend(ball(1.0, 16).into_iter().map(|one| one.map(|[x, y, z]| [x + 0.7, y, z + 0.1])));
        triangles.push([[0.5; 3]; 3]);
        let remarks = check_closed(triangles).unwrap().remarks;
        assert_eq!(remarks.len(), 2);
        assert!(remarks[0].contains("1 of its 1921 triangles have no area"), "{remarks:?}");
        assert!(remarks[1].contains("crosses itself near ["), "{remarks:?}");
    }

    #[test]
    fn what_encloses_nothing_is_refused() {
        let mut both_sides = sheet(1.0);
        both_sides.extend(sheet(1.0).into_iter().map(|[a, b, c]| [b, a, c]));
        assert_eq!(check_closed(both_sides).unwrap_err(), Unsound::Flat);
        assert_eq!(check_closed(vec![]).unwrap_err(), Unsound::Flat);
    }
}
