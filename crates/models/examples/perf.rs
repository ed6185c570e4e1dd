#![allow(missing_docs, clippy::all)]
use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[1].parse().unwrap(); let extra = args.get(2).cloned().unwrap_or_default(); let d3 = if args.get(3).is_some() { "height=1\n" } else { "" };
    let text = format!("[scene]\nduration=100\nfps=400\n[[water]]\nkind='stable-fluids'\nresolution={n}\nsteps=1\nstart='turbulence'\nviscosity=1e-4\n{d3}{extra}\n[[emitter]]\nkind='jet'\nat=[0.1,0.5{}]\nradius=0.05\nspeed=1\ncolour='#ff0000'\n", if d3.is_empty() {""} else {",0.5"});
    let scene = Scene::parse("p", &text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut r = Runner::new(&scene, undine_models::MODELS, None).unwrap_or_else(|e| panic!("{e}"));
    r.next_frame().unwrap();
    let mut best: std::collections::BTreeMap<&str, f64> = Default::default(); let mut tot = f64::INFINITY;
    for _ in 0..40 { let s = r.next_frame().unwrap(); for (k, v) in s.phases.iter() { let e = best.entry(k).or_insert(f64::INFINITY); *e = e.min(v); } tot = tot.min(s.seconds); }
    println!("{n}: best {:.2} ms; {:?}", tot*1e3, best.iter().map(|(k,v)| format!("{k} {:.2}", v*1e3)).collect::<Vec<_>>());
}
