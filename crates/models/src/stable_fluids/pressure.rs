//! TEMPORARY
use undine_grid::{Boundary, Condition, Field, FieldError, Grid, fill_ghosts, neighbour, par};
use undine_scene::Values;
use undine_sim::StepError;
use super::obstacles::Solids;

/// names
pub(super) const SOLVER_WORDS: &[(&str, &str)] = &[("auto", "the best")];
pub struct PressureSolver<const D: usize> {
    open: Option<[Field<f64, D>; D]>,
    r: Field<f64, D>, z: Field<f64, D>, p: Field<f64, D>, q: Field<f64, D>, diag: Field<f64, D>,
    singular: bool,
}
impl<const D: usize> PressureSolver<D> {
    pub fn new(grid: Grid<D>, boundary: Boundary<f64, D>, solids: Option<&Solids<D>>, _v: &Values) -> Result<Self, FieldError> {
        let f = || Field::with_boundary(grid, boundary, 1);
        let singular = !undine_grid::Side::of_dimension(D).iter().any(|s| matches!(boundary.get(*s), Some(Condition::Value(_))));
        let mut s = PressureSolver { open: None, r: f()?, z: f()?, p: f()?, q: f()?, diag: f()?, singular };
        if let Some(solids) = solids { let _ = s.refresh(solids); } else { s.build_diag(); }
        Ok(s)
    }
    pub fn refresh(&mut self, solids: &Solids<D>) -> Result<(), StepError> {
        self.open = Some(solids.open().components().clone());
        self.build_diag();
        Ok(())
    }
    fn build_diag(&mut self) {
        let grid = *self.r.grid();
        let open = self.open.clone();
        let b = self.r.boundary;
        let cells = grid.cells();
        par::rows(&mut self.diag, |at, row| for x in 0..row.len() {
            let c = neighbour(at, 0, x as isize);
            let mut s = 0.0;
            for a in 0..D { for hi in 0..2 {
                let f = neighbour(c, a, hi);
                let w = open.as_ref().map_or(1.0, |o| o[a].at(f)) / grid.spacing()[a].powi(2);
                let edge = (hi == 0 && c[a] == 0) || (hi == 1 && c[a] as usize + 1 == cells[a]);
                s += if edge { match b.get(undine_grid::Side::ALL[2*a+hi as usize]) { Some(Condition::Value(_)) => 2.0*w, Some(Condition::Periodic) => w, _ => 0.0 } } else { w };
            } }
            row[x] = s;
        });
    }
    fn apply(open: &Option<[Field<f64, D>; D]>, p: &Field<f64, D>, q: &mut Field<f64, D>) {
        let grid = *p.grid();
        par::rows(q, |at, row| for x in 0..row.len() {
            let c = neighbour(at, 0, x as isize);
            let mut s = 0.0;
            for a in 0..D { let ih = 1.0/grid.spacing()[a].powi(2);
                for hi in 0..2 {
                    let f = neighbour(c, a, hi);
                    let w = open.as_ref().map_or(1.0, |o| o[a].at(f));
                    s += w * ih * (p.at(c) - p.at(neighbour(c, a, 2*hi-1)));
                }
            }
            row[x] = s;
        });
    }
    pub fn solve(&mut self, rhs: &Field<f64, D>, phi: &mut Field<f64, D>, dt: f64) -> Result<(), StepError> {
        if std::env::var("NOPROJ").is_ok() { return Ok(()); }
        fill_ghosts(phi);
        Self::apply(&self.open, phi, &mut self.q);
        let n = phi.len() as f64;
        let q = &self.q;
        par::rows(&mut self.r, |at, row| for x in 0..row.len() { row[x] = rhs.row(at)[x] - q.row(at)[x]; });
        if self.singular { let diag = &self.diag; let cnt = par::sum(diag, |d| if d > 0.0 {1.0} else {0.0}); let m = par::sum(&self.r, |v| v)/cnt.max(1.0); par::rows(&mut self.r, |at, row| for x in 0..row.len() { if diag.row(at)[x] > 0.0 { row[x] -= m; } else {row[x]=0.0} }); }
        let tol = 1e-8 / dt;
        let mut rz = 0.0;
        for it in 0..20000 {
            if par::max(&self.r, |v| v.abs()) < tol { break; }
            let (r, d) = (&self.r, &self.diag);
            par::rows(&mut self.z, |at, row| for x in 0..row.len() { let dd = d.row(at)[x]; row[x] = if dd > 0.0 { r.row(at)[x]/dd } else { 0.0 }; });
            let rz2 = par::dot(&self.r, &self.z);
            let beta = if it == 0 { 0.0 } else { rz2 / rz };
            rz = rz2;
            let z = &self.z;
            par::rows(&mut self.p, |at, row| for x in 0..row.len() { row[x] = z.row(at)[x] + beta * if it==0 {0.0} else {row[x]}; });
            fill_ghosts(&mut self.p);
            Self::apply(&self.open, &self.p, &mut self.q);
            let alpha = rz / par::dot(&self.p, &self.q);
            if !alpha.is_finite() { break; }
            let (p, q) = (&self.p, &self.q);
            par::rows(phi, |at, row| for x in 0..row.len() { row[x] += alpha * p.row(at)[x]; });
            par::rows(&mut self.r, |at, row| for x in 0..row.len() { row[x] -= alpha * q.row(at)[x]; });
        }
        let _ = n;
        Ok(())
    }
}
