//! A step by its definitions, pipe by pipe and column by column, with which the kernels are compared.

use super::flow_update::{FlowParameters, update_flows};
use super::friction::seven_thirds;
use super::limiter::whole_at_most;
use super::pipe_set::PipeSet;
use super::settings::PipeArea;
use super::tests::water;
use super::tiling::{TILES_PER_TASK, Tiling};
use super::units::CEILING;
use super::volume_update::{TileSums, update_volumes};
use super::water::{FILM, Pipes};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    fn within(&mut self, bound: f32) -> f32 {
        bound * (self.below(1 << 24) as f32 / f32::from(1_u16 << 8) / f32::from(1_u16 << 15) - 1.0)
    }
}

/// Flow and transfer of a pipe after a step, from the bed and the volume at its two ends.
fn updated(water: &Pipes, p: &FlowParameters, ends: [[i32; 2]; 2], flow: f32, transfer: f32) -> [f32; 2] {
    let [[bed, volume], [bed_beyond, volume_beyond]] = ends;
    let (level, beyond, sill) = (bed + volume, bed_beyond + volume_beyond, bed.max(bed_beyond));
    let depth = (level.max(beyond) - sill).max(0) as f32 * p.unit;
    let updated = if sill - level.min(beyond) >= p.sharp_drop {
        let over_weir = p.weir * depth * depth.sqrt();
        if beyond > level { over_weir } else { -over_weir }
    } else {
        let is_constant = matches!(water.settings.area, PipeArea::Constant(_));
        let area_depth = if is_constant { p.pipe_depth } else { depth };
        let head = if is_constant { beyond.max(sill) - level.max(sill) } else { beyond - level };
        let mut decay = 1.0 + p.linear;
        if water.settings.manning > 0.0 {
            decay += p.manning * flow.abs() / seven_thirds(area_depth.max(p.unit));
        }
        let driven = (flow + p.drive * area_depth * head as f32) / decay;
        match (is_constant, depth > 0.0) {
            (true, true) => driven,
            (true, false) => 0.0,
            (false, _) => {
                let bound = p.froude * depth * depth.sqrt();
                driven.clamp(-bound, bound)
            }
        }
    };
    let carried = transfer - transfer.round_ties_even();
    let room = |level: i32| (CEILING - level) as f32 * (1.0 / 9.0);
    [updated, (updated * p.dt + carried).clamp(-room(beyond), room(level))]
}

/// Every column and pipe of a water, row by row.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    volume: Vec<i32>,
    /// Direction by direction.
    flows: Vec<Vec<f32>>,
    transfers: Vec<Vec<f32>>,
}

fn cells(tiling: &Tiling) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [columns, rows] = tiling.cells();
    (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y]))
}

impl Plain {
    /// Zeros of both signs are one number.
    fn of(water: &Pipes) -> Plain {
        let tiling = water.columns.tiling;
        let values = |shift: usize| {
            let of_set = |set: &PipeSet| {
                let index = |cell| PipeSet::flow_index(&tiling, tiling.index(cell)) + shift;
                cells(&tiling).map(|cell| set.values[index(cell)] + 0.0).collect()
            };
            water.sets.iter().map(of_set).collect()
        };
        Plain {
            volume: cells(&tiling).map(|cell| water.columns.volume[tiling.index(cell)]).collect(),
            flows: values(0),
            transfers: values(tiling.tile_len()),
        }
    }

    /// The state after a step, and how many columns were limited.
    fn after(mut self, water: &Pipes, dt: f64) -> (Plain, usize) {
        let (tiling, area) = (water.columns.tiling, water.grid.cell_measure());
        let place = |[x, y]: [usize; 2]| y * tiling.cells()[0] + x;
        let is_awake = |cell| water.visits.is_awake(tiling.tile_of(cell));
        let end = |cell| {
            let index = tiling.index(cell);
            [water.columns.bed[index], water.columns.volume[index]]
        };
        for (number, set) in water.sets.iter().enumerate() {
            let p = FlowParameters::new(&water.settings, &water.units, &set.direction, area, dt);
            for cell in cells(&tiling) {
                let beyond = tiling.beside(cell, set.direction.offset);
                if is_awake(cell) || beyond.is_some_and(is_awake) {
                    let (flow, transfer) =
                        (&mut self.flows[number][place(cell)], &mut self.transfers[number][place(cell)]);
                    let ends = [end(cell), beyond.map_or([CEILING, 0], end)];
                    [*flow, *transfer] = updated(water, &p, ends, *flow, *transfer).map(|value| value + 0.0);
                }
            }
        }
        // The pipes that leave a column: their direction, and the column to which they belong
        let leaving = |transfers: &[Vec<f32>], cell: [usize; 2]| {
            let mut leaving = Vec::new();
            for (number, set) in water.sets.iter().enumerate() {
                let opposite = tiling.beside(cell, set.direction.opposite());
                for (owner, sign) in [(Some(cell), -1.0), (opposite, 1.0)] {
                    let Some(owner) = owner.map(place) else { continue };
                    let units = (sign * transfers[number][owner]).round_ties_even() as i64;
                    if units > 0 {
                        leaving.push((number, owner, units, sign));
                    }
                }
            }
            leaving
        };
        let (wanted, mut limited) = (self.transfers.clone(), 0);
        for cell in cells(&tiling) {
            let leaving = leaving(&wanted, cell);
            let outgoing: i64 = leaving.iter().map(|pipe| pipe.2).sum();
            let volume = self.volume[place(cell)];
            let available = i64::from(if is_awake(cell) { volume } else { volume / 2 });
            if outgoing > available {
                limited += 1;
                for (number, owner, units, sign) in leaving {
                    let given = whole_at_most(units * available / outgoing) * sign;
                    self.transfers[number][owner] = given + 0.0;
                    self.flows[number][owner] = given / dt as f32 + 0.0;
                }
            }
        }
        let before = self.volume.clone();
        for cell in cells(&tiling).filter(|cell| is_awake(*cell)) {
            let mut volume = i64::from(before[place(cell)]);
            for (number, set) in water.sets.iter().enumerate() {
                let moved = |cell| self.transfers[number][place(cell)].round_ties_even() as i64;
                volume += moved(cell) - tiling.beside(cell, set.direction.opposite()).map_or(0, moved);
            }
            self.volume[place(cell)] = i32::try_from(volume).unwrap();
        }
        (self, limited)
    }
}

