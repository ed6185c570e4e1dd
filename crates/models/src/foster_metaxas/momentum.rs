//! The tentative velocity: eq. (2) of [foster1996], explicit in time.
//!
//! ũ = u + δt [−∂(u²)/∂x − ∂(uv)/∂y − ∂(uw)/∂z + g_x − ∂p/∂x + ν ∇²u], for every component, on every face between two
//! cells that hold fluid. What is needed off its place is the average of the nearest values (p. 5 of the paper). A flux
//! u_b q through the face between q₋ and q₊ is
//!
//!   F = u_b (q₋ + q₊)/2 − α |u_b| (q₊ − q₋)/2,
//!
//! the central difference of the paper for α = 0, the donor cell for α = 1: with central differences and forward Euler
//! steps eq. (2) is unstable for a small ν, whatever eq. (3) says [hirt1975].
//!
//! Beside walls and air a value outside is needed: that of a mirror (free slip, air) or of opposite sign (no slip). It is
//! evaluated for each face, as one value could not serve both sides of a wall that is a cell thick. Runs of faces that have
//! fluid all around them need none, and are computed at once, in the same order of operations.

use undine_frame::CellKind;
use undine_grid::{par, simd};

use super::cells::is_fluid;
use super::flow::Flow;

/// Values of a component that a task works on.
const TASK_VALUES: usize = 4096;

/// The terms of eq. (2) that do not depend on the flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct MomentumTerms<const D: usize> {
    pub dt: f64,
    /// Body force per mass in m/s².
    pub body_force: [f64; D],
    /// ν in m²/s.
    pub viscosity: f64,
    /// α, the share of the donor cell.
    pub upwind: f64,
}

/// Sets the tentative velocity on faces between two cells of fluid; on all others it is the velocity.
pub(super) fn set_tentative_velocity<const D: usize>(flow: &mut Flow<D>, terms: &MomentumTerms<D>) {
    let mut tentative = std::mem::replace(&mut flow.tentative, std::array::from_fn(|_| Vec::new()));
    for axis in 0..D {
        let stencil = Stencil::new(flow, axis, terms);
        par::for_each_chunk(&mut tentative[axis], TASK_VALUES, |first, chunk| {
            simd::dispatch(
                #[inline(always)]
                || stencil.fill(first, chunk),
            );
        });
    }
    flow.tentative = tentative;
}

/// Eq. (2) for one component.
struct Stencil<'a, const D: usize> {
    flow: &'a Flow<D>,
    axis: usize,
    terms: &'a MomentumTerms<D>,
    strides: [usize; D],
    inverse: [f64; D],
}

impl<'a, const D: usize> Stencil<'a, D> {
    fn new(flow: &'a Flow<D>, axis: usize, terms: &'a MomentumTerms<D>) -> Self {
        Stencil { flow, axis, terms, strides: flow.index.strides(), inverse: flow.inverse_spacing() }
    }

    /// ũ of the faces from `first` on.
    #[inline(always)]
    fn fill(&self, first: usize, values: &mut [f64]) {
        let (flow, stride) = (self.flow, self.strides[self.axis]);
        values.copy_from_slice(&flow.velocity[self.axis][first..first + values.len()]);
        let mut number = 0;
        while number < values.len() {
            let at = first + number;
            let inner =
                flow.is_inner[at..first + values.len()].iter().take_while(|is_inner| **is_inner).count();
            if inner > 0 {
                self.update_run(at, &mut values[number..number + inner]);
                number += inner;
                continue;
            }
            if is_fluid(flow.kinds[at]) && is_fluid(flow.kinds[at - stride]) {
                let u = values[number];
                values[number] = self.update(at, |q, face| self.beside(q, face, u));
            }
            number += 1;
        }
    }

    /// ũ of a run of faces, each with fluid all around it: [`Stencil::update`] term by term.
    #[inline(always)]
    fn update_run(&self, at: usize, rates: &mut [f64]) {
        let (flow, a, terms, count) = (self.flow, self.axis, self.terms, rates.len());
        let s = self.strides[a];
        let q = &flow.velocity[a][..];
        let (behind, here) = (&flow.pressure[at - s..][..count], &flow.pressure[at..][..count]);
        for ((rate, behind), here) in rates.iter_mut().zip(behind).zip(here) {
            *rate = terms.body_force[a] + (behind - here) * self.inverse[a];
        }
        let u = &q[at..][..count];
        for b in 0..D {
            let t = self.strides[b];
            let (low, high) = (&q[at - t..][..count], &q[at + t..][..count]);
            // The velocities that carry the values in and out are each the mean of two
            let v = &flow.velocity[b][..];
            let [enter, enter_too, leave, leave_too] = if b == a {
                [low, u, u, high]
            } else {
                [at - s, at, at + t - s, at + t].map(|first| &v[first..][..count])
            };
            for number in 0..count {
                let (low, u, high) = (low[number], u[number], high[number]);
                let carry_low = 0.5 * (enter[number] + enter_too[number]);
                let carry_high = 0.5 * (leave[number] + leave_too[number]);
                let flux_low = 0.5 * (carry_low * (low + u) - terms.upwind * carry_low.abs() * (u - low));
                let flux_high =
                    0.5 * (carry_high * (u + high) - terms.upwind * carry_high.abs() * (high - u));
                let curvature = ((low - u) + (high - u)) * self.inverse[b];
                rates[number] += (flux_low - flux_high + terms.viscosity * curvature) * self.inverse[b];
            }
        }
        for (rate, u) in rates.iter_mut().zip(u) {
            *rate = u + terms.dt * *rate;
        }
    }

