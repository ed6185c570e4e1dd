//! Tests of the manager on rows and grids of columns.

use undine_sim::{Reader, Writer};

use super::operations::RegionOperation;
use super::*;
use crate::pipes::stacked_pipes::{PipeArea, PipePhysics, StackedPipes};

const DELTA: f64 = 1.0 / 1024.0;

const CONSTANTS: ThesisConstants = ThesisConstants {
    thresholds: ClassThresholds { tolerance: 2, sharp_drop: 600 },
    stable: 0.01,
    samples: 16,
    spread: 0.2,
    drag: 0.1,
    film: 1,
};

/// A row of columns of 0.25 m under the manager.
struct Row {
    bed: Vec<i32>,
    volume: Vec<i32>,
    stack: StackedPipes,
    manager: ThesisManager,
    poured: i64,
    dt: f64,
}

impl Row {
    fn new(bed: &[i32]) -> Row {
        let lattice = Lattice { columns: bed.len(), rows: 1 };
        Row {
            bed: bed.to_vec(),
            volume: vec![0; bed.len()],
            stack: StackedPipes::new(bed, 256, 6),
            manager: ThesisManager::new(lattice, CONSTANTS, [false; 4]),
            poured: 0,
            dt: 0.01,
        }
    }

    fn with_water(bed: &[i32], volume: &[i32]) -> Row {
        let mut row = Row::new(bed);
        row.volume.copy_from_slice(volume);
        row.manager.cover(Water { bed, volume });
        row
    }

    fn physics(&self) -> StepPhysics {
        StepPhysics { dt: self.dt, gravity: 9.81, delta: DELTA, spacing: [0.25, 1.0], ceiling: 1 << 30 }
    }

    /// A step with sources: columns and units.
    fn step(&mut self, sources: &[(usize, i32)]) {
        let physics = self.physics();
        let pipe_physics = PipePhysics {
            dt: self.dt,
            gravity: 9.81,
            length: 0.25,
            delta: DELTA,
            friction: 0.5,
            manning: 0.0,
            froude_cap: 2.0,
            area: PipeArea::Wetted,
        };
        let mut pipes =
            CurvePipes { stack: &mut self.stack, physics: pipe_physics, width: 1.0, pressure_head: &[] };
        self.manager.advance(&self.bed, &mut self.volume, &mut pipes, &physics);
        for (column, units) in sources {
            if self.manager.pour(*column, i64::from(*units)) {
                let before = self.volume[*column];
                self.volume[*column] = (before + units).max(0);
                self.poured += i64::from(self.volume[*column] - before);
            } else {
                self.poured += i64::from(*units);
            }
        }
        self.manager.finish(&physics);
    }

    fn total(&self) -> i128 {
        self.volume.iter().map(|volume| i128::from(*volume)).sum()
    }

    /// One letter per column: the kind of its region, in lower case while it is stable, or a dot.
    fn kinds(&self) -> String {
        let letter = |column| match self.manager.region_at(column) {
            None => '.',
            Some((RegionKind::Pooling, false)) => 'P',
            Some((RegionKind::Pooling, true)) => 'p',
            Some((RegionKind::Flowing, false)) => 'F',
            Some((RegionKind::Flowing, true)) => 'f',
            Some((RegionKind::Waterfall, false)) => 'W',
            Some((RegionKind::Waterfall, true)) => 'w',
        };
        (0..self.bed.len()).map(letter).collect()
    }

    fn count(&self, operation: RegionOperation) -> u64 {
        self.manager.operations(operation)
    }

    /// Updates boundaries alone, with the pipes at rest.
    fn update(&mut self) {
        self.manager.update_regions(Water { bed: &self.bed, volume: &self.volume });
    }
}

/// A row whose columns have regions of these kinds: equal letters in succession are one region.
fn laid_out(bed: &[i32], volume: &[i32], kinds: &str) -> Row {
    let mut row = Row::new(bed);
    row.volume.copy_from_slice(volume);
    let mut last = ('.', 0);
    for (column, letter) in kinds.chars().enumerate() {
        let kind = match letter {
            'P' => RegionKind::Pooling,
            'F' => RegionKind::Flowing,
            'W' => RegionKind::Waterfall,
            _ => {
                last = ('.', 0);
                continue;
            }
        };
        if letter != last.0 {
            last = (letter, row.manager.regions.create(kind).unwrap());
        }
        row.manager.regions.add(last.1, column);
    }
    row
}

