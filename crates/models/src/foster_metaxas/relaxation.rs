//! The pressure iteration: eqs. (5)–(9) of [foster1996], after [nichols1973].
//!
//! A Full cell whose fluid is compressed by D = −∇·u changes its pressure by δp = β D, and its faces by ±δt δp/δ. With
//! β = β₀/(δt Σ δ⁻²), the sum over its open faces, a sweep is successive over-relaxation with ω = β₀ of
//!
//!   Σ_open (ψ − ψ')/δ² = D̃,   ψ = δt (p_new − p_old),
//!
//! so ψ alone is swept, and the faces are moved once at the end; a test compares the two. Closed faces (Solid, Inflow) are
//! masked; ψ' = 0 in Surface cells, where the pressure is prescribed, and beyond an outflow, whose face is free to move. Where
//! the pressure of a Surface cell is extrapolated from this cell, ψ' = (1 − η) ψ ([`SurfacePressure`]).
//!
//! Cells are coloured like a chess board, each colour stored apart without gaps: a cell depends on the other colour only, so a
//! sweep is the same on any number of threads. D is tested before each sweep, so that water at rest is not stirred.
//! Converges for 0 < β₀ < 2; the number of sweeps grows with the size of the water in cells.
//!
//! [`SurfacePressure`]: super::surface_pressure::SurfacePressure

use undine_frame::CellKind;
use undine_grid::par;

use super::flow::Flow;
use super::surface_pressure::SurfacePressure;

/// Cells that a task works on.
const TASK_CELLS: usize = 4096;

/// How a pressure iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PressureOutcome {
    /// Sweeps, or iterations of another solver.
    pub sweeps: usize,
    /// Whether |D| < ε in every Full cell.
    pub is_converged: bool,
}

/// Parameters of the iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelaxationSettings {
    /// β₀.
    pub relaxation: f64,
    /// ε in 1/s.
    pub divergence: f64,
    /// The most sweeps.
    pub sweeps: usize,
}

/// A Full cell: its neighbours of the other colour, and the diagonal of its equation.
#[derive(Debug, Clone, Copy)]
struct FullCell<const D: usize> {
    /// Place in ψ of the other colour; its last place where ψ' is zero or the face is closed.
    beside: [[u32; 2]; D],
    /// Σ over open faces of δ⁻².
    diagonal: f64,
}

/// The Full cells of one colour.
#[derive(Debug, Clone)]
struct Colour<const D: usize> {
    /// Places in the arrays of the flow.
    at: Vec<u32>,
    cells: Vec<FullCell<D>>,
    /// D̃ of the tentative velocity in 1/s.
    divergence: Vec<f64>,
    /// ψ in m²/s, and a zero at the end.
    psi: Vec<f64>,
    next: Vec<f64>,
    /// The greatest |D| that each task has met.
    greatest: Vec<f64>,
}

/// The iteration, and its lists of a step.
#[derive(Debug, Clone)]
pub(super) struct Relaxation<const D: usize> {
    colours: [Colour<D>; 2],
    /// Place of a Full cell in the list of its colour.
    place: Vec<u32>,
}

impl<const D: usize> Relaxation<D> {
    /// Without cells, with room for all cells of a flow.
    pub fn new(flow: &Flow<D>) -> Self {
        let most = flow.grid.cell_count().div_ceil(2) + 1;
        let colour = || Colour {
            at: Vec::with_capacity(most),
            cells: Vec::with_capacity(most),
            divergence: Vec::with_capacity(most),
            psi: Vec::with_capacity(most + 1),
            next: Vec::with_capacity(most + 1),
            greatest: vec![0.0; most.div_ceil(TASK_CELLS) + 1],
        };
        Relaxation { colours: [colour(), colour()], place: vec![0; flow.index.length()] }
    }

    /// Lists the Full cells with D̃ of the tentative velocity, and starts with ψ = 0.
    pub fn prepare(&mut self, flow: &Flow<D>, surface: &SurfacePressure<D>) {
        self.number_cells(flow);
        let counts = self.colours.each_ref().map(|colour| colour.at.len());
        let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
        for (colour, other) in self.colours.iter_mut().zip([counts[1], counts[0]]) {
            let count = colour.at.len();
            let none = FullCell { beside: [[0; 2]; D], diagonal: 0.0 };
            colour.cells.resize(count, none);
            colour.divergence.resize(count, 0.0);
            for psi in [&mut colour.psi, &mut colour.next] {
                psi.clear();
                psi.resize(count + 1, 0.0);
            }
            let (at, place) = (&colour.at, &self.place);
            par::for_each_chunk(&mut colour.cells, TASK_CELLS, |first, chunk| {
                for (cell, &at) in chunk.iter_mut().zip(&at[first..]) {
                    *cell = full_cell(flow, surface, place, at as usize, other as u32);
                }
            });
            par::for_each_chunk(&mut colour.divergence, TASK_CELLS, |first, chunk| {
                for (divergence, &at) in chunk.iter_mut().zip(&at[first..]) {
                    *divergence = Flow::missing_mass(&flow.tentative, at as usize, strides, inverse);
                }
            });
        }
    }

