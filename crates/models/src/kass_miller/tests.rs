use super::basin::{Basin, Weights};
use crate::heightfield::Land;
use undine_grid::{Condition, Field, Grid, Location};
use std::time::Instant;

fn land(cells: [usize;2], dx: f64, bed: impl Fn(f64,f64)->f64+Sync, level: impl Fn(f64,f64)->f64) -> Land {
    let grid = Grid::new(cells, [dx;2], [0.0;2]).unwrap();
    let blank = || Field::<f64,2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
    let mut b = blank(); b.set_by_position(|[x,y]| bed(x,y));
    let mut depth = blank();
    for ([x,y], bed) in b.iter() { let [px,py]=grid.centre([x as isize,y as isize]); depth[[x,y]] = (level(px,py)-bed).max(0.0); }
    Land { grid, bed: b, depth, velocity: [blank(), blank()], still_level: 0.0, warnings: vec![] }
}

#[test]
fn speed() {
    for n in [256usize, 512, 1024, 2048, 4096] {
        let l = land([n,n], 0.05, |_,_| -1.0, |x,y| 0.1*(-(x-3.0).powi(2)-(y-4.0).powi(2)).exp());
        let mut basin = Basin::<f32,16>::new(&l, 1e-4).unwrap();
        let w = Weights { implicit: 0.501, damping: 0.0 };
        let mut bx=f64::MAX; let mut by=f64::MAX;
        for _ in 0..(8192/n).clamp(4,20) { let t=Instant::now(); basin.sweep(0, 1.0/30.0, 9.81, w); let m=t.elapsed().as_secs_f64(); basin.sweep(1, 1.0/30.0, 9.81, w); let e=t.elapsed().as_secs_f64(); bx=bx.min(m); by=by.min(e-m); }
        let c=(n*n) as f64;
        println!("{n}: x {:.2} ns y {:.2} ns per cell wall, {} threads", bx/c*1e9, by/c*1e9, undine_grid::par::threads());
    }
}