/// Fills a water with columns that are deep, thin and dry, flows between them, and tiles that sleep.
fn scramble(water: &mut Pipes, seed: u64) {
    let (tiling, random) = (water.columns.tiling, &mut Random(seed));
    for tile in 0..tiling.count() {
        water.visits.set_awake(&tiling, tile, random.below(4) != 0);
    }
    for cell in cells(&tiling) {
        let scale = [0, 0, 40, 3000, 300_000, 600_000][random.below(6) as usize];
        water.columns.volume[tiling.index(cell)] = random.below(scale + 1) as i32;
    }
    for set in &mut water.sets {
        for cell in cells(&tiling) {
            let index = PipeSet::flow_index(&tiling, tiling.index(cell));
            let scale = [0.0, 10.0, 1e4, 1e6][random.below(4) as usize];
            set.values[index] = random.within(scale);
            // Between two tiles that sleep there are only remainders
            let beyond = tiling.beside(cell, set.direction.offset);
            let mut ends = [Some(cell), beyond].into_iter().flatten();
            let is_visited = ends.any(|cell| water.visits.is_awake(tiling.tile_of(cell)));
            set.values[index + tiling.tile_len()] = random.within(if is_visited { 1e4 } else { 0.5 });
        }
    }
    water.measure();
}

#[test]
fn kernels_compute_what_the_definitions_say_to_the_bit() {
    let land = "level = 0\n[[terrain]]\nkind = 'noise'\nwavelength = 1\namplitude = 0.4\n";
    let mut limited = [0; 2];
    for keys in [
        "",
        "manning = 0.03",
        "area = 'constant'\npipe_depth = 0.3",
        "area = 'constant'\npipe_depth = 0.3\nmanning = 0.03\nneighbours = 'eight'",
        "neighbours = 'eight'",
        "neighbours = 'eight'\nmanning = 0.03\nfroude = 0.2\nsharp_drop = 0.1",
    ] {
        // Tiles cut off on both sides, whole tiles, a single row
        for size in [
            "size = [7, 4.5]\nresolution = 70",
            "size = [6.4, 9.6]\nresolution = 64",
            "size = [9, 0.1]\nresolution = 90",
        ] {
            for seed in 1..6 {
                let (mut water, _) = water(&format!("{size}\n{keys}\n{land}")).unwrap();
                scramble(&mut water, seed);
                let (dt, film, area) = (0.004, water.units.depth(FILM), water.grid.cell_measure());
                let (expected, count) = Plain::of(&water).after(&water, dt);
                limited[usize::from(count > 0)] += 1;
                let Pipes { sets, columns, visits, sums, limiter, settings, units, .. } = &mut water;
                update_flows(sets, columns, visits, settings, units, area, dt);
                update_volumes(columns, sets, visits, sums, film);
                limiter.limit(sets, columns, visits, sums, film, dt);
                assert_eq!(Plain::of(&water), expected, "{keys} {size} {seed}");
                check_sums(&water);
            }
        }
    }
    assert!(limited[1] > 50, "{limited:?}");
}

/// The sums of the tiles are those of their columns, and what all of them received is what left and came.
fn check_sums(water: &Pipes) {
    let tiling = water.columns.tiling;
    for tile in (0..tiling.count()).filter(|tile| water.visits.is_awake(*tile)) {
        let found = water.sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK];
        let TileSums { total, deepest, .. } = TileSums::of(&water.columns, tile);
        assert_eq!((found.total, found.deepest, found.is_overdrawn), (total, deepest, false));
    }
    let received: i64 = water.sums.as_flattened().iter().map(|sums| sums.received).sum();
    assert_eq!(received, 0);
}
