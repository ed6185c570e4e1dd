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

fn profile(basin: &Basin<f32,16>, y: usize, lo: f64, hi: f64) {
    let [n,_]=basin.depth.size(); let cols=128.min(n); let rows=24;
    let mut grid=vec![vec![b' ';cols]; rows];
    for c in 0..cols { let i=c*n/cols; let b=basin.bed[[i,y]] as f64; let d=basin.depth[[i,y]] as f64;
        for r in 0..rows { let z=hi-(r as f64+0.5)*(hi-lo)/rows as f64; grid[r][c]= if z<b {b'#'} else if z<b+d {b'~'} else {b' '}; } 
        if d>0.0 && d < (hi-lo)/rows as f64 { let r=(((hi-b)/(hi-lo)*rows as f64) as usize).min(rows-1); if r>0 {grid[r-1][c]=b'_';} } }
    for r in grid { println!("|{}|", String::from_utf8(r).unwrap()); }
}
/// sum of |second difference| of level over wet-wet-wet triples: roughness
fn rough(basin: &Basin<f32,16>) -> f64 {
    let [nx,ny]=basin.depth.size(); let mut s=0.0;
    for y in 0..ny { for x in 1..nx-1 { let h=|i:usize| basin.level([i,y]); if (0..3).all(|k| basin.depth[[x-1+k,y]]>1e-4) { s+= (h(x-1)-2.0*h(x)+h(x+1)).abs(); } } } s
}
#[test]
fn hump1d() {
    for p in [1.0, 0.501] { for dt in [1.0/30.0, 1.0/240.0] {
    let l = land([256,1], 10.0/256.0, |x,_| -1.0 + 0.9*(-((x-6.0)/0.6).powi(2)).exp(), |x,_| if x<2.0 {0.6} else if x<6.0 { -0.3 } else {-2.0});
    let mut basin = Basin::<f32,16>::new(&l, 1e-4).unwrap();
    let v0: f64 = basin.depth.iter().map(|(_,d)| d as f64).sum();
    println!("p {p} dt {dt}");
    let mut t=0.0; let mut shown=0;
    for _ in 0..(8.0/dt) as usize { basin.step(dt, 9.81, Weights{implicit:p,damping:0.0}); t+=dt;
        let marks=[0.3,0.6,1.0,1.5,2.5,7.9]; if shown<marks.len() && t>marks[shown] { shown+=1; let v: f64 = basin.depth.iter().map(|(_,d)| d as f64).sum(); println!("t {t:.3} rough {:.4} dv {:.2e} umax {:.2}", rough(&basin), v/v0-1.0, basin.velocity[0].iter().map(|(_,u)| u.abs()).fold(0.0,f32::max)); profile(&basin,0,-1.0,0.8); } }
    }}
}