/// Lays out a row, updates its boundaries once and compares kinds and operations.
fn expect(bed: &[i32], volume: &[i32], before: &str, after: &str, operations: &[RegionOperation]) {
    let mut row = laid_out(bed, volume, before);
    row.update();
    assert_eq!(row.kinds(), after, "{bed:?} {volume:?} {before}");
    for operation in RegionOperation::ALL {
        let wanted = operations.iter().filter(|wanted| **wanted == operation).count() as u64;
        assert_eq!(row.count(operation), wanted, "{operation:?} of {bed:?} {before}");
    }
}

use RegionOperation::*;

/// High ground that no water of these tests reaches.
const WALL: i32 = 90_000;

#[test]
fn table_4_1_pooling_beside_flat_and_uphill_ground_extends_to_what_its_water_reaches() {
    expect(&[WALL, 0, 0, 0], &[0, 9, 0, 0], ".P..", ".PP.", &[Extend]);
    expect(&[WALL, 0, 8, 0], &[0, 9, 0, 0], ".P..", ".PP.", &[Extend]);
    // Ground as high as the water is not reached, and a film does not spread
    expect(&[WALL, 0, 9, 0], &[0, 9, 0, 0], ".P..", ".P..", &[]);
    expect(&[WALL, 0, 0, 0], &[0, 1, 0, 0], ".P..", ".P..", &[]);
}

#[test]
fn table_4_1_pooling_beside_a_hill_down_creates_a_flowing_region() {
    expect(&[WALL, 100, 90, 0], &[0, 9, 0, 0], ".P..", ".PF.", &[CreateFlowing]);
}

#[test]
fn table_4_1_pooling_beside_a_sharp_drop_creates_a_waterfall_region_at_the_lip() {
    expect(&[WALL, 900, 900, 0], &[0, 9, 9, 0], ".PP.", ".PW.", &[CreateWaterfall, Shrink]);
    // A pool of a single column becomes the waterfall
    expect(&[WALL, 900, 0], &[0, 9, 0], ".P.", ".W.", &[CreateWaterfall, Shrink, Destroy]);
}

#[test]
fn table_4_1_pooling_beside_the_boundary_does_nothing() {
    expect(&[0, 0], &[9, 9], "PP", "PP", &[]);
}

#[test]
fn table_4_1_pooling_beside_a_pooling_region_merges() {
    // Two regions of equal letters cannot be laid out side by side, so the third column joins by hand
    let mut row = laid_out(&[0, 0, 0], &[9, 9, 9], "PP.");
    let other = row.manager.regions.create(RegionKind::Pooling).unwrap();
    row.manager.regions.add(other, 2);
    row.update();
    assert_eq!((row.kinds().as_str(), row.count(Merge)), ("PPP", 1));
    assert_eq!(row.manager.regions.live().count(), 1);
}

#[test]
fn table_4_1_pooling_beside_a_flowing_region_extends_into_it_where_its_water_is_higher() {
    expect(&[20, 10, 0, WALL], &[1, 1, 15, 0], "FFP.", "FPP.", &[Extend, Shrink]);
    // The last column of the flowing region
    expect(&[10, 0, WALL], &[1, 15, 0], "FP.", "PP.", &[Extend, Shrink, Destroy]);
    // Not up to where it is lower
    let mut row = laid_out(&[20, 10, 0, WALL], &[1, 1, 9, 0], "FFP.");
    row.update();
    assert_eq!((row.kinds().as_str(), row.count(Extend)), ("FFP.", 0));
    // Nor down a hill: there it is connected
    expect(&[WALL, 50, 20, 10], &[0, 9, 1, 9], ".PFF", ".PFP", &[Connect, CreatePooling, Shrink]);
}

#[test]
fn table_4_1_pooling_beside_a_waterfall_region_connects_once() {
    let mut row = laid_out(&[WALL, 0, 0, -900], &[0, 9, 9, 0], ".PW.");
    row.update();
    row.update();
    assert_eq!((row.kinds().as_str(), row.count(Connect)), (".PW.", 1));
}

#[test]
fn table_4_2_flowing_beside_flat_ground_and_a_hill_down_extends() {
    expect(&[WALL, 50, 50, 50], &[1, 9, 0, 0], "PF..", "PFF.", &[Extend]);
    expect(&[WALL, 50, 40, 30], &[1, 9, 0, 0], "PF..", "PFF.", &[Extend]);
}

