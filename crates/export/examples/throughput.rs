//! temporary
#![allow(clippy::print_stdout)]
use std::path::PathBuf;
use std::time::Instant;
use undine_export::cache::*;
use undine_export::film::*;
use undine_export::report::*;
use undine_frame::*;

fn water(w: u32, h: u32, t: f64) -> Vec<u8> {
    let mut out = Vec::with_capacity((w * h * 3) as usize);
    for j in 0..h {
        for i in 0..w {
            let (x, y) = (i as f64 * 0.01, j as f64 * 0.02);
            let s = (3.0 * x + 2.0 * t).sin() * 0.4 + (5.1 * y - 3.0 * t + x).sin() * 0.3 + (17.0 * x + 11.0 * y + 5.0 * t).sin() * 0.1;
            let g = ((i * 7919 + j * 104729) % 5) as f64;
            let v = 120.0 + 80.0 * s + g;
            out.extend([(v * 0.5) as u8, (v * 0.8) as u8, (v + 20.0).min(255.0) as u8]);
        }
    }
    out
}

fn main() {
    let dir = PathBuf::from("/tmp/undine-measure");
    std::fs::create_dir_all(&dir).unwrap();
    let n = 240u32;
    let pics: Vec<_> = (0..48).map(|f| water(1280, 720, f as f64 / 30.0)).collect();
    let t = Instant::now();
    let frames: Vec<PathBuf> = (0..n).map(|f| {
        let p = dir.join(format!("frames/{f:06}.png"));
        undine_export::png::write_rgb8(&p, 1280, 720, &pics[(f % 48) as usize]).unwrap();
        p
    }).collect();
    let per = t.elapsed().as_secs_f64() / n as f64;
    println!("png write incl fsync {:.1} ms, size {}", per * 1e3, std::fs::metadata(&frames[0]).unwrap().len());
    let t = Instant::now();
    for f in 0..20 { let mut v = Vec::new(); undine_export::png::encode_rgb8(&mut v, 1280, 720, &pics[f]).unwrap(); }
    println!("png encode only {:.1} ms", t.elapsed().as_secs_f64() / 20.0 * 1e3);
    let t = Instant::now();
    for f in 0..20 { undine_export::png::read_rgb8(&frames[f]).unwrap(); }
    println!("png read {:.1} ms", t.elapsed().as_secs_f64() / 20.0 * 1e3);
    for (q, name) in [(Quality::GOOD, "film.mp4"), (Quality::FINE, "fine.mp4"), (Quality::DRAFT, "draft.mp4")] {
        let t = Instant::now();
        let film = encode_film(&frames, 29.97, &dir.join(name), q, |_, _| {}).unwrap();
        println!("{name}: {:.1} fps, {film:?}", n as f64 / t.elapsed().as_secs_f64());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let t = Instant::now();
    pool.install(|| encode_film(&frames, 29.97, &dir.join("one.mp4"), Quality::GOOD, |_, _| {})).unwrap();
    println!("one thread {:.1} fps same {}", n as f64 / t.elapsed().as_secs_f64(), std::fs::read(dir.join("one.mp4")).unwrap() == std::fs::read(dir.join("film.mp4")).unwrap());

    let mut mesh = Mesh::flat_sheet("water", [20.0, 20.0], [512, 512]);
    for p in &mut mesh.positions {
        let (x, y) = (p[0], p[1]);
        p[2] = 0.3 * (1.3 * x + 0.4 * y).sin() + 0.1 * (3.1 * y - x).sin() + 0.02 * (11.0 * x + 7.0 * y).sin();
    }
    mesh.normals = mesh.positions.iter().map(|p| { let (a, b) = (p[2].sin() * 0.2, p[2].cos() * 0.1); let l = (a * a + b * b + 1.0f32).sqrt(); [a / l, b / l, 1.0 / l] }).collect();
    mesh.velocities = mesh.positions.iter().map(|p| [p[2] * 0.5, p[2] * 0.2, (p[0] * 1.3).cos()]).collect();
    let mut frame = Frame::new(0, 0.0);
    let heights: Vec<f32> = mesh.positions.iter().map(|p| p[2]).collect();
    frame.rasters.push(Raster { name: "height".into(), unit: "m".into(), kind: RasterKind::Surface, size: [512, 512, 1], components: 1, origin: [0.0; 3], spacing: [0.04; 3], values: heights });
    frame.meshes.push(mesh);
    let raw = 512.0 * 512.0 * 4.0 * 12.0;
    let cache = Cache::create(&dir.join("cache"), Manifest { undine: "0".into(), name: "n".into(), fps: 1.0, scene: String::new() }).unwrap();
    let t = Instant::now();
    let mut bytes = 0;
    for i in 0..10 { frame.index = i; bytes = cache.write(&frame).unwrap(); }
    let s = t.elapsed().as_secs_f64() / 10.0;
    println!("cache write {:.1} MB/s ({:.1} ms), ratio {:.2} ({bytes})", raw / s / 1e6, s * 1e3, raw / bytes as f64);
    let t = Instant::now();
    for i in 0..10 { cache.read(i).unwrap(); }
    let s = t.elapsed().as_secs_f64() / 10.0;
    println!("cache read {:.1} MB/s", raw / s / 1e6);
    let flat: Vec<u8> = frame.meshes[0].positions.iter().chain(&frame.meshes[0].normals).chain(&frame.meshes[0].velocities).flatten().chain(frame.meshes[0].uvs.iter().flatten()).chain(&frame.rasters[0].values).flat_map(|f| f.to_le_bytes()).collect();
    let t = Instant::now();
    let plain = zstd::encode_all(flat.as_slice(), 3).unwrap();
    println!("plain zstd {:.1} MB/s ratio {:.2}", raw / t.elapsed().as_secs_f64() / 1e6, raw / plain.len() as f64);
    for f in undine_export::FORMATS {
        let t = Instant::now();
        let files = f.write(&frame, &dir.join(f.name).join("0"), &Default::default()).unwrap();
        println!("{}: {:.1} ms, {} bytes", f.name, t.elapsed().as_secs_f64() * 1e3, std::fs::metadata(&files[0]).unwrap().len());
    }

    let curve = |name: &str, f: &dyn Fn(f64) -> f64| Series { name: name.into(), points: (0..300).map(|i| [i as f64 / 30.0, f(i as f64 / 30.0)]).collect() };
    let report = Report {
        title: "Pond".into(),
        summary: "A stone falls into a still pond of ten metres; the ring waves spread, cross and fade. Simulated with sine-waves, 300 frames at 30 frames per second.".into(),
        film: Some("film.mp4".into()), poster: Some("frames/000000.png".into()),
        facts: [("frames", "300"), ("duration", "10 s"), ("cells", "512 × 512"), ("volume error", "3.1·10⁻⁷"), ("wall time", "1 min 12 s"), ("threads", "2"), ("cache", "1.2 GB"), ("speed", "14.2 Mcells/s")].map(|(a, b)| (a.into(), b.into())).to_vec(),
        plots: vec![
            Plot { title: "Volume".into(), x: "time [s]".into(), y: "relative error".into(), series: vec![curve("held", &|t| 3e-7 * (1.0 - (-t).exp()) * (1.0 + 0.2 * (5.0 * t).sin()))], caption: "Held minus initial plus outflow minus inflow, relative to the initial volume.".into(), ..Plot::default() },
            Plot { title: "Energy".into(), x: "time [s]".into(), y: "energy [J]".into(), series: vec![curve("kinetic", &|t| 1200.0 * (-t / 4.0).exp() * (0.5 + 0.5 * (2.0 * t).sin().powi(2))), curve("potential", &|t| 1100.0 * (-t / 4.0).exp() * (0.5 + 0.5 * (2.0 * t).cos().powi(2))), curve("sum", &|t| 2000.0 * (-t / 4.0).exp())], ..Plot::default() },
            Plot { title: "Time per phase".into(), x: "frame".into(), y: "time [ms]".into(), style: Style::StackedAreas, series: vec![curve("step", &|t| 40.0 + 5.0 * t.sin()), curve("surface", &|t| 12.0 + 2.0 * (3.0 * t).cos()), curve("preview", &|t| 90.0 + 8.0 * (7.0 * t).sin()), curve("png", &|_| 14.0), curve("cache", &|_| 22.0)], caption: "Everything else takes less than a millisecond.".into() },
            Plot { title: "Constant".into(), x: "time [s]".into(), y: "volume [m³]".into(), series: vec![curve("v", &|_| 1234.5678)], ..Plot::default() },
        ],
        tables: vec![Table { title: "Time per phase".into(), header: ["phase", "total [s]", "share"].map(str::to_owned).to_vec(), rows: [["step", "12.1", "0.22"], ["preview", "27.0", "0.51"], ["png", "4.2", "0.08"]].map(|r| r.map(str::to_owned).to_vec()).to_vec() }],
        notes: vec!["2 steps of frame 118 were retried with half the step.".into()],
        scene: "[scene]\nname = \"pond\"\nduration = 10.0\nfps = 30\n\n[[water]]\nkind = \"sine-waves\"\nsize = [10.0, 10.0]\ncells = [512, 512]\n".into(),
        versions: [("undine", "0.1.0"), ("scene format", "1"), ("rustc", "1.95.0"), ("system", "x86_64 linux")].map(|(a, b)| (a.into(), b.into())).to_vec(),
    };
    report.write(&dir.join("report.html")).unwrap();
}
