//! A waterfall: the water in the air between one lip and the columns where it lands, in whole units.
//!
//! What leaves the lip during a step is a parcel that arrives after the time of fall T, evenly over as long as it took to
//! leave. Parcels that follow each other closely are one: a fall has at most eight, so what arrives varies with what left
//! to an eighth of T.

use super::lips::Way;

/// The most parcels of a fall.
pub(super) const PARCELS: usize = 8;

/// Time in seconds over which the flow of a fall is averaged.
const MEAN_TIME: f64 = 2.0;

/// Water that left a lip together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Parcel {
    /// When the first of it arrives, and since when the rest does; when the last of it does.
    pub begin: f64,
    pub from: f64,
    pub to: f64,
    pub units: i64,
}

impl Parcel {
    /// Takes out what has arrived at a time.
    fn take_due(&mut self, time: f64) -> i64 {
        if time <= self.from && time < self.to {
            return 0;
        }
        let due = if time >= self.to {
            self.units
        } else {
            (self.units as f64 * ((time - self.from) / (self.to - self.from))) as i64
        };
        self.units -= due;
        self.from = self.from.max(time);
        due
    }
}

/// Where the water of a lip goes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Trajectory {
    /// The columns on which it lands, counted from the lip's own; those after the `inside` next ones are beyond the border.
    pub landing: [u32; 2],
    pub inside: u32,
    /// Time of fall in seconds.
    pub seconds: f64,
    /// Speed at the lip, away from it and upwards, and downwards where it lands, in m/s.
    pub speed: f64,
    pub rise: f64,
    pub impact: f64,
    /// Level of the water at the lip in metres.
    pub height: f64,
}

/// The water that falls over one lip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fall {
    /// The stored column above, and the direction.
    pub donor: u32,
    pub way: Way,
    pub path: Trajectory,
    /// Steps since the path was traced.
    pub age: u32,
    /// Mean flow in units per second, with which it goes on while both columns of the lip sleep.
    pub flow: f64,
    /// What rounding that flow has left over.
    pub remainder: f64,
    /// When water last left the lip.
    pub last: f64,
    /// Units that wait until there are enough of them for a drop.
    pub pending: i64,
    /// Drops that have been given off, which numbers them.
    pub emitted: u64,
    pub parcels: [Parcel; PARCELS],
    pub count: usize,
}

impl Fall {
    /// A fall that begins, with this flow in units per second.
    pub fn new(donor: u32, way: Way, flow: f64) -> Fall {
        Fall {
            donor,
            way,
            path: Trajectory::default(),
            age: u32::MAX,
            flow,
            remainder: 0.0,
            last: 0.0,
            pending: 0,
            emitted: 0,
            parcels: [Parcel::default(); PARCELS],
            count: 0,
        }
    }

    /// Units in the air and at the lip.
    pub fn held(&self) -> i64 {
        self.pending + self.parcels().iter().map(|parcel| parcel.units).sum::<i64>()
    }

    pub fn parcels(&self) -> &[Parcel] {
        &self.parcels[..self.count]
    }

    /// Units that leave the lip evenly during the step that ends at `time`.
    pub fn throw(&mut self, units: i64, time: f64, dt: f64) {
        let (from, to) = (time - dt + self.path.seconds, time + self.path.seconds);
        if let Some(newest) = self.parcels[..self.count].last_mut() {
            let is_short = to - newest.begin <= self.path.seconds / (PARCELS - 2) as f64;
            let follows = from <= newest.to + 1e-9 * self.path.seconds;
            if is_short && follows || self.count == PARCELS {
                newest.to = newest.to.max(to);
                newest.units += units;
                return;
            }
        }
        self.parcels[self.count] = Parcel { begin: from, from, to, units };
        self.count += 1;
    }

    /// Takes out of the air what has arrived at a time.
    pub fn take_due(&mut self, time: f64) -> i64 {
        let due = self.parcels[..self.count].iter_mut().map(|parcel| parcel.take_due(time)).sum();
        let mut kept = 0;
        for index in 0..self.count {
            if self.parcels[index].units > 0 {
                self.parcels[kept] = self.parcels[index];
                kept += 1;
            }
        }
        self.count = kept;
        due
    }

    /// Keeps units for which there was no room where they landed.
    pub fn put_back(&mut self, units: i64, time: f64) {
        match self.parcels[..self.count].first_mut() {
            _ if units == 0 => {}
            Some(parcel) => parcel.units += units,
            None => {
                self.parcels[0] = Parcel { begin: time, from: time, to: time, units };
                self.count = 1;
            }
        }
    }

    /// Averages the flow: `units` have left the lip in a step.
    pub fn average(&mut self, units: i64, dt: f64) {
        self.flow += (units as f64 / dt - self.flow) * (dt / (dt + MEAN_TIME));
    }