#[test]
fn table_4_2_flowing_beside_a_hill_up_creates_a_pooling_region_at_its_foot() {
    // The new pool extends up the hill at once
    expect(&[WALL, 50, 40, 45], &[0, 1, 9, 0], ".FF.", ".FPP", &[CreatePooling, Shrink, Extend]);
    expect(&[WALL, 50, 40, 49], &[0, 1, 9, 0], ".FF.", ".FP.", &[CreatePooling, Shrink]);
}

#[test]
fn table_4_2_flowing_beside_a_sharp_drop_creates_a_waterfall_region() {
    expect(&[WALL, 950, 900, 0], &[0, 1, 9, 0], ".FF.", ".FW.", &[CreateWaterfall, Shrink]);
}

#[test]
fn table_4_2_flowing_beside_the_boundary_creates_a_pooling_region() {
    expect(&[WALL, 50, 40], &[0, 1, 9], ".FF", ".FP", &[CreatePooling, Shrink]);
    // Not where water leaves the domain
    let mut open = laid_out(&[WALL, 50, 40], &[0, 1, 9], ".FF");
    open.manager.is_side_open[0] = true;
    open.update();
    assert_eq!(open.kinds(), ".FF");
}

#[test]
fn table_4_2_flowing_beside_any_region_connects() {
    expect(&[WALL, 50, 20, WALL], &[1, 9, 1, 0], "PFP.", "PFP.", &[Connect]);
    expect(&[WALL, 50, 20, -900], &[1, 9, 1, 0], "PFW.", "PFW.", &[Connect]);
    let mut row = laid_out(&[WALL, 50, 20], &[1, 9, 1], "PF.");
    let other = row.manager.regions.create(RegionKind::Flowing).unwrap();
    row.manager.regions.add(other, 2);
    row.manager.is_side_open[0] = true;
    row.update();
    assert_eq!((row.kinds().as_str(), row.count(Connect)), ("PFF", 1));
}

#[test]
fn a_waterfall_s_column_lets_water_go_on_to_its_other_sides() {
    expect(&[20, 50, -900], &[0, 9, 0], ".W.", "FW.", &[CreateFlowing]);
    expect(&[50, 50, -900], &[0, 9, 0], ".W.", "PW.", &[CreatePooling]);
}

#[test]
fn a_dry_boundary_leaves_and_the_last_one_destroys_its_region() {
    expect(&[0, 20, 30, WALL], &[9, 0, 0, 0], "PPP.", "PP..", &[Shrink]);
    expect(&[WALL, 5, WALL], &[0, 0, 0], ".P.", "...", &[Shrink, Destroy]);
}

#[test]
fn a_source_fills_a_box_and_a_sink_of_equal_rate_lets_it_sleep() {
    // The trivial case: flat ground between walls, 3 m³/s in and later out
    let mut bed = vec![0; 40];
    (bed[0], bed[39]) = (WALL, WALL);
    let mut row = Row::new(&bed);
    for _ in 0..400 {
        row.step(&[(10, 123)]);
    }
    assert_eq!(row.kinds(), format!(".{}.", "P".repeat(38)));
    assert_eq!((row.total(), row.manager.withheld()), (i128::from(row.poured), 0));
    for _ in 0..400 {
        row.step(&[(10, 123), (30, -123)]);
    }
    assert_eq!(row.kinds(), format!(".{}.", "p".repeat(38)));
    let counts = row.manager.counts();
    assert_eq!((counts.flow_updates, counts.volume_updates), (0, 0));
    assert_eq!(row.total(), 400 * 123, "nothing was lost while it fell asleep");
    // Without the sink its net flow is that of the source, so it wakes
    for _ in 0..CONSTANTS.samples {
        row.step(&[(10, 123)]);
    }
    assert!(row.kinds().contains('P') && row.manager.counts().volume_updates == 38);
}

/// A hill of steps with a cliff, a plateau above and a basin below.
fn cliff() -> Vec<i32> {
    let mut bed = vec![WALL];
    bed.extend([4000; 6]);
    bed.extend((0..8).map(|step| 3950 - 50 * step));
    bed.extend([1000; 20]);
    bed.push(WALL);
    bed
}

