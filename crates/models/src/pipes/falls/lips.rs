//! Lips: the faces whose ground falls by at least the sharp drop, over which water may fall.

use super::super::columns::Columns;
use super::super::pipe_set::PipeSet;
use super::super::tiling::Tiling;

/// A face with a sharp drop of the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lip {
    /// The stored column above, and the one below.
    pub donor: u32,
    pub receiver: u32,
    /// Where the flow of its pipe is stored.
    pub flow: u32,
    pub way: Way,
}

/// A direction of fall: twice the number of the pipe set, and one more if it is that in which flow is positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way(pub u8);

impl Way {
    fn new(set: usize, is_forward: bool) -> Way {
        Way(2 * set as u8 + u8::from(is_forward))
    }

    /// The number of the pipe set.
    pub fn set(self) -> usize {
        usize::from(self.0 / 2)
    }

    /// 1 where the flow of the pipe is positive, else −1.
    pub fn sign(self) -> f64 {
        if self.0 % 2 == 1 { 1.0 } else { -1.0 }
    }

    /// The offset from a column to the next one along the fall.
    pub fn offset(self, sets: &[PipeSet]) -> [isize; 2] {
        let direction = &sets[self.set()].direction;
        if self.0 % 2 == 1 { direction.opposite() } else { direction.offset }
    }

    /// Unit vector along the fall.
    pub fn along(self, sets: &[PipeSet]) -> [f64; 2] {
        sets[self.set()].direction.along.map(|part| self.sign() * part)
    }
}

/// The lips of a bed, in the order of the tiles of their upper columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Lips {
    /// Tile i has the lips `first[i]..first[i + 1]`.
    first: Vec<u32>,
    lips: Vec<Lip>,
}

impl Lips {
    /// Finds the faces whose ground falls by at least `sharp_drop` units.
    pub fn find(columns: &Columns, sets: &[PipeSet], sharp_drop: i32) -> Lips {
        let tiling = &columns.tiling;
        let mut lips = Lips { first: vec![0], lips: Vec::new() };
        for tile in 0..tiling.count() {
            let [along_x, along_y] = tiling.extent(tile);
            for cell in along_y.flat_map(|y| along_x.clone().map(move |x| [x, y])) {
                let donor = tiling.index(cell);
                for way in (0..2 * sets.len()).map(|way| Way::new(way / 2, way % 2 == 1)) {
                    let lip = lip(tiling, sets, donor, way);
                    let is_sharp = |lip: &Lip| {
                        columns.bed[donor].saturating_sub(columns.bed[lip.receiver as usize])
                            >= sharp_drop.max(1)
                    };
                    lips.lips.extend(lip.filter(is_sharp));
                }
            }
            lips.first.push(lips.lips.len() as u32);
        }
        lips
    }

    /// The lips whose upper columns are in a tile.
    pub fn of_tile(&self, tile: usize) -> &[Lip] {
        match (self.first.get(tile), self.first.get(tile + 1)) {
            (Some(&from), Some(&to)) => &self.lips[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// The face of a stored column in a direction, whatever its ground; `None` at the rim.
pub(super) fn lip(tiling: &Tiling, sets: &[PipeSet], donor: usize, way: Way) -> Option<Lip> {
    let receiver = tiling.index(tiling.beside(tiling.cell_of(donor), way.offset(sets))?);
    // A pipe belongs to the column into which its flow is positive
    let owner = if way.sign() > 0.0 { receiver } else { donor };
    let flow = PipeSet::flow_index(tiling, owner) as u32;
    Some(Lip { donor: donor as u32, receiver: receiver as u32, flow, way })
}
