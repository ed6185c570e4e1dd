//! Windows: since when every column of a tile has stayed within the calm band of the volume that it had.

use std::io;

use undine_grid::par;
use undine_sim::{Reader, Writer};

use super::super::columns::Columns;
use super::super::tiling::Tiling;
use super::super::visits::Visits;

/// A tile that has no window.
const NONE: u32 = u32::MAX;

/// How long a window has lasted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WindowState {
    pub steps: u64,
    pub seconds: f64,
}

/// The windows of the tiles that are awake. Only those have volumes to compare with.
#[derive(Debug, Clone, Default)]
pub(super) struct Windows {
    tile_len: usize,
    /// Step and time at which the window of each tile began.
    began: Vec<(u64, f64)>,
    slots: Vec<u32>,
    free: Vec<u32>,
    /// Which tile has each slot.
    tiles: Vec<u32>,
    /// The low 16 bits of the volumes at the beginning of each window: a change within the band is told by them, and one by
    /// a multiple of 2¹⁶ units in all columns by the total.
    volumes: Vec<u16>,
    /// The sum of the volumes at the beginning of each window.
    totals: Vec<i64>,
    /// Whether the tile of each slot has left the band.
    has_left: Vec<bool>,
}

impl Windows {
    pub fn new(tiling: &Tiling) -> Windows {
        Windows {
            tile_len: tiling.tile_len(),
            began: vec![(0, 0.0); tiling.count()],
            slots: vec![NONE; tiling.count()],
            ..Windows::default()
        }
    }

    /// Compares the columns of the awake tiles with the volumes of their windows, and begins anew where one has left the
    /// band.
    pub fn compare(&mut self, columns: &Columns, visits: &Visits, band: i32, step: u64, time: f64) {
        for tile in 0..self.slots.len() {
            if visits.is_awake(tile) && self.slots[tile] == NONE {
                self.open(tile);
                self.began[tile] = (step, time);
                let slot = self.slots[tile] as usize;
                let volumes = &columns.volume[tile * self.tile_len..(tile + 1) * self.tile_len];
                let kept = &mut self.volumes[slot * self.tile_len..(slot + 1) * self.tile_len];
                self.totals[slot] = keep(kept, volumes);
            }
        }
        let (tiles, totals, length) = (&self.tiles, &self.totals, self.tile_len);
        par::for_each_chunk_with(
            &mut self.volumes,
            length,
            &mut self.has_left,
            |first, volumes, has_left| {
                let tile = tiles[first / length];
                *has_left = false;
                if tile == NONE {
                    return;
                }
                let now = &columns.volume[tile as usize * length..(tile as usize + 1) * length];
                let is_outside = |(then, now): (&u16, &i32)| {
                    i32::from((*now as u16).wrapping_sub(*then) as i16).abs() > band
                };
                *has_left = volumes.iter().zip(now).map(is_outside).fold(false, |any, one| any | one);
                *has_left |= (total(now) - totals[first / length]).abs() > i64::from(band) * length as i64;
                if *has_left {
                    keep(volumes, now);
                }
            },
        );
        for (slot, &tile) in self.tiles.iter().enumerate() {
            if tile != NONE && self.has_left[slot] {
                let first = tile as usize * length;
                self.totals[slot] = total(&columns.volume[first..first + length]);
                self.began[tile as usize] = (step, time);
            }
        }
    }

    /// How long the window of an awake tile has lasted.
    pub fn state(&self, tile: usize, step: u64, time: f64) -> WindowState {
        let (began, at) = self.began[tile];
        WindowState { steps: step - began.min(step), seconds: time - at }
    }

    /// Gives up the window of a tile that falls asleep.
    pub fn close(&mut self, tile: usize) {
        let slot = std::mem::replace(&mut self.slots[tile], NONE);
        if slot != NONE {
            self.tiles[slot as usize] = NONE;
            self.free.push(slot);
        }
    }