#[test]
fn water_runs_down_a_hill_leaps_and_is_caught_below() {
    let mut row = Row::new(&cliff());
    for _ in 0..600 {
        row.step(&[(3, 100)]);
    }
    // A pool around the source, a flowing region down to the lip, and the basin as one pool
    let kinds = row.kinds().to_uppercase();
    assert_eq!(kinds, format!(".{}{}W{}.", "P".repeat(6), "F".repeat(7), "P".repeat(20)));
    assert_eq!(row.manager.regions.of(25), row.manager.regions.of(33));
    let below: i32 = row.volume[15..35].iter().sum();
    assert!((40_000..=60_000).contains(&below), "of 60000 units poured {below} are below");
    assert_eq!(row.total(), i128::from(row.poured) + row.manager.withheld());
}

#[test]
fn a_drowned_waterfall_is_a_face_like_any_other() {
    let mut row = Row::new(&cliff());
    // Nothing is ever stable: with the thesis' threshold a basin that still sloshes falls asleep
    row.manager.constants.stable = 0.0;
    row.volume[15..35].fill(2800);
    let (bed, volume) = (row.bed.clone(), row.volume.clone());
    row.manager.cover(Water { bed: &bed, volume: &volume });
    row.volume[9] = 500;
    row.manager.pour(9, 1);
    for _ in 0..1500 {
        row.step(&[]);
    }
    // The lip at 3600 lies under the water of the basin, and both stand at one level
    let level = |column: usize| row.bed[column] + row.volume[column];
    assert!(level(20) > 3600 && (level(14) - level(20)).abs() < 8, "{} {}", level(14), level(20));
    assert_eq!(row.total(), 20 * 2800 + 500 + row.manager.withheld());
}

#[test]
fn a_stable_region_freezes_its_outflow_and_the_error_is_counted() {
    let mut row = Row::new(&cliff());
    let mut is_some_asleep = false;
    for _ in 0..3000 {
        row.step(&[(3, 100)]);
        is_some_asleep |= row.kinds().chars().any(char::is_lowercase);
        assert_eq!(row.total(), i128::from(row.poured) + row.manager.withheld());
        assert!(row.volume.iter().all(|volume| *volume >= 0));
    }
    assert!(is_some_asleep && row.manager.withheld() != 0, "{} {}", row.kinds(), row.manager.withheld());
}

/// Numbers that look random: a linear congruence.
fn noise(seed: u64) -> impl FnMut(i32) -> i32 {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % bound as u64) as i32
    }
}

#[test]
fn the_ledger_closes_to_the_unit_over_any_ground() {
    for seed in 0..12 {
        let mut random = noise(seed);
        let bed: Vec<i32> = (0..60).map(|_| random(if seed % 2 == 0 { 300 } else { 3000 })).collect();
        let mut row = Row::new(&bed);
        for step in 0..500 {
            let at = 5 + (seed as usize * 7) % 50;
            row.dt = 0.004 + 0.001 * f64::from(random(5));
            let sink = if step > 250 { -90 } else { 0 };
            row.step(&[(at, 80), ((at + 20) % 60, sink)]);
            assert_eq!(row.total(), i128::from(row.poured) + row.manager.withheld(), "{seed} {step}");
        }
        // Every column belongs to the region in whose list it stands
        for region in row.manager.regions.live() {
            let columns: Vec<usize> = row.manager.regions.columns(region).collect();
            assert_eq!(columns.len(), row.manager.regions.get(region).count as usize);
            assert!(columns.iter().all(|column| row.manager.regions.of(*column) == Some(region)));
        }
    }
}

#[test]
fn a_restored_manager_goes_on_with_the_same_bits() {
    let mut row = Row::new(&cliff());
    let step = |row: &mut Row, step: usize| row.step(&[(3, 100), (25, if step > 300 { -100 } else { 0 })]);
    (0..400).for_each(|index| step(&mut row, index));
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    row.manager.save(&mut writer).unwrap();
    row.stack.save(&mut writer).unwrap();
    let mut other = Row::new(&cliff());
    other.volume.clone_from(&row.volume);
    let mut reader = Reader::new(&bytes);
    other.manager.restore(&mut reader).unwrap();
    other.stack.restore(&mut reader).unwrap();
    for index in 400..900 {
        step(&mut row, index);
        step(&mut other, index);
        assert_eq!((&row.volume, row.kinds()), (&other.volume, other.kinds()), "{index}");
    }
    assert_eq!(row.manager.withheld(), other.manager.withheld());
}

#[test]
fn water_that_is_there_at_the_start_is_covered_by_pools() {
    let row = Row::with_water(&[WALL, 0, 0, 50, 0, WALL], &[0, 20, 20, 0, 9, 0]);
    assert_eq!(row.kinds(), ".PP.P.");
}