    fn number_cells(&mut self, flow: &Flow<D>) {
        self.colours.iter_mut().for_each(|colour| colour.at.clear());
        let width = flow.grid.cells()[0];
        for start in flow.index.rows() {
            let (first, parity) = (flow.index.at(start), start.iter().sum::<usize>());
            for x in 0..width {
                if flow.kinds[first + x] == CellKind::Full {
                    let colour = &mut self.colours[(parity + x) % 2];
                    self.place[first + x] = colour.at.len() as u32;
                    colour.at.push((first + x) as u32);
                }
            }
        }
    }

    /// Sweeps until |D| < ε in every Full cell.
    pub fn solve(&mut self, settings: &RelaxationSettings, inverse: [f64; D]) -> PressureOutcome {
        let weights = inverse.map(|inverse| inverse * inverse);
        let [red, black] = &mut self.colours;
        let omega = settings.relaxation;
        let is_small = |divergence: f64| divergence < settings.divergence;
        let mut black_divergence = black.relax(&red.psi, weights, omega);
        let mut sweeps = 0;
        loop {
            // The divergence before the sweep: ψ of red is kept until it is known
            let red_divergence = red.relax(&black.psi, weights, omega);
            if is_small(red_divergence) && is_small(black_divergence) {
                return PressureOutcome { sweeps, is_converged: true };
            }
            let is_hopeless = !(red_divergence.is_finite() && black_divergence.is_finite());
            if sweeps >= settings.sweeps || is_hopeless {
                return PressureOutcome { sweeps, is_converged: false };
            }
            red.accept();
            // The neighbours of black stay: its divergence shrinks by 1 − β₀ exactly
            black_divergence = (1.0 - omega).abs() * black.relax(&red.psi, weights, omega);
            black.accept();
            sweeps += 1;
        }
    }

    /// Calls `take` with the place of every Full cell in the arrays of the flow, and its ψ.
    pub fn for_each(&self, mut take: impl FnMut(usize, f64)) {
        for colour in &self.colours {
            colour.at.iter().zip(&colour.psi).for_each(|(&at, &psi)| take(at as usize, psi));
        }
    }

    /// Number of Full cells.
    pub fn count(&self) -> usize {
        self.colours.iter().map(|colour| colour.at.len()).sum()
    }
}

/// The equation of the Full cell at a place.
fn full_cell<const D: usize>(
    flow: &Flow<D>,
    surface: &SurfacePressure<D>,
    place: &[u32],
    at: usize,
    zero: u32,
) -> FullCell<D> {
    let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
    let mut cell = FullCell { beside: [[zero; 2]; D], diagonal: 0.0 };
    for a in 0..D {
        let weight = inverse[a] * inverse[a];
        for (side, neighbour) in [at - strides[a], at + strides[a]].into_iter().enumerate() {
            cell.diagonal += match flow.kinds[neighbour] {
                CellKind::Full => {
                    cell.beside[a][side] = place[neighbour];
                    weight
                }
                CellKind::Surface => weight * surface.share(neighbour, at),
                CellKind::Outflow => weight,
                CellKind::Solid | CellKind::Inflow | CellKind::Empty => 0.0,
            };
        }
    }
    cell
}

impl<const D: usize> Colour<D> {
    /// Computes ψ after its half of a sweep into `next`; answers the greatest |D| before.
    fn relax(&mut self, other: &[f64], weights: [f64; D], omega: f64) -> f64 {
        let count = self.at.len();
        let Colour { cells, divergence, psi, next, greatest, .. } = self;
        let tasks = count.div_ceil(TASK_CELLS);
        par::for_each_chunk_with(&mut next[..count], TASK_CELLS, greatest, |first, chunk, greatest| {
            let length = chunk.len();
            let (cells, divergence) = (&cells[first..][..length], &divergence[first..][..length]);
            let psi = &psi[first..][..length];
            *greatest = 0.0;
            for (((next, cell), &divergence), &psi) in chunk.iter_mut().zip(cells).zip(divergence).zip(psi) {
                let mut beside = 0.0;
                for a in 0..D {
                    let [low, high] = cell.beside[a];
                    beside += weights[a] * (other[low as usize] + other[high as usize]);
                }
                let residual = divergence - cell.diagonal * psi + beside;
                let size = residual.abs();
                // A cell that is closed on all sides cannot change: its faces are given
                let gain = if cell.diagonal > 0.0 { omega * residual / cell.diagonal } else { 0.0 };
                *next = psi + gain;
                if size > *greatest || size.is_nan() {
                    *greatest = size;
                }
            }
        });
        let larger = |a: f64, b: &f64| if *b > a || b.is_nan() { *b } else { a };
        self.greatest[..tasks].iter().fold(0.0, larger)
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.psi, &mut self.next);
    }
}
