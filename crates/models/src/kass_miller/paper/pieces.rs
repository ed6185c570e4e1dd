//! Connected pieces of fluid, and their volumes.
//!
//! A piece is a set of samples between which water could pass in this step, found by joining neighbours in a forest.
//! It is the same set before and after the step, so its old and its new volume can be compared even when it splits or
//! meets dry ground. The difference is spread evenly over its wet samples. A sample that would sink below its ground
//! gives what it has, and the rest is spread again.

/// The most rounds of spreading. Each but the last dries a sample, so few are ever needed.
const ROUNDS: usize = 100;

/// A forest over the samples, and sums for every tree.
pub struct Pieces {
    parent: Vec<u32>,
    /// Volume that a piece lacks, in metres of depth.
    lack: Vec<f64>,
    wet: Vec<u32>,
}

impl Pieces {
    pub fn new(count: usize) -> Pieces {
        Pieces { parent: vec![0; count], lack: vec![0.0; count], wet: vec![0; count] }
    }

    /// Every sample by itself.
    pub fn separate(&mut self) {
        self.parent.iter_mut().enumerate().for_each(|(index, parent)| *parent = index as u32);
    }

    /// Makes two samples parts of one piece. The lower number becomes the root, whatever the order of joining.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// The sample that stands for the piece.
    pub fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] as usize != index {
            let above = self.parent[index] as usize;
            self.parent[index] = self.parent[above];
            index = above;
        }
        index
    }

    /// Gives every piece of `next` the volume it had in `level`; what lies below the bed holds nothing.
    pub fn restore(&mut self, bed: &[f64], level: &[f64], next: &mut [f64]) {
        self.clear();
        for index in 0..bed.len() {
            let root = self.root(index);
            next[index] = next[index].max(bed[index]);
            self.lack[root] += (level[index] - bed[index]).max(0.0) - (next[index] - bed[index]);
            self.wet[root] += u32::from(next[index] > bed[index]);
        }
        for _ in 0..ROUNDS {
            if !self.spread(bed, level, next) {
                break;
            }
        }
    }

    /// One round of spreading; true when something is left to spread.
    fn spread(&mut self, bed: &[f64], level: &[f64], next: &mut [f64]) -> bool {
        let mut is_left = false;
        for index in 0..bed.len() {
            let root = self.root(index);
            if self.lack[root] == 0.0 {
                continue;
            }
            if self.wet[root] == 0 {
                // Nothing of the piece is left above the ground: it stays where it was.
                next[index] = level[index];
            } else if next[index] > bed[index] {
                next[index] += self.lack[root] / f64::from(self.wet[root]);
                is_left |= next[index] <= bed[index];
            }
        }
        if is_left {
            self.collect_debts(bed, next);
        }
        is_left
    }

    /// A sample below its ground has given more than it had; the others of its piece make up for it.
    fn collect_debts(&mut self, bed: &[f64], next: &mut [f64]) {
        self.clear();
        for index in 0..bed.len() {
            let root = self.root(index);
            if next[index] < bed[index] {
                self.lack[root] += next[index] - bed[index];
                next[index] = bed[index];
            }
            self.wet[root] += u32::from(next[index] > bed[index]);
        }
    }

    fn clear(&mut self) {
        self.lack.fill(0.0);
        self.wet.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_gets_its_own_volume_back_and_none_sinks_below_its_ground() {
        // Two pools with a dry sample between them, and a step that drew the first one down and raised the second.
        let bed = [0.0, 0.9, 0.0, 2.0, 0.0, 0.0];
        let level = [1.0, 1.0, 1.0, 2.0, 1.0, 1.0];
        let mut next = [1.2, 0.8, 1.2, 1.9, 1.5, 1.5];
        let mut pieces = Pieces::new(6);
        pieces.separate();
        [(0, 1), (1, 2), (4, 5)].iter().for_each(|&(a, b)| pieces.join(a, b));
        pieces.restore(&bed, &level, &mut next);
        let volume = |range: std::ops::Range<usize>| range.map(|at| next[at] - bed[at]).sum::<f64>();
        assert!((volume(0..3) - 2.1).abs() < 1e-15 && (volume(4..6) - 2.0).abs() < 1e-15);
        assert!(next.iter().zip(&bed).all(|(next, bed)| next >= bed));
    }

    #[test]
    fn a_sample_that_cannot_give_more_leaves_the_rest_to_others() {
        let (bed, level) = ([0.0, 0.0], [1.0, 0.0]);
        let mut next = [1.4, 0.01];
        let mut pieces = Pieces::new(2);
        pieces.separate();
        pieces.join(0, 1);
        pieces.restore(&bed, &level, &mut next);
        assert_eq!(next[1], 0.0);
        assert!((next[0] - 1.0).abs() < 1e-15);
    }
}
