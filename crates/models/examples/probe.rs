#![allow(missing_docs, clippy::all)]
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Runner, Sample};
use glam::DVec3;
fn build(text: &str) -> Runner {
    let scene = Scene::parse("p", text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    Runner::new(&scene, undine_models::MODELS, None).unwrap_or_else(|e| panic!("{e}"))
}
fn field(r: &Runner, name: &str) -> Vec<f32> {
    let v = r.waters()[0].simulation.view();
    v.fields.iter().find(|f| f.name == name).unwrap().samples.values()
}
fn maxabs(v: &[f32]) -> f32 { v.iter().fold(0.0, |m, x| m.max(x.abs())) }
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "tg" => {
            let adv = args.get(2).map_or("mac-cormack", |s| s);
            let mut prev = 0.0;
            for n in [32, 64, 128] {
                let nu = 0.01;
                let steps = args.get(3).map_or(n * n / 16, |s| s.parse::<usize>().unwrap() * n / 32);
                let text = format!("[scene]\nduration=1\nfps=1\n[[water]]\nkind='stable-fluids'\nresolution={n}\nviscosity={nu}\nadvection='{adv}'\nstart='vortices'\ncourant=1e-3\nsteps={steps}\nwest={{kind='periodic'}}\neast={{kind='periodic'}}\nsouth={{kind='periodic'}}\nnorth={{kind='periodic'}}\n");
                let mut r = build(&text);
                let e0 = r.waters()[0].simulation.budget().kinetic_energy;
                let t = std::time::Instant::now();
                let st = r.next_frame().unwrap();
                let e1 = r.waters()[0].simulation.budget().kinetic_energy;
                let rate = -(e1/e0).ln() / (4.0 * nu * (2.0*std::f64::consts::PI).powi(2));
                let k = std::f64::consts::TAU; let f = (-2.0*nu*k*k*1.0f64).exp();
                let (mut l2, mut cnt, mut linf) = (0.0, 0.0, 0.0f64);
                for i in 0..n { for j in 0..n {
                    let (x,y) = ((i as f64)/n as f64, (j as f64+0.5)/n as f64);
                    let u = r.velocity(DVec3::new(x,y,0.0)).x;
                    let e = u - (-(k*x).cos()*(k*y).sin()*f); l2 += e*e; cnt += 1.0; linf = linf.max(e.abs());
                }}
                let l2 = (l2/cnt as f64).sqrt();
                println!("n {n} steps {} rate ratio {rate:.6} l2 {l2:.3e} order {:.2} linf {linf:.3e} div {:.2e} {:.2}s", st.steps, (prev/l2 as f64).log2(), maxabs(&field(&r,"divergence")), t.elapsed().as_secs_f64());
                prev = l2;
            }
        }
        "pois" => {
            let text = "[scene]\nduration=4000\nfps=0.01\n[[water]]\nkind='stable-fluids'\nresolution=4\nsize=[0.125,1]\nviscosity=0.1\nforce_x=0.1\nsteps=1\nwest={kind='periodic'}\neast={kind='periodic'}\n";
            let mut r = build(text);
            for _ in 0..10 { r.next_frame().unwrap(); }
            let n = 32;
            let mut worst = 0.0f64;
            for j in 0..n { let y = (j as f64+0.5)/n as f64; let u = r.velocity(DVec3::new(0.06,y,0.0)).x; worst = worst.max((u - 0.5*y*(1.0-y)).abs()); }
            println!("poiseuille worst {worst:.3e}");
        }
        "cavity" => {
            let re: f64 = args[2].parse().unwrap(); let n: usize = args[3].parse().unwrap(); let t: f64 = args[4].parse().unwrap(); let cfl: f64 = args[5].parse().unwrap();
            let text = format!("[scene]\nduration={t}\nfps=1\n[[water]]\nkind='stable-fluids'\nresolution={n}\nviscosity={}\ncourant={cfl}\nsteps=100000\nnorth={{kind='moving',speed=1}}\n", 1.0/re);
            let mut r = build(&text);
            let clock = std::time::Instant::now();
            let mut steps = 0;
            let mut before = field(&r, "speed");
            while r.time() < t { steps += r.next_frame().unwrap().steps; let now = field(&r,"speed"); let ch = now.iter().zip(&before).map(|(a,b)| (a-b).abs()).fold(0.0f32,f32::max); before = now; if (r.time() as i64) % 10 == 0 { eprintln!("t {} change {ch:.2e} {:.1}s", r.time(), clock.elapsed().as_secs_f64()); } if ch < 2e-6 { break; } }
            let dir = "/work/shared/reference/";
            let col = |file: &str, col: usize| -> Vec<(f64,f64)> { std::fs::read_to_string(format!("{dir}{file}")).unwrap().lines().filter(|l| !l.starts_with('#')).skip(1).map(|l| { let c: Vec<&str> = l.split(',').collect(); (c[0].parse().unwrap(), c[col].parse().unwrap()) }).collect() };
            let c = match re as i64 { 100 => 1, 400 => 2, 1000 => 3, _ => 4 };
            let (mut wu, mut wv) = ((0.0f64,0.0), (0.0f64,0.0));
            for (y,u) in col("ghia1982_u_vertical_centerline.csv", c) { let m = r.velocity(DVec3::new(0.5,y.min(0.99999),0.0)).x; let e=(m-u).abs(); if e > wu.0 && !(c==4 && (y-0.4531).abs()<1e-6) { wu=(e,y); } }
            for (x,v) in col("ghia1982_v_horizontal_centerline.csv", c) { let m = r.velocity(DVec3::new(x,0.5,0.0)).y; let e=(m-v).abs(); if e > wv.0 && !(c==2 && (x-0.9063).abs()<1e-6) { wv=(e,x); } }
            println!("Re {re} n {n} steps {steps} t {} cfl {cfl}: u {:.5} at {} v {:.5} at {}", r.time(), wu.0, wu.1, wv.0, wv.1);
            if c == 3 {
                let (mut wu, mut wv) = ((0.0f64,0.0), (0.0f64,0.0));
                for (y,u) in col("cavity_Re1000_highaccuracy_u.csv", 1) { let m = r.velocity(DVec3::new(0.5,y.min(0.99999),0.0)).x; let e=(m-u).abs(); if e > wu.0 { wu=(e,y); } }
                for (x,v) in col("cavity_Re1000_highaccuracy_v.csv", 1) { let m = r.velocity(DVec3::new(x,0.5,0.0)).y; let e=(m-v).abs(); if e > wv.0 { wv=(e,x); } }
                println!("   high accuracy: u {:.5} at {} v {:.5} at {}", wu.0, wu.1, wv.0, wv.1);
            }
        }
        "street" => {
            let n: usize = args[2].parse().unwrap(); let cfl: f64 = args[3].parse().unwrap();
            let (lx, ly): (f64,f64) = (args[4].parse().unwrap(), args[5].parse().unwrap());
            let text = format!("[scene]\nduration=200\nfps=5\n[[water]]\nkind='stable-fluids'\nsize=[{lx},{ly}]\nresolution={n}\nviscosity=0.01\ncourant={cfl}\nsteps=1000\nstart='stream'\nwest={{kind='inflow',speed=1}}\neast={{kind='outflow'}}\nsouth={{kind='free-slip'}}\nnorth={{kind='free-slip'}}\n[[obstacle]]\nkind='circle'\nradius=0.5\nat=[{},{}]\n[[emitter]]\nkind='fan'\nat=[{},{}]\nradius=0.5\ntowards=[0,1]\npush=2\nuntil=1\n", lx*0.25, ly*0.5, lx*0.25+1.5, ly*0.5);
            let mut r = build(&text);
            let clock = std::time::Instant::now();
            let probe = DVec3::new(lx*0.25+3.0, ly*0.5, 0.0);
            let mut last = 0.0; let mut cross: Vec<f64> = vec![]; let mut steps=0;
            while r.time() < 200.0 { let t0 = r.time(); steps+=r.next_frame().unwrap().steps; let v = r.velocity(probe).y; if last < 0.0 && v >= 0.0 { cross.push(t0 + (r.time()-t0)*(-last)/(v-last)); } last = v;
                if (r.time()*5.0).round() as i64 % 100 == 0 { eprintln!("t {:.1} v {v:.3} steps {steps} {:.1}s div {:.2e}", r.time(), clock.elapsed().as_secs_f64(), maxabs(&field(&r,"divergence"))); }
                if cross.len() > 12 { break; } }
            let k = cross.len(); println!("crossings {:?}", cross); if k > 4 { println!("St {:.4}", 4.0/(cross[k-1]-cross[k-5])); }
        }
        _ => {}
    }
}
