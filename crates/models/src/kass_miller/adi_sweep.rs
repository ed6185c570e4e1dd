//! ADI sweep: one implicit step along one axis, eqs. (13) to (17) of [kass1990] on every line.
//!
//! With F = E − B Δy at the faces ([`face_flux`](super::face_flux)) the rises y = h' − h of a line solve the
//! tridiagonal system
//!
//! ```text
//!     −B₋ y₋ + (1 + B₋ + B₊) y − B₊ y₊ = E₋ − E₊
//! ```
//!
//! which for p = 1 is eq. (16), written for the rise instead of the level: in single precision a level of 2000 m has few
//! digits left for a ripple, a rise has all of them. The columns of the matrix sum to one, so volume is conserved.
//!
//! The paper then sets samples below the bed to the bed, and returns the created volume to each connected component of
//! fluid. Here the depths change by the fluxes F, which are conservative, and F is limited where it exceeds the depth
//! of a sample ([`positivity_limiter`](super::positivity_limiter)). So depths stay ≥ 0, every connected component
//! conserves its volume to rounding, and there is nothing to restore.
//!
//! Loops over lanes work on copies and have no branches, so that the compiler vectorises them.

use undine_grid::tridiagonal::{Bundle, Reduced, StridedLines, TridiagonalRow};
use undine_grid::{Real, simd};

use super::face_flux::{FaceFlux, FaceGeometry, FaceState, WaterColumn, flush_to_zero, lesser};
use super::open_boundary::{OpenBoundary, OpenBoundaryFlux};
use super::positivity_limiter::limit_fluxes;
use super::wetting_front;

/// Parameters of a sweep along one axis.
pub struct AdiSweep<'a, T> {
    /// Constants of the face flux.
    pub face_flux: FaceFlux<T>,
    /// Whether there are bare samples, so that wetting fronts are to be computed.
    pub has_bare_ground: bool,
    /// Whether it is the last sweep of a step, which also sums the depths.
    pub is_last: bool,
    /// Open boundaries at the low and the high end.
    pub boundaries: [Option<OpenBoundary<'a, T>>; 2],
}

/// Sums over the lines of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SweepSums {
    /// Sum of all depths after the sweep, in metres.
    pub held: f64,
    /// Sum of the inflow through open boundaries, in metres of depth.
    pub inflow: f64,
    /// Sum of the outflow through them.
    pub outflow: f64,
    /// Number of samples with no more than a film.
    pub bare: usize,
}

impl SweepSums {
    /// The sums of both.
    pub fn and(self, other: SweepSums) -> SweepSums {
        SweepSums {
            held: self.held + other.held,
            inflow: self.inflow + other.inflow,
            outflow: self.outflow + other.outflow,
            bare: self.bare + other.bare,
        }
    }
}

/// Adjacent lines: bed, depths, and m through the face before each sample.
pub type LineBundle<'a, T, const W: usize> = Bundle<'a, T, W, 1, 2>;

/// Sweeps a bundle of lines with the widest vector instructions of this machine.
pub fn advance<T: Real, const W: usize>(sweep: &AdiSweep<'_, T>, lines: LineBundle<'_, T, W>) -> SweepSums {
    simd::dispatch(
        #[inline(always)]
        || on_any_machine(sweep, lines),
    )
}

/// The kernel with or without wetting fronts.
#[inline(always)]
pub(super) fn on_any_machine<T: Real, const W: usize>(
    sweep: &AdiSweep<'_, T>,
    lines: LineBundle<'_, T, W>,
) -> SweepSums {
    match sweep.has_bare_ground {
        true => compute::<T, W, true>(sweep, lines),
        false => compute::<T, W, false>(sweep, lines),
    }
}

/// One sweep: boundary fluxes, wetting fronts, forward elimination, back substitution, positivity limiter.
#[inline(always)]
fn compute<T: Real, const W: usize, const BARE: bool>(
    sweep: &AdiSweep<'_, T>,
    lines: LineBundle<'_, T, W>,
) -> SweepSums {
    let Bundle { first, count, fixed: [bed], moving: [mut depth, mut flow], room } = lines;
    let [weights, rights, roots, implicits] = room;
    let mut system = LineSystem { face_flux: &sweep.face_flux, bed, weights, rights, roots, implicits };
    let end_fluxes = [(0, 0), (1, depth.len() - 1)].map(|(end, i)| {
        let boundary = sweep.boundaries[end].as_ref();
        boundary
            .map(|boundary| boundary.flux(&sweep.face_flux, depth.get(i), first, count))
            .unwrap_or_default()
    });
    if BARE {
        wetting_front::extrapolate(&sweep.face_flux, &system.bed, &depth, system.roots);
    }
    system.eliminate::<BARE>(&end_fluxes, &depth, &flow);
    let (mut last, lowest) = system.substitute::<BARE>(&end_fluxes, &mut depth, &mut flow);
    let flux = system.weights;
    if lowest < T::default() {
        limit_fluxes(&mut depth, &mut flow, flux, &mut last);
    }
    let (held, bare) = if sweep.is_last { sum_depths(&depth, count, sweep.face_flux.film) } else { (0.0, 0) };
    let [inflow, outflow] = boundary_volumes(&flux[0], &last, count);
    SweepSums { held, inflow, outflow, bare }
}

