//! Connected components of fluid, and the restoration of their volumes.
//!
//! A component is a set of samples connected by open faces, found by union–find. It is the same set before and after the
//! step, so its volume can be compared even when it splits or meets dry ground. The difference is distributed evenly over
//! its wet samples. A sample that would fall below its bed gives what it has, and the rest is distributed again.

/// The most rounds of distribution. Each but the last dries a sample, so few are needed.
const ROUNDS: usize = 100;

/// A union–find forest over the samples, with sums for every tree.
pub struct FluidComponents {
    parent: Vec<u32>,
    /// Missing volume of a component, in metres of depth.
    deficit: Vec<f64>,
    wet: Vec<u32>,
}

impl FluidComponents {
    pub fn new(count: usize) -> FluidComponents {
        FluidComponents { parent: vec![0; count], deficit: vec![0.0; count], wet: vec![0; count] }
    }

    /// Every sample is a component of its own.
    pub fn reset(&mut self) {
        self.parent.iter_mut().enumerate().for_each(|(index, parent)| *parent = index as u32);
    }

    /// Merges two components. The lower index becomes the root, whatever the order.
    pub fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// The root of a sample's component, with path halving.
    pub fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] as usize != index {
            let above = self.parent[index] as usize;
            self.parent[index] = self.parent[above];
            index = above;
        }
        index
    }

    /// Gives every component of `next` the volume it had in `level`; samples below the bed hold none.
    pub fn restore(&mut self, bed: &[f64], level: &[f64], next: &mut [f64]) {
        self.clear();
        for index in 0..bed.len() {
            let root = self.root(index);
            next[index] = next[index].max(bed[index]);
            self.deficit[root] += (level[index] - bed[index]).max(0.0) - (next[index] - bed[index]);
            self.wet[root] += u32::from(next[index] > bed[index]);
        }
        for _ in 0..ROUNDS {
            if !self.distribute(bed, level, next) {
                break;
            }
        }
    }

    /// One round of distribution; true when something is left.
    fn distribute(&mut self, bed: &[f64], level: &[f64], next: &mut [f64]) -> bool {
        let mut is_left = false;
        for index in 0..bed.len() {
            let root = self.root(index);
            if self.deficit[root] == 0.0 {
                continue;
            }
            if self.wet[root] == 0 {
                // The component has no wet sample left: keep the old levels
                next[index] = level[index];
            } else if next[index] > bed[index] {
                next[index] += self.deficit[root] / f64::from(self.wet[root]);
                is_left |= next[index] <= bed[index];
            }
        }
        if is_left {
            self.collect_deficits(bed, next);
        }
        is_left
    }

    /// Sums what samples below their bed lack, and sets them to the bed.
    fn collect_deficits(&mut self, bed: &[f64], next: &mut [f64]) {
        self.clear();
        for index in 0..bed.len() {
            let root = self.root(index);
            if next[index] < bed[index] {
                self.deficit[root] += next[index] - bed[index];
                next[index] = bed[index];
            }
            self.wet[root] += u32::from(next[index] > bed[index]);
        }
    }

    fn clear(&mut self) {
        self.deficit.fill(0.0);
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
        let mut components = FluidComponents::new(6);
        components.reset();
        [(0, 1), (1, 2), (4, 5)].iter().for_each(|&(a, b)| components.merge(a, b));
        components.restore(&bed, &level, &mut next);
        let volume = |range: std::ops::Range<usize>| range.map(|at| next[at] - bed[at]).sum::<f64>();
        assert!((volume(0..3) - 2.1).abs() < 1e-15 && (volume(4..6) - 2.0).abs() < 1e-15);
        assert!(next.iter().zip(&bed).all(|(next, bed)| next >= bed));
    }

    #[test]
    fn a_sample_that_cannot_give_more_leaves_the_rest_to_others() {
        let (bed, level) = ([0.0, 0.0], [1.0, 0.0]);
        let mut next = [1.4, 0.01];
        let mut components = FluidComponents::new(2);
        components.reset();
        components.merge(0, 1);
        components.restore(&bed, &level, &mut next);
        assert_eq!(next[1], 0.0);
        assert!((next[0] - 1.0).abs() < 1e-15);
    }
}
