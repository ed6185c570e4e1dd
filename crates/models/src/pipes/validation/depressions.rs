//! Fill–spill–merge [barnes2021]: where limited volumes of water come to rest on a terrain, without computing how they flow.
//!
//! The terrain is a tree of depressions. A *leaf* is what drains to one pit. Cells are added in the order of their level;
//! the cell at which two depressions meet is the outlet of both, and they become the children of a greater one. Water
//! poured on a cell goes to its leaf. A depression that is full overflows at its outlet into the leaf on the other side;
//! when that side is full to the same outlet, both merge into their parent. What reaches an open cell leaves.
//!
//! Exact where every depression overflows in one place; where an outlet has several ways down, all water takes the steepest.

use std::collections::VecDeque;

/// The label of cells that drain out of the terrain.
const OUTSIDE: usize = usize::MAX;

/// A cell that was not reached yet.
const UNSEEN: usize = usize::MAX - 1;

/// A depression: a pit with what drains to it, or two depressions that merge at their outlet.
#[derive(Debug)]
struct Depression {
    /// Level of its outlet; `None` where it has no outlet.
    spill: Option<i64>,
    /// The label of the cell that its overflow runs to.
    overflows_to: usize,
    parent: Option<usize>,
    /// The other child of its parent.
    sibling: usize,
    /// The cells below its outlet, and above those of its children.
    cells: Vec<usize>,
    children: Option<[usize; 2]>,
    /// Units that fit below the outlet.
    capacity: i64,
    held: i64,
    /// Whether its children are full, so that it is one lake.
    is_one: bool,
}

/// A lake at rest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lake {
    /// Its level, in the units of the bed.
    pub level: f64,
    /// The cells that it covers.
    pub cells: Vec<usize>,
    /// Whether it stands at its outlet.
    pub is_full: bool,
    /// Number of pits that it covers.
    pub pits: usize,
}

/// The depressions of a terrain, and the water in them.
#[derive(Debug)]
pub(super) struct Depressions<'b> {
    bed: &'b [i64],
    /// The leaf that each cell drains to.
    labels: Vec<usize>,
    all: Vec<Depression>,
    /// Units that have left over open cells.
    pub left: i64,
}

impl<'b> Depressions<'b> {
    /// Finds the depressions. `neighbours` lists those of a cell; water leaves over cells that are `open`.
    pub fn new(
        bed: &'b [i64],
        neighbours: impl Fn(usize) -> Vec<usize>,
        open: impl Fn(usize) -> bool,
    ) -> Self {
        let mut tree = Depressions { bed, labels: vec![UNSEEN; bed.len()], all: Vec::new(), left: 0 };
        let mut order: Vec<usize> = (0..bed.len()).collect();
        order.sort_by_key(|&cell| (bed[cell], cell));
        for cell in order {
            // What the cell touches: the lowest first, as water runs down the steepest way
            let mut beside: Vec<(i64, usize)> = neighbours(cell)
                .into_iter()
                .filter(|&other| tree.labels[other] != UNSEEN)
                .map(|other| (bed[other], tree.labels[other]))
                .collect();
            beside.sort_unstable();
            let mut labels: Vec<usize> = beside.into_iter().map(|(_, label)| label).collect();
            if open(cell) {
                labels.insert(0, OUTSIDE);
            }
            let own = labels.first().copied().unwrap_or_else(|| tree.add(None));
            tree.labels[cell] = own;
            for &label in labels.iter().skip(1) {
                tree.merge(own, label, bed[cell]);
            }
            if let Some(root) = tree.root(own) {
                tree.all[root].cells.push(cell);
            }
        }
        tree.measure();
        tree
    }

    fn add(&mut self, children: Option<[usize; 2]>) -> usize {
        self.all.push(Depression {
            spill: None,
            overflows_to: OUTSIDE,
            parent: None,
            sibling: OUTSIDE,
            cells: Vec::new(),
            children,
            capacity: i64::MAX,
            held: 0,
            is_one: children.is_none(),
        });
        self.all.len() - 1
    }

    /// The greatest depression so far that a leaf is in; `None` where it drains to the outside.
    fn root(&self, label: usize) -> Option<usize> {
        let mut depression = (label != OUTSIDE).then_some(label)?;
        while let Some(parent) = self.all[depression].parent {
            depression = parent;
        }
        self.all[depression].spill.is_none().then_some(depression)
    }

