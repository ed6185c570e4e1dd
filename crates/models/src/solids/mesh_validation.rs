//! Mesh validation: boundary edges, non-manifold edges, inconsistent orientation, self-intersection.
//!
//! In a closed oriented mesh every edge has two triangles with opposite half-edges. Triangles of the wrong orientation
//! are flipped; open meshes are refused; self-intersections are reported, the union of the parts is solid.

use std::collections::HashMap;

use super::triangle::{self, Triangle, cross, dot, normal, subtract};
use super::triangle_grid::TriangleGrid;

/// Vertices on the same point of a grid with this spacing, relative to the mesh's extent, are welded.
const WELD_TOLERANCE: f64 = 1e-6;

/// Why a mesh does not bound a solid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshDefect {
    /// It has boundary edges.
    #[error("the mesh is open: {edges} edges have no second triangle, one of them near {}", format_point(*.near))]
    Open {
        /// Number of such edges.
        edges: usize,
        /// The middle of the first.
        near: [f64; 3],
    },
    /// A non-manifold edge with an odd number of triangles.
    #[error("an odd number of triangles meets at an edge near {}", format_point(*.near))]
    Branched {
        /// The middle of the edge.
        near: [f64; 3],
    },
    /// It is not orientable.
    #[error("the mesh is not orientable, as a Möbius strip; detected near {}", format_point(*.near))]
    OneSided {
        /// A triangle where it is detected.
        near: [f64; 3],
    },
    /// It encloses no volume.
    #[error("the mesh encloses nothing")]
    Flat,
}

/// A valid mesh, and what was found or repaired.
#[derive(Debug, Clone)]
pub struct ValidatedMesh {
    /// Its triangles, facing outwards.
    pub triangles: Vec<Triangle>,
    /// Messages about repairs and self-intersections.
    pub remarks: Vec<String>,
}

/// A triangle as indices of welded vertices.
type VertexIndices = [u32; 3];

/// A half-edge: the lower and the higher vertex, its triangle, and whether it runs from the lower to the higher.
type HalfEdge = (u32, u32, u32, bool);

/// Validates a mesh that bounds a solid, and orients it outwards.
pub fn check_closed(triangles: Vec<Triangle>) -> Result<ValidatedMesh, MeshDefect> {
    let (mut triangles, mut corners, mut remarks) = weld(triangles);
    let half_edges = half_edges(&corners);
    check_manifold(&half_edges, &triangles)?;
    let flipped = orient_consistently(&half_edges, &mut corners, &mut triangles)?;
    if flipped > 0 {
        remarks.push(format!(
            "{flipped} of its {} triangles had the wrong orientation and were flipped",
            corners.len()
        ));
    }
    let extent = extent(&triangles);
    let volume: f64 = triangles.iter().map(signed_volume).sum();
    if volume.is_nan() || volume.abs() <= 1e-12 * extent.powi(3) {
        return Err(MeshDefect::Flat);
    }
    if volume < 0.0 {
        triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        remarks.push("it is inside out and was flipped".to_owned());
    }
    remarks.extend(find_self_intersection(&triangles));
    Ok(ValidatedMesh { triangles, remarks })
}

/// Validates a mesh that is a sheet: only degenerate triangles are removed.
pub fn check_sheet(triangles: Vec<Triangle>) -> Result<ValidatedMesh, MeshDefect> {
    let (triangles, _, remarks) = weld(triangles);
    let area: f64 = triangles.iter().map(|one| dot(normal(one), normal(one)).sqrt()).sum();
    if area > 0.0 { Ok(ValidatedMesh { triangles, remarks }) } else { Err(MeshDefect::Flat) }
}

