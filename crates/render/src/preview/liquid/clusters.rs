//! Triangles sorted into a tree of boxes from their neighbours upwards, by the crate `obvhs` [meister2018].

use std::time::Duration;

use glam::{Vec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::{BvhBuildParams, ploc};
use rayon::prelude::*;

use super::halving::{Bounds, LEAF, Node};

/// How the tree is built: quickly, with leaves that fill one look of a ray.
const QUICK: BvhBuildParams = BvhBuildParams {
    pre_split: false,
    ploc_search_distance: ploc::PlocSearchDistance::Minimum,
    search_depth_threshold: 0,
    reinsertion_batch_ratio: 0.0,
    post_collapse_reinsertion_batch_ratio_multiplier: 0.0,
    sort_precision: ploc::SortPrecision::U64,
    max_prims_per_leaf: LEAF as u32,
    collapse_traversal_cost: 4.0,
};

/// The tree of some triangles, as nodes whose children lie side by side and the triangles in their order; those that are
/// no numbers are left out.
pub fn clustered(triangles: &[(u32, [Vec3; 3])]) -> (Vec<Node>, Vec<u32>) {
    let sound: Vec<u32> = (0..triangles.len() as u32)
        .filter(|&place| triangles[place as usize].1.iter().all(|corner| corner.is_finite()))
        .collect();
    let boxes: Vec<Aabb> = sound.par_iter().map(|&place| around(&triangles[place as usize].1)).collect();
    if boxes.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let tree = build_bvh2(&boxes, QUICK, &mut Duration::default());
    let node = |node: &obvhs::bvh2::node::Bvh2Node| {
        let aabb = node.aabb();
        let bounds = Bounds { low: aabb.min, high: aabb.max };
        Node { bounds, link: node.first_index, count: node.prim_count }
    };
    let order = tree.primitive_indices.iter().map(|&place| sound[place as usize]).collect();
    (tree.nodes.par_iter().map(node).collect(), order)
}

fn around(corners: &[Vec3; 3]) -> Aabb {
    let [a, b, c] = corners.map(Vec3A::from);
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}