    /// Notes that the depressions of two leaves meet at a level.
    fn merge(&mut self, one: usize, other: usize, spill: i64) {
        let roots = [self.root(one), self.root(other)];
        match roots {
            [Some(a), Some(b)] if a != b => {
                let parent = self.add(Some([a, b]));
                for (child, sibling, overflows_to) in [(a, b, other), (b, a, one)] {
                    let child = &mut self.all[child];
                    (child.spill, child.parent, child.sibling) = (Some(spill), Some(parent), sibling);
                    child.overflows_to = overflows_to;
                }
            }
            [Some(a), None] => (self.all[a].spill, self.all[a].overflows_to) = (Some(spill), other),
            [None, Some(b)] => (self.all[b].spill, self.all[b].overflows_to) = (Some(spill), one),
            _ => {}
        }
    }

    /// Takes the capacities below the outlets.
    fn measure(&mut self) {
        for depression in 0..self.all.len() {
            if let Some(spill) = self.all[depression].spill {
                let room = self.cells_of(depression).map(|cell| (spill - self.bed[cell]).max(0));
                self.all[depression].capacity = room.sum();
            }
        }
    }

    /// The cells of a depression and of all in it.
    fn cells_of(&self, depression: usize) -> impl Iterator<Item = usize> + '_ {
        self.members(depression).into_iter().flat_map(|member| self.all[member].cells.iter().copied())
    }

    /// A depression with all in it.
    fn members(&self, depression: usize) -> Vec<usize> {
        let (mut members, mut open) = (Vec::new(), VecDeque::from([depression]));
        while let Some(member) = open.pop_front() {
            members.push(member);
            open.extend(self.all[member].children.into_iter().flatten());
        }
        members
    }

    /// Pours units on a cell.
    pub fn pour(&mut self, cell: usize, mut units: i64) {
        let mut label = self.labels[cell];
        while units > 0 {
            if label == OUTSIDE {
                self.left += units;
                return;
            }
            let lake = self.lake_over(label);
            let taken = units.min(self.all[lake].capacity - self.all[lake].held);
            self.all[lake].held += taken;
            units -= taken;
            if units > 0 {
                label = self.spill(lake, label);
            }
        }
    }

    /// The greatest depression over a leaf that is one lake.
    fn lake_over(&self, label: usize) -> usize {
        let mut lake = label;
        while let Some(parent) = self.all[lake].parent.filter(|&parent| self.all[parent].is_one) {
            lake = parent;
        }
        lake
    }

    /// Where the overflow of a full lake goes. Merges it with its sibling where that is full as well.
    fn spill(&mut self, lake: usize, label: usize) -> usize {
        let (to, sibling) = (self.all[lake].overflows_to, self.all[lake].sibling);
        if let Some(parent) = self.all[lake].parent
            && self.lake_over(to) == sibling
            && self.all[sibling].held == self.all[sibling].capacity
        {
            self.all[parent].held = self.all[lake].held + self.all[sibling].held;
            self.all[parent].is_one = true;
            return label;
        }
        to
    }

    /// The lakes that stand now.
    pub fn lakes(&self) -> Vec<Lake> {
        let is_lake = |&index: &usize| {
            let depression = &self.all[index];
            let is_part = depression.parent.is_some_and(|parent| self.all[parent].is_one);
            depression.is_one && !is_part && depression.held > 0
        };
        (0..self.all.len()).filter(is_lake).map(|index| self.lake(index)).collect()
    }

    /// A depression as a lake: the level L at which Σ max(L − b, 0) is what it holds.
    fn lake(&self, index: usize) -> Lake {
        let mut cells: Vec<usize> = self.cells_of(index).collect();
        cells.sort_by_key(|&cell| self.bed[cell]);
        let (mut below, mut level, mut covered) = (0, 0.0, 0);
        for (count, &cell) in cells.iter().enumerate() {
            if count > 0 && self.bed[cell] as f64 >= level {
                break;
            }
            below += self.bed[cell];
            covered = count + 1;
            level = (self.all[index].held + below) as f64 / covered as f64;
        }
        cells.truncate(covered);
        let is_full = self.all[index].held == self.all[index].capacity;
        let pits = self.members(index).iter().filter(|&&member| self.all[member].children.is_none()).count();
        Lake { level, cells, is_full, pits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of cells, open at its last one.
    fn row(bed: &[i64]) -> Depressions<'_> {
        let last = bed.len() - 1;
        let neighbours = move |cell: usize| {
            [cell.checked_sub(1), (cell < last).then_some(cell + 1)].into_iter().flatten().collect()
        };
        Depressions::new(bed, neighbours, move |cell| cell == last)
    }

    fn levels(tree: &Depressions<'_>) -> Vec<(f64, bool, usize)> {
        let mut lakes = tree.lakes();
        lakes.sort_by_key(|lake| lake.cells.iter().min().copied());
        lakes.iter().map(|lake| (lake.level, lake.is_full, lake.pits)).collect()
    }

    #[test]
    fn water_fills_spills_merges_and_leaves() {
        // Pits at 0, 2 and 1, outlets at 6, 4 and 5; all of them drain over the last cell
        let bed = [9, 0, 6, 2, 4, 1, 5, 0];
        let mut tree = row(&bed);
        tree.pour(1, 5);
        assert_eq!(levels(&tree), [(5.0, false, 1)]);
        // The first overflows into the second, and that into the third
        tree.pour(1, 1 + 2 + 2);
        assert_eq!(levels(&tree), [(6.0, true, 1), (4.0, true, 1), (3.0, false, 1)]);
        // The second and third merge at 4, and leave above 5
        tree.pour(3, 1 + 1);
        assert_eq!(levels(&tree), [(6.0, true, 1), (4.0 + 1.0 / 3.0, false, 2)]);
        assert_eq!(tree.left, 0);
        tree.pour(1, 9);
        assert_eq!(levels(&tree), [(6.0, true, 1), (5.0, true, 2)]);
        assert_eq!(tree.left, 7);
    }

    #[test]
    fn a_closed_basin_takes_everything() {
        let bed = [3, 0, 2, 1, 4];
        let beside = |cell: usize| (0..bed.len()).filter(|other| other.abs_diff(cell) == 1).collect();
        let mut tree = Depressions::new(&bed, beside, |_| false);
        tree.pour(3, 10);
        assert_eq!(tree.left, 0);
        assert_eq!(levels(&tree), [(4.0, false, 2)]);
    }

    #[test]
    fn much_water_stands_at_the_levels_of_the_priority_flood() {
        for seed in 1..40_u64 {
            let size = 12;
            let mut state = seed;
            let bed: Vec<i64> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 59) as i64
            })
            .take(size * size)
            .collect();
            let beside = |cell: usize| -> Vec<usize> {
                let (x, y) = (cell % size, cell / size);
                let [west, east] = [x.checked_sub(1), Some(x + 1).filter(|x| *x < size)];
                let [south, north] = [y.checked_sub(1), Some(y + 1).filter(|y| *y < size)];
                let along_x = [west, east].into_iter().flatten().map(|x| y * size + x);
                along_x.chain([south, north].into_iter().flatten().map(|y| y * size + x)).collect()
            };
            let is_open = |cell: usize| beside(cell).len() < 4;
            let mut tree = Depressions::new(&bed, beside, is_open);
            (0..bed.len()).for_each(|cell| tree.pour(cell, 1000));
            let mut surface = bed.clone();
            for lake in tree.lakes() {
                lake.cells
                    .iter()
                    .for_each(|&cell| surface[cell] = surface[cell].max(lake.level.round() as i64));
            }
            assert_eq!(surface, flooded(&bed, beside, is_open), "seed {seed}");
            let held: i64 = surface.iter().zip(&bed).map(|(level, bed)| level - bed).sum();
            assert_eq!(held + tree.left, 1000 * bed.len() as i64);
        }
    }

    /// Spill levels by relaxation: max(b, the lowest of the neighbours), until nothing changes.
    fn flooded(
        bed: &[i64],
        beside: impl Fn(usize) -> Vec<usize>,
        is_open: impl Fn(usize) -> bool,
    ) -> Vec<i64> {
        let mut levels: Vec<i64> =
            (0..bed.len()).map(|cell| if is_open(cell) { bed[cell] } else { i64::MAX }).collect();
        loop {
            let before = levels.clone();
            for cell in (0..bed.len()).filter(|&cell| !is_open(cell)) {
                let lowest = beside(cell).into_iter().map(|other| levels[other]).min().unwrap_or(i64::MAX);
                levels[cell] = bed[cell].max(lowest);
            }
            if levels == before {
                return levels;
            }
        }
    }
}