    /// ũ of a face; `beside` gives the value of the component on a face next to it, across another axis.
    #[inline]
    fn update(&self, at: usize, beside: impl Fn(&[f64], usize) -> f64) -> f64 {
        let (flow, a, terms) = (self.flow, self.axis, self.terms);
        let (s, q) = (self.strides[a], &flow.velocity[a][..]);
        let u = q[at];
        let mut rate = terms.body_force[a] + (flow.pressure[at - s] - flow.pressure[at]) * self.inverse[a];
        for b in 0..D {
            // Values next to the face, and the velocities that carry them in and out
            let t = self.strides[b];
            let (low, high, carry_low, carry_high) = if b == a {
                let (low, high) = (q[at - s], q[at + s]);
                (low, high, 0.5 * (low + u), 0.5 * (u + high))
            } else {
                let v = &flow.velocity[b][..];
                let carry = |face: usize| 0.5 * (v[face - s] + v[face]);
                (beside(q, at - t), beside(q, at + t), carry(at), carry(at + t))
            };
            let flux_low = 0.5 * (carry_low * (low + u) - terms.upwind * carry_low.abs() * (u - low));
            let flux_high = 0.5 * (carry_high * (u + high) - terms.upwind * carry_high.abs() * (high - u));
            let curvature = ((low - u) + (high - u)) * self.inverse[b];
            rate += (flux_low - flux_high + terms.viscosity * curvature) * self.inverse[b];
        }
        u + terms.dt * rate
    }

    /// The value on a face beside walls or air, for one of value `u`.
    fn beside(&self, q: &[f64], face: usize, u: f64) -> f64 {
        let kinds = &self.flow.kinds;
        let pair = [face - self.strides[self.axis], face];
        match pair.map(|cell| kinds[cell]) {
            [low, high] if is_fluid(low) || is_fluid(high) => q[face],
            // What comes in flows along the normal alone: no velocity along its face
            [low, high] if low == CellKind::Inflow || high == CellKind::Inflow => -u,
            [CellKind::Solid, CellKind::Solid] if pair.iter().any(|&cell| self.flow.is_no_slip[cell]) => -u,
            _ => u,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foster_metaxas::cells::Cells;
    use undine_grid::Grid;

    fn full_box(cells: [usize; 2]) -> Flow<2> {
        let grid = Grid::new(cells, [0.5, 0.25], [0.0; 2]).unwrap();
        let mut cells = Cells::new(grid);
        (0..grid.cell_count()).for_each(|index| cells.set(index, CellKind::Full));
        let mut flow = Flow::new(grid);
        flow.set_kinds(&cells);
        flow
    }

    const TERMS: MomentumTerms<2> =
        MomentumTerms { dt: 0.1, body_force: [0.0; 2], viscosity: 0.0, upwind: 0.0 };

    #[test]
    fn convection_is_that_of_the_paper_without_a_donor_cell() {
        let mut flow = full_box([4, 4]);
        for component in 0..2 {
            for at in 0..flow.index.length() {
                let [x, y] = flow.index.cell(at).map(|i| i as f64);
                flow.velocity[component][at] =
                    if component == 0 { 1.0 + 0.1 * x * y } else { 0.3 * x - 0.2 * y };
            }
        }
        set_tentative_velocity(&mut flow, &TERMS);
        // The low x-face of cell (2, 2), written out as eq. (2)
        let (u, v) = (|x: f64, y: f64| 1.0 + 0.1 * x * y, |x: f64, y: f64| 0.3 * x - 0.2 * y);
        let square = |low: f64, high: f64| (0.5 * (low + high)).powi(2);
        let corner = |y: f64| 0.5 * (u(2.0, y - 1.0) + u(2.0, y)) * 0.5 * (v(1.0, y) + v(2.0, y));
        let expected = u(2.0, 2.0)
            + 0.1
                * ((square(u(1.0, 2.0), u(2.0, 2.0)) - square(u(2.0, 2.0), u(3.0, 2.0))) / 0.5
                    + (corner(2.0) - corner(3.0)) / 0.25);
        assert!((flow.tentative[0][flow.index.at([2, 2])] - expected).abs() < 1e-14);
    }

    #[test]
    fn walls_drag_only_without_slip() {
        for (is_no_slip, expected) in [(false, 0.0), (true, -2.0 * 0.01 / 0.0625)] {
            let mut flow = full_box([4, 2]);
            flow.is_no_slip.fill(is_no_slip);
            flow.velocity[0].fill(1.0);
            flow.velocity[1].fill(0.0);
            set_tentative_velocity(&mut flow, &MomentumTerms { viscosity: 0.01, ..TERMS });
            let change = (flow.tentative[0][flow.index.at([2, 0])] - 1.0) / TERMS.dt;
            assert!((change - expected).abs() < 1e-12, "{change} {expected}");
        }
    }

    #[test]
    fn runs_have_the_bits_of_single_faces() {
        let mut flow = full_box([13, 9]);
        for component in 0..2 {
            for at in 0..flow.index.length() {
                let x = at as f64;
                flow.velocity[component][at] = (1.3 * x).sin() + (0.7 * x + component as f64).cos();
                flow.pressure[at] = (0.9 * x).sin();
            }
        }
        let terms = MomentumTerms { dt: 0.01, body_force: [0.3, -9.81], viscosity: 0.02, upwind: 0.7 };
        set_tentative_velocity(&mut flow, &terms);
        let tentative = flow.tentative.clone();
        let inner = (0..flow.index.length()).filter(|&at| flow.is_inner[at]);
        let mut count = 0;
        for at in inner {
            for axis in 0..2 {
                let single = Stencil::new(&flow, axis, &terms).update(at, |q, face| q[face]);
                assert_eq!(tentative[axis][at], single, "{axis} {at}");
                count += 1;
            }
        }
        assert_eq!(count, 2 * 11 * 7);
    }
}
