//! probe
use std::time::Instant;
use undine_grid::poisson::*;
use undine_grid::*;
fn solid(kind: &str, [x, y, z]: [f64; 3]) -> f64 {
    match kind {
        "sphere" | "spherefree" => [[0.3, 0.3, 0.3, 0.15], [0.7, 0.6, 0.4, 0.2], [0.4, 0.75, 0.7, 0.12], [0.75, 0.2, 0.75, 0.1]]
            .iter().map(|s: &[f64; 4]| ((x - s[0]).powi(2) + (y - s[1]).powi(2) + (z - s[2]).powi(2)).sqrt() - s[3]).fold(1e9, f64::min),
        "many" => { let f = |v: f64| v * 8.0 - (v * 8.0).floor() - 0.5; let (a, b, c) = (f(x), f(y), f(z)); ((a * a + b * b + c * c).sqrt() - 0.4) / 8.0 }
        "plate" => { let d = (x - 0.5 + 0.3 * (y - 0.5)).abs() / 1.044 - 0.02; if z > 0.8 { d.max(z - 0.8) } else { d } }
        _ => 1.0,
    }
}
fn air(kind: &str, [x, y, z]: [f64; 3]) -> f64 {
    if kind.contains("free") { z - (0.6 + 0.15 * (7.0 * x).sin() * (5.0 * y).cos() + 0.05 * (31.0 * x + 17.0 * y).sin()) } else { -1.0 }
}
fn cpu() -> f64 { std::fs::read_to_string("/proc/self/task").err(); let mut t = 0.0; for d in std::fs::read_dir("/proc/self/task").unwrap() { let s = std::fs::read_to_string(d.unwrap().path().join("schedstat")).unwrap(); t += s.split_whitespace().next().unwrap().parse::<f64>().unwrap(); } t * 1e-9 }
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let kind = args[1].as_str();
    let n: usize = args[2].parse().unwrap();
    let h = 1.0 / n as f64;
    let grid = Grid::new([n; 3], [h; 3], [0.0; 3]).unwrap();
    use SideKind::*;
    let sides = match kind { "dir" => [[Fixed; 2]; 3], "top" => [[Closed; 2], [Closed; 2], [Closed, Fixed]], "per" => [[Periodic; 2]; 3], _ => [[Closed; 2]; 3] };
    let t = Instant::now();
    let mut problem = Problem::<f32, 3>::new(grid, sides).unwrap();
    println!("new {:.3}", t.elapsed().as_secs_f64());
    if ["sphere", "spherefree", "many", "plate"].contains(&kind) {
        let faces: [Field<f32, 3>; 3] = std::array::from_fn(|a| {
            let mut f = Field::new(grid, Location::Face(a), Condition::Open, 1).unwrap();
            f.set_by_position(|p| {
                if solid(kind, p).abs() > 2.0 * h { return if solid(kind, p) > 0.0 { 1.0 } else { 0.0 }; }
                let mut s = 0.0;
                for u in 0..4 { for w in 0..4 { let mut q = p; q[(a + 1) % 3] += ((u as f64 + 0.5) / 4.0 - 0.5) * h; q[(a + 2) % 3] += ((w as f64 + 0.5) / 4.0 - 0.5) * h; if solid(kind, q) > 0.0 { s += 1.0 / 16.0; } } }
                s
            });
            f
        });
        let mut unknown = Field::<u8, 3>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let mut extra = Field::<f32, 3>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        par::rows(&mut unknown, |at, row| for x in 0..n {
            let at = [x as isize, at[1], at[2]];
            let open: f32 = (0..3).map(|a| faces[a].at(at) + faces[a].at(neighbour(at, a, 1))).sum();
            row[x] = (open > 0.0 && air(kind, grid.centre(at)) < 0.0) as u8;
        });
        par::rows(&mut extra, |at, row| for x in 0..n {
            let at = [x as isize, at[1], at[2]];
            if unknown.at(at) == 0 { continue; }
            let own = air(kind, grid.centre(at));
            for a in 0..3 { for s in [-1isize, 1] {
                let b = neighbour(at, a, s);
                if b[a] < 0 || b[a] >= n as isize { continue; }
                let other = air(kind, grid.centre(b));
                if other >= 0.0 { let th = (own / (own - other)).max(0.01); row[x] += (faces[a].at(neighbour(at, a, (s + 1) / 2)) as f64 / th / h / h) as f32; }
            } }
        });
        for _ in 0..2 {
            let t = Instant::now();
            problem.set_inside(&Inside { faces: Some(&faces), unknown: Some(&unknown), extra: if kind.contains("free") { Some(&extra) } else { None } }).unwrap();
            println!("inside {:.3} closed {}", t.elapsed().as_secs_f64(), problem.closed_parts());
        }
    }
    let mut rhs = Field::<f32, 3>::new(grid, Location::Center, Condition::Open, 1).unwrap();
    rhs.set_by_position(|[x, y, z]| 0.2 * ((x * 1e5 + y * 7.7e6 + z * 3.3e7).sin()) + (5.0 * x + 3.0 * z).sin() * (4.0 * y).cos());
    let mut p = rhs.clone();
    let mut solver = mgpcg::<f32, 3>();
    let mut out = None;
    let mut best = f64::INFINITY; let mut bestc = f64::INFINITY;
    for k in 0..4 {
        p.fill(0.0);
        let t = Instant::now(); let c = cpu();
        out = Some(solver.solve(&problem, &rhs, &mut p, Stop { tolerance: 1e-6, max_iterations: 60 }).unwrap());
        let s = t.elapsed().as_secs_f64(); let c = cpu() - c;
        if k == 0 { println!("first {s:.3} cpu {c:.3}"); } else { best = best.min(s); bestc = bestc.min(c); }
    }
    let mut to = p.clone();
    let sweepc = (0..20).map(|_| { let c = cpu(); for _ in 0..10 { kernels::sweep(&p, &mut to, 0.4f32, 0.1); } (cpu() - c) / 10.0 }).fold(1e9, f64::min);
    let sweep = (0..10).map(|_| { let t = Instant::now(); kernels::sweep(&p, &mut to, 0.4f32, 0.1); t.elapsed().as_secs_f64() }).fold(1e9, f64::min);
    println!("{kind} {n}: {:?}\n  warm {best:.4} s = {:.1} sweeps of {:.2} ms", out.unwrap(), best / sweep, sweep * 1e3); println!("  cpu {bestc:.4} s = {:.1} sweeps of {:.2} ms", bestc / sweepc, sweepc * 1e3);
}