/// Welds coincident vertices and removes triangles with two equal vertices.
fn weld(triangles: Vec<Triangle>) -> (Vec<Triangle>, Vec<VertexIndices>, Vec<String>) {
    let grain = (WELD_TOLERANCE * extent(&triangles)).max(f64::MIN_POSITIVE);
    let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
    let mut number = |corner: [f64; 3]| {
        let count = numbers.len() as u32;
        *numbers.entry(corner.map(|x| (x / grain).round() as i64)).or_insert(count)
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

/// All half-edges, sorted by edge.
fn half_edges(corners: &[VertexIndices]) -> Vec<HalfEdge> {
    let mut half_edges: Vec<HalfEdge> = Vec::with_capacity(3 * corners.len());
    for (number, [a, b, c]) in corners.iter().enumerate() {
        for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
            half_edges.push((from.min(to), from.max(to), number as u32, from < to));
        }
    }
    half_edges.sort_unstable();
    half_edges
}

fn edges(half_edges: &[HalfEdge]) -> impl Iterator<Item = &[HalfEdge]> {
    half_edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
}

fn check_manifold(half_edges: &[HalfEdge], triangles: &[Triangle]) -> Result<(), MeshDefect> {
    let middle = |edge: &[HalfEdge]| middle(&triangles[edge[0].2 as usize]);
    let mut open = edges(half_edges).filter(|edge| edge.len() == 1);
    if let Some(first) = open.next() {
        return Err(MeshDefect::Open { edges: 1 + open.count(), near: middle(first) });
    }
    match edges(half_edges).find(|edge| edge.len() % 2 == 1) {
        Some(edge) => Err(MeshDefect::Branched { near: middle(edge) }),
        None => Ok(()),
    }
}

/// Flips triangles until adjacent ones are consistently oriented, and returns how many. Components that already are
/// stay as they are: one that faces inwards may be a cavity.
fn orient_consistently(
    half_edges: &[HalfEdge],
    corners: &mut [VertexIndices],
    triangles: &mut [Triangle],
) -> Result<usize, MeshDefect> {
    // Pairs of adjacent triangles, and whether one of the two must be flipped
    let pairs: Vec<(u32, u32, bool)> = edges(half_edges)
        .filter_map(|edge| match *edge {
            [one, other] => Some([(one.2, other.2, one.3 == other.3), (other.2, one.2, one.3 == other.3)]),
            _ => None,
        })
        .flatten()
        .collect();
    if pairs.iter().all(|pair| !pair.2) {
        return Ok(0);
    }
    let neighbours = adjacency_lists(pairs, corners.len());
    let mut flipped: Vec<Option<bool>> = vec![None; corners.len()];
    let mut count = 0;
    for start in 0..corners.len() {
        if flipped[start].is_none() {
            let component = orient_component(start, &neighbours, &mut flipped)
                .map_err(|at| MeshDefect::OneSided { near: middle(&triangles[at]) })?;
            count += flip_component(&component, &flipped, corners, triangles);
        }
    }
    Ok(count)
}

/// Adjacency lists of the triangles.
fn adjacency_lists(pairs: Vec<(u32, u32, bool)>, count: usize) -> Vec<Vec<(u32, bool)>> {
    let mut lists = vec![Vec::new(); count];
    pairs.into_iter().for_each(|(one, other, differ)| lists[one as usize].push((other, differ)));
    lists
}

/// Breadth-first search over a connected component: which triangles must be flipped relative to the first. Fails with a
/// triangle for which both would be needed.
fn orient_component(
    start: usize,
    neighbours: &[Vec<(u32, bool)>],
    flipped: &mut [Option<bool>],
) -> Result<Vec<usize>, usize> {
    flipped[start] = Some(false);
    let mut component = vec![start];
    let mut next = 0;
    while let Some(&here) = component.get(next) {
        next += 1;
        for &(adjacent, differ) in &neighbours[here] {
            let (adjacent, wanted) = (adjacent as usize, flipped[here].map(|flipped| flipped != differ));
            match flipped[adjacent] {
                None => {
                    flipped[adjacent] = wanted;
                    component.push(adjacent);
                }
                known if known != wanted => return Err(adjacent),
                _ => {}
            }
        }
    }
    Ok(component)
}

/// Flips the marked triangles of a component, or the others if the component would face inwards.
fn flip_component(
    component: &[usize],
    flipped: &[Option<bool>],
    corners: &mut [VertexIndices],
    triangles: &mut [Triangle],
) -> usize {
    if component.iter().all(|&one| flipped[one] == Some(false)) {
        return 0;
    }
    let signed = |one: &usize| {
        let volume = signed_volume(&triangles[*one]);
        if flipped[*one] == Some(true) { -volume } else { volume }
    };
    let faces_inwards = component.iter().map(signed).sum::<f64>() < 0.0;
    let mut count = 0;
    for &one in component.iter().filter(|&&one| (flipped[one] == Some(true)) != faces_inwards) {
        triangles[one].swap(0, 1);
        corners[one].swap(0, 1);
        count += 1;
    }
    count
}

/// A message about the first edge that intersects a triangle without a shared vertex.
fn find_self_intersection(triangles: &[Triangle]) -> Option<String> {
    let triangle_grid = TriangleGrid::new(triangles.to_vec());
    let crosses = |segment: [[f64; 3]; 2]| {
        triangle_grid.hits(segment).find(|(t, other)| {
            let is_apart = !other.iter().any(|corner| segment.contains(corner));
            is_apart && (1e-6..1.0 - 1e-6).contains(t)
        })
    };
    let edges = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let (segment, t) = edges.into_iter().find_map(|segment| Some((segment, crosses(segment)?.0)))?;
    let along = subtract(segment[1], segment[0]);
    let at = std::array::from_fn(|axis| segment[0][axis] + t * along[axis]);
    Some(format!("it crosses itself near {}; what any of its parts encloses is solid", format_point(at)))
}

/// Six times the signed volume of the tetrahedron of a triangle and the origin.
fn signed_volume([a, b, c]: &Triangle) -> f64 {
    dot(*a, cross(*b, *c))
}

fn middle(triangle: &Triangle) -> [f64; 3] {
    std::array::from_fn(|axis| triangle.iter().map(|corner| corner[axis]).sum::<f64>() / 3.0)
}

/// Greatest side of the bounding box.
fn extent(triangles: &[Triangle]) -> f64 {
    let [low, high] = triangle::bounds(triangles);
    (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max)
}

fn format_point([x, y, z]: [f64; 3]) -> String {
    format!("[{x:.4}, {y:.4}, {z:.4}]")
}

#[cfg(test)]
mod tests {
    use super::super::triangle::samples::{ball, sheet};
    use super::*;

    fn volume(triangles: &[Triangle]) -> f64 {
        triangles.iter().map(signed_volume).sum::<f64>() / 6.0
    }

    #[test]
    fn a_closed_mesh_has_nothing_to_remark() {
        let validated = check_closed(ball(1.0, 16)).unwrap();
        assert_eq!(validated.remarks, Vec::<String>::new());
        assert_eq!(validated.triangles, ball(1.0, 16));
    }

    #[test]
    fn an_open_mesh_is_refused_with_its_place_and_may_be_a_sheet() {
        let mut triangles = ball(1.0, 16);
        triangles.remove(200);
        let refusal = check_closed(triangles.clone()).unwrap_err();
        assert!(matches!(refusal, MeshDefect::Open { edges: 3, .. }), "{refusal}");
        assert!(refusal.to_string().contains("near ["), "{refusal}");
        assert_eq!(check_sheet(triangles.clone()).unwrap().triangles, triangles);
        assert_eq!(check_sheet(vec![[[1.0; 3]; 3]]).unwrap_err(), MeshDefect::Flat);
    }

    #[test]
    fn triangles_that_face_inwards_are_turned() {
        let exact = volume(&ball(1.0, 16));
        let mut some = ball(1.0, 16);
        some.iter_mut().step_by(3).for_each(|triangle| triangle.swap(0, 1));
        let validated = check_closed(some).unwrap();
        assert!(
            (volume(&validated.triangles) - exact).abs() < 1e-12 && validated.remarks.len() == 1,
            "{validated:?}"
        );
        let all = ball(1.0, 16).into_iter().map(|[a, b, c]| [b, a, c]).collect();
        let validated = check_closed(all).unwrap();
        assert!((volume(&validated.triangles) - exact).abs() < 1e-12);
        assert_eq!(validated.remarks, ["it is inside out and was flipped"]);
    }

    #[test]
    fn a_hollow_keeps_facing_inwards() {
        let mut triangles = ball(1.0, 16);
        triangles.extend(ball(0.5, 16).into_iter().map(|[a, b, c]| [b, a, c]));
        let validated = check_closed(triangles.clone()).unwrap();
        assert_eq!((validated.triangles, validated.remarks.len()), (triangles, 0));
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
        assert_eq!(check_closed(both_sides).unwrap_err(), MeshDefect::Flat);
        assert_eq!(check_closed(vec![]).unwrap_err(), MeshDefect::Flat);
    }
}