/// The tridiagonal systems of a bundle of lines, with work arrays that elimination hands to substitution.
struct LineSystem<'a, T, const W: usize> {
    face_flux: &'a FaceFlux<T>,
    bed: StridedLines<'a, T, W>,
    /// Reduced rows; after substitution `weights` holds F.
    weights: &'a mut [[T; W]],
    rights: &'a mut [[T; W]],
    /// √D of the face before each sample, negative for [`wetting_front::face_depth`]; before elimination, the depths of
    /// wetting fronts.
    roots: &'a mut [[T; W]],
    /// p of the face before each sample.
    implicits: &'a mut [[T; W]],
}

impl<T: Real, const W: usize> LineSystem<'_, T, W> {
    /// D and Δh of the face between samples `low` and `low + 1`; zero at the end of the lines.
    #[inline(always)]
    fn geometry_above<const BARE: bool>(&self, depth: &StridedLines<'_, T, W>, low: usize) -> [[T; W]; 2] {
        let mut above = [[T::default(); W]; 2];
        let high = low + 1;
        if high >= depth.len() {
            return above;
        }
        let (beds, beds_above) = (*self.bed.get(low), *self.bed.get(high));
        let (depths, depths_above) = (*depth.get(low), *depth.get(high));
        for lane in 0..W {
            let geometry = self.face_flux.geometry(
                WaterColumn { depth: depths[lane], bed: beds[lane] },
                WaterColumn { depth: depths_above[lane], bed: beds_above[lane] },
            );
            (above[0][lane], above[1][lane]) = (geometry.depth, geometry.rise);
        }
        if BARE {
            let (front_depths, front_depths_above) = (self.roots[low], self.roots[high]);
            for lane in 0..W {
                let front_depth = wetting_front::face_depth(front_depths[lane], front_depths_above[lane]);
                above[0][lane] = if above[0][lane] > T::default() { above[0][lane] } else { front_depth };
            }
        }
        above
    }

    /// Forward elimination, from the low end to the high end.
    #[inline(always)]
    fn eliminate<const BARE: bool>(
        &mut self,
        end_fluxes: &[OpenBoundaryFlux<T, W>; 2],
        depth: &StridedLines<'_, T, W>,
        flow: &StridedLines<'_, T, W>,
    ) {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let (face_flux, samples) = (self.face_flux, depth.len());
        // E and B of the face below the sample; B of an open boundary enters the diagonal only
        let (mut below, mut conductance_below) = (end_fluxes[0].explicit.map(|leaves| -leaves), [zero; W]);
        let mut boundary = end_fluxes[0].conductance;
        let (mut weight, mut right, mut rise_before) = ([zero; W], [zero; W], [zero; W]);
        let [mut face_depths, mut rises] = self.geometry_above::<BARE>(depth, 0);
        let (mut flows_before, mut flows) = ([zero; W], if samples > 1 { *flow.get(1) } else { [zero; W] });
        for i in 0..samples {
            // E and B of the face above the sample, from three neighbouring faces; at the end, those of the boundary
            let (mut above, mut conductance_above) = ([zero; W], [zero; W]);
            if i + 1 < samples {
                let [next_face_depths, next_rises] = self.geometry_above::<BARE>(depth, i + 1);
                let flows_after = if i + 2 < samples { *flow.get(i + 2) } else { [zero; W] };
                let (mut roots, mut implicits) = ([zero; W], [zero; W]);
                for lane in 0..W {
                    let depth = if BARE { face_depths[lane].abs() } else { face_depths[lane] };
                    let (geometry, root) = (FaceGeometry { depth, rise: rises[lane] }, depth.sqrt());
                    let rises_beside = [rise_before[lane], next_rises[lane]];
                    let flows_around = [flows_before[lane], flows[lane], flows_after[lane]];
                    let implicit = face_flux.implicit_weight(geometry, root, rises_beside, flows_around);
                    let face = FaceState { root, rise: rises[lane], implicit, flow: flows[lane] };
                    roots[lane] = if BARE && face_depths[lane] < zero { -root } else { root };
                    implicits[lane] = implicit;
                    above[lane] = face_flux.explicit_flux(&face);
                    conductance_above[lane] = face_flux.conductance(&face);
                }
                (self.roots[i + 1], self.implicits[i + 1]) = (roots, implicits);
                (rise_before, face_depths, rises) = (rises, next_face_depths, next_rises);
                (flows_before, flows) = (flows, flows_after);
            } else {
                above = end_fluxes[1].explicit;
                boundary = std::array::from_fn(|lane| boundary[lane] + end_fluxes[1].conductance[lane]);
            }
            // The row of the sample, reduced
            for lane in 0..W {
                let row = TridiagonalRow {
                    lower: -conductance_below[lane],
                    diagonal: one + conductance_below[lane] + conductance_above[lane] + boundary[lane],
                    upper: -conductance_above[lane],
                    right: below[lane] - above[lane],
                };
                let reduced = Reduced { weight: weight[lane], right: right[lane] }.eliminate(row);
                (weight[lane], right[lane]) = (reduced.weight, flush_to_zero(reduced.right));
            }
            (self.weights[i], self.rights[i]) = (weight, right);
            (below, conductance_below, boundary) = (above, conductance_above, [zero; W]);
        }
    }

    /// Back substitution of y, from the high end to the low end; updates depths and m by the fluxes. Leaves F through
    /// the face before each sample in `weights`; returns F through the last face and the smallest depth.
    #[inline(always)]
    fn substitute<const BARE: bool>(
        &mut self,
        end_fluxes: &[OpenBoundaryFlux<T, W>; 2],
        depth: &mut StridedLines<'_, T, W>,
        flow: &mut StridedLines<'_, T, W>,
    ) -> ([T; W], T) {
        let zero = T::from_f64(0.0);
        let (face_flux, samples) = (self.face_flux, depth.len());
        // The last face: F = E + B y of the boundary
        let mut rise_above = self.rights[samples - 1];
        let last: [T; W] = std::array::from_fn(|lane| {
            end_fluxes[1].explicit[lane] + end_fluxes[1].conductance[lane] * rise_above[lane]
        });
        let (mut flux_above, mut lowest) = (last, [zero; W]);
        let (mut depth_above, mut bed_above) = (*depth.get(samples - 1), *self.bed.get(samples - 1));
        for i in (1..samples).rev() {
            let (low, low_bed, mut flows) = (*depth.get(i - 1), *self.bed.get(i - 1), *flow.get(i));
            let (weight, right) = (self.weights[i - 1], self.rights[i - 1]);
            let (roots, implicits) = (self.roots[i], self.implicits[i]);
            let (mut flux, mut after) = ([zero; W], [zero; W]);
            // y of the sample below, F and m' of the face, and the new depth above it
            for lane in 0..W {
                let rise = Reduced { weight: weight[lane], right: right[lane] }.substitute(rise_above[lane]);
                let difference = rise_above[lane] - rise;
                let slope = (depth_above[lane] - low[lane]) + (bed_above[lane] - low_bed[lane]);
                let face = FaceState {
                    root: if BARE { roots[lane].abs() } else { roots[lane] },
                    rise: if roots[lane] > zero { slope } else { zero },
                    implicit: implicits[lane],
                    flow: flows[lane],
                };
                (flux[lane], flows[lane]) = face_flux.advance(&face, difference);
                after[lane] = depth_above[lane] + (flux[lane] - flux_above[lane]);
                lowest[lane] = lesser(lowest[lane], after[lane]);
                rise_above[lane] = rise;
            }
            (depth_above, bed_above, flux_above) = (low, low_bed, flux);
            (*depth.get_mut(i), *flow.get_mut(i), self.weights[i]) = (after, flows, flux);
        }
        // The first face
        let entered: [T; W] = std::array::from_fn(|lane| {
            -(end_fluxes[0].explicit[lane] + end_fluxes[0].conductance[lane] * rise_above[lane])
        });
        let after: [T; W] =
            std::array::from_fn(|lane| depth_above[lane] + (entered[lane] - flux_above[lane]));
        (*depth.get_mut(0), self.weights[0]) = (after, entered);
        (last, lowest.into_iter().chain(after).fold(zero, lesser))
    }
}

/// Sum of the depths, and the number of bare samples.
#[inline(always)]
fn sum_depths<T: Real, const W: usize>(
    depth: &StridedLines<'_, T, W>,
    count: usize,
    film: T,
) -> (f64, usize) {
    let mut sums = [0.0; W];
    let mut bare = [0u32; W];
    for i in 0..depth.len() {
        let depths = *depth.get(i);
        for lane in 0..W {
            sums[lane] += depths[lane].to_f64();
            bare[lane] += u32::from(depths[lane] <= film);
        }
    }
    (sums[..count].iter().sum(), bare[..count].iter().map(|&bare| bare as usize).sum())
}

/// Inflow and outflow through both ends, from F through the first and the last face.
fn boundary_volumes<T: Real, const W: usize>(first: &[T; W], last: &[T; W], count: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let inwards = first[..count].iter().map(|flux| flux.to_f64());
    for amount in inwards.chain(last[..count].iter().map(|flux| -flux.to_f64())) {
        sums[usize::from(amount < 0.0)] += amount.abs();
    }
    sums
}
