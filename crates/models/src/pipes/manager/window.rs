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
    /// The volumes at the beginning of each window.
    volumes: Vec<i32>,
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
                let slot = self.slots[tile] as usize * self.tile_len;
                let volumes = &columns.volume[tile * self.tile_len..(tile + 1) * self.tile_len];
                self.volumes[slot..slot + self.tile_len].copy_from_slice(volumes);
            }
        }
        let (tiles, length) = (&self.tiles, self.tile_len);
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
                let is_outside = |(then, now): (&i32, &i32)| (now - then).abs() > band;
                *has_left = volumes.iter().zip(now).map(is_outside).fold(false, |any, one| any | one);
                if *has_left {
                    volumes.copy_from_slice(now);
                }
            },
        );
        for (slot, &tile) in self.tiles.iter().enumerate() {
            if tile != NONE && self.has_left[slot] {
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
            to.records("window", volumes.map(|volume| [*volume as u32]))?;
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
                Some(volume) => *volume = saved as i32,
                None => is_sound = false,
            })?;
            if !is_sound || volumes.next().is_some() {
                return Err(refused());
            }
        }
        Ok(())
    }
}