    /// Gives a tile a slot.
    fn open(&mut self, tile: usize) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.tiles.push(NONE);
            self.has_left.push(false);
            self.totals.push(0);
            self.volumes.resize(self.tiles.len() * self.tile_len, 0);
            self.tiles.len() as u32 - 1
        });
        self.slots[tile] = slot;
        self.tiles[slot as usize] = tile as u32;
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let record = |tile: usize| {
            let (step, time) = self.began[tile];
            [u64::from(self.slots[tile] != NONE), step, time.to_bits()]
        };
        to.records("windows", (0..self.slots.len()).map(record))?;
        for &slot in self.slots.iter().filter(|slot| **slot != NONE) {
            let start = slot as usize * self.tile_len;
            let volumes = self.volumes[start..start + self.tile_len].iter();
            to.records("window", volumes.map(|volume| [u32::from(*volume)]))?;
            to.integer("window total", self.totals[slot as usize] as u64)?;
        }
        Ok(())
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        (0..self.slots.len()).for_each(|tile| self.close(tile));
        let mut open = Vec::new();
        let mut tile = 0;
        from.records("windows", |[is_open, step, time]: [u64; 3]| {
            if let Some(began) = self.began.get_mut(tile) {
                *began = (step, f64::from_bits(time));
                if is_open != 0 {
                    open.push(tile);
                }
            }
            tile += 1;
        })?;
        let refused = || io::Error::new(io::ErrorKind::InvalidData, "the saved windows are of other tiles");
        if tile != self.slots.len() {
            return Err(refused());
        }
        for tile in open {
            self.open(tile);
            let start = self.slots[tile] as usize * self.tile_len;
            let mut volumes = self.volumes[start..start + self.tile_len].iter_mut();
            let mut is_sound = true;
            from.records("window", |[saved]: [u32; 1]| match volumes.next() {
                Some(volume) => *volume = saved as u16,
                None => is_sound = false,
            })?;
            if !is_sound || volumes.next().is_some() {
                return Err(refused());
            }
            self.totals[self.slots[tile] as usize] = from.integer("window total")? as i64;
        }
        Ok(())
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        use std::mem::size_of_val;
        size_of_val(&*self.began)
            + 4 * (self.slots.capacity() + self.free.capacity() + self.tiles.capacity())
            + 2 * self.volumes.capacity()
            + 8 * self.totals.capacity()
            + self.has_left.capacity()
    }
}

/// Keeps the low bits of volumes; answers their sum.
fn keep(kept: &mut [u16], volumes: &[i32]) -> i64 {
    kept.iter_mut().zip(volumes).for_each(|(kept, volume)| *kept = *volume as u16);
    total(volumes)
}

fn total(volumes: &[i32]) -> i64 {
    volumes.iter().map(|volume| i64::from(*volume)).sum()
}

#[cfg(test)]
mod tests {
    use undine_grid::{Condition, Field, Grid, Location};

    use super::super::super::units::Units;
    use super::*;

    #[test]
    fn a_window_ends_with_a_change_beyond_the_band_also_by_multiples_of_the_low_bits() {
        let grid = Grid::new([32, 32], [1.0; 2], [0.0; 2]).unwrap();
        let bed = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let units = Units::for_relief(0.0, 10.0).unwrap();
        let mut columns = Columns::new(&bed, &bed, &units);
        let visits = Visits::all(&columns.tiling);
        let mut windows = Windows::new(&columns.tiling);
        let mut last = 0;
        for (step, (from, to, ends)) in [
            (0, 64, false),
            (64, 65, true),
            (65, 1, false),
            (1, 65_537, true),
            (65_537, 65_536 * 3 + 1, true),
            (65_536 * 3 + 1, 65_536 * 3 - 63, false),
        ]
        .into_iter()
        .enumerate()
        {
            columns.volume.fill(from);
            if step == 0 || last != from {
                windows.compare(&columns, &visits, 64, 2 * step as u64, 0.0);
            }
            columns.volume.fill(to);
            windows.compare(&columns, &visits, 64, 2 * step as u64 + 1, 0.0);
            let began = windows.began[0].0;
            assert_eq!(began == 2 * step as u64 + 1, ends, "{from} to {to}");
            last = to;
        }
        // One column alone
        columns.volume[77] += 64 + 65;
        windows.compare(&columns, &visits, 64, 99, 0.0);
        assert_eq!(windows.began[0].0, 99);
    }
}