    /// Whether nothing is in the air, and nothing has left the lip for a while.
    pub fn is_over(&self, time: f64) -> bool {
        self.count == 0 && self.pending == 0 && time - self.last > MEAN_TIME
    }

    /// Everything as whole numbers, for a checkpoint.
    pub fn record(self) -> [u64; RECORD] {
        let Trajectory { landing, inside, seconds, speed, rise, impact, height } = self.path;
        let mut record = [0; RECORD];
        record[..17].copy_from_slice(&[
            u64::from(self.donor),
            u64::from(self.way.0),
            u64::from(landing[0]),
            u64::from(landing[1]),
            u64::from(inside),
            seconds.to_bits(),
            speed.to_bits(),
            rise.to_bits(),
            impact.to_bits(),
            height.to_bits(),
            u64::from(self.age),
            self.flow.to_bits(),
            self.remainder.to_bits(),
            self.last.to_bits(),
            self.pending as u64,
            self.emitted,
            self.count as u64,
        ]);
        for (values, parcel) in record[17..].chunks_exact_mut(4).zip(&self.parcels) {
            let Parcel { begin, from, to, units } = *parcel;
            values.copy_from_slice(&[begin.to_bits(), from.to_bits(), to.to_bits(), units as u64]);
        }
        record
    }

    /// The fall of a record; `None` if it is none.
    pub fn from_record(record: [u64; RECORD]) -> Option<Fall> {
        let number = |index: usize| f64::from_bits(record[index]);
        let small = |index: usize| u32::try_from(record[index]).ok();
        let mut fall = Fall {
            path: Trajectory {
                landing: [small(2)?, small(3)?],
                inside: small(4)?,
                seconds: number(5),
                speed: number(6),
                rise: number(7),
                impact: number(8),
                height: number(9),
            },
            age: small(10)?,
            remainder: number(12),
            last: number(13),
            pending: record[14] as i64,
            emitted: record[15],
            count: record[16] as usize,
            ..Fall::new(small(0)?, Way(u8::try_from(record[1]).ok()?), number(11))
        };
        for (values, parcel) in record[17..].chunks_exact(4).zip(&mut fall.parcels) {
            let [begin, from, to] = [0, 1, 2].map(|index| f64::from_bits(values[index]));
            *parcel = Parcel { begin, from, to, units: values[3] as i64 };
        }
        let [least, most] = fall.path.landing;
        let is_sound = fall.count <= PARCELS
            && (1..=most).contains(&least)
            && most <= fall.path.inside.saturating_add(1)
            && fall.path.seconds.is_finite()
            && fall.pending >= 0
            && fall.parcels().iter().all(|parcel| {
                parcel.units >= 0 && [parcel.begin, parcel.from, parcel.to].into_iter().all(f64::is_finite)
            });
        is_sound.then_some(fall)
    }
}

/// Numbers of a record.
pub(super) const RECORD: usize = 17 + 4 * PARCELS;

#[cfg(test)]
mod tests {
    use super::*;

    fn fall(seconds: f64) -> Fall {
        let mut fall = Fall::new(3, Way(1), 0.0);
        fall.path = Trajectory { landing: [1, 2], inside: 9, seconds, ..Trajectory::default() };
        fall
    }

    #[test]
    fn what_leaves_arrives_after_the_time_of_fall_to_the_unit() {
        // A flow that grows, in steps that do not divide the time of fall
        let (mut fall, dt) = (fall(0.731), 0.02);
        let (mut left, mut arrived, mut history) = (0_i64, 0_i64, Vec::new());
        for step in 1..400_i64 {
            let time = step as f64 * dt;
            arrived += fall.take_due(time);
            fall.throw(1000 + 7 * step, time, dt);
            left += 1000 + 7 * step;
            history.push(left);
            assert_eq!(left, arrived + fall.held());
            let then = ((time - 0.731) / dt).floor();
            if then > 40.0 {
                // Within an eighth of the time of fall
                let expected = history[then as usize - 1] as f64;
                assert!((arrived as f64 - expected).abs() < 0.06 * expected, "{arrived} {expected}");
            }
        }
        assert!(fall.count <= PARCELS);
        assert_eq!(fall.take_due(1e9), left - arrived);
        assert_eq!(fall.held(), 0);
    }

    #[test]
    fn a_record_comes_back_and_nonsense_is_refused() {
        let mut fall = fall(0.5);
        fall.throw(77, 1.0, 0.1);
        fall.throw(78, 2.0, 0.1);
        fall.put_back(3, 2.0);
        assert_eq!(Fall::from_record(fall.record()), Some(fall));
        for (index, value) in [(1, 300), (2, 9), (5, f64::NAN.to_bits()), (16, 99), (20, u64::MAX)] {
            let mut record = fall.record();
            record[index] = value;
            assert_eq!(Fall::from_record(record), None, "{index}");
        }
    }
}
