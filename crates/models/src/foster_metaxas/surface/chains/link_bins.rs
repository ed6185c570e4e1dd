//! Links by the cells that they pass: near pairs and crossings are then found in linear time.

/// For every cell, the links whose bounding box, enlarged by a margin, touches it: a list in compressed rows.
#[derive(Debug, Clone, Default)]
pub struct LinkBins {
    size: [usize; 2],
    starts: Vec<u32>,
    links: Vec<u32>,
}

/// First and last cell of a range along both axes.
type CellRange = [[usize; 2]; 2];

impl LinkBins {
    /// Sorts `count` links into cells; `ends` answers the ends of a link in cells, or `None` for one that is no more.
    pub fn build(
        &mut self,
        size: [usize; 2],
        margin: [f64; 2],
        count: usize,
        ends: impl Fn(usize) -> Option<[[f64; 2]; 2]>,
    ) {
        self.size = size;
        self.starts.clear();
        self.starts.resize(size[0] * size[1] + 1, 0);
        let ranges = |link: usize| ends(link).map(|ends| cell_range(ends, margin, size));
        // Counting sort: sizes, places, links in the order of their numbers
        for range in (0..count).filter_map(ranges) {
            for_each_cell(range, |[i, j]| self.starts[i + j * size[0]] += 1);
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.links.clear();
        self.links.resize(total as usize, 0);
        for link in (0..count).rev() {
            let Some(range) = ranges(link) else { continue };
            for_each_cell(range, |[i, j]| {
                let place = &mut self.starts[i + j * size[0]];
                *place -= 1;
                self.links[*place as usize] = link as u32;
            });
        }
    }

    /// The links of a cell, in the order of their numbers.
    pub fn links(&self, [i, j]: [usize; 2]) -> &[u32] {
        let cell = i + j * self.size[0];
        match self.starts.get(cell..cell + 2) {
            Some(&[start, end]) => &self.links[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// The cells that a segment's bounding box touches, enlarged by a margin; those at the border also hold what is beyond.
pub fn cell_range(ends: [[f64; 2]; 2], margin: [f64; 2], size: [usize; 2]) -> CellRange {
    let [a, b] = ends;
    std::array::from_fn(|axis| {
        let last = size[axis] - 1;
        let low = a[axis].min(b[axis]) - margin[axis];
        let high = a[axis].max(b[axis]) + margin[axis];
        [(low.max(0.0) as usize).min(last), (high.max(0.0) as usize).min(last)]
    })
}

/// Calls `work` with every cell of a range.
pub fn for_each_cell([x, y]: CellRange, mut work: impl FnMut([usize; 2])) {
    for j in y[0]..=y[1] {
        (x[0]..=x[1]).for_each(|i| work([i, j]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_every_cell_that_they_touch() {
        let links = [[[0.5, 0.5], [1.5, 0.5]], [[9.0, 9.0], [9.0, 9.0]], [[1.2, 0.4], [1.3, 1.05]]];
        let mut bins = LinkBins::default();
        let ends = |link: usize| Some(links[link]).filter(|_| link != 1);
        bins.build([3, 2], [0.0; 2], 3, ends);
        assert_eq!(
            (bins.links([0, 0]), bins.links([1, 0]), bins.links([1, 1])),
            (&[0][..], &[0, 2][..], &[2][..])
        );
        bins.build([3, 2], [0.6, 0.0], 3, ends);
        assert_eq!((bins.links([2, 0]), bins.links([0, 0])), (&[0][..], &[0, 2][..]));
        // A link beyond the domain is kept in the nearest cell
        bins.build([3, 2], [0.0; 2], 2, |link| Some(links[link]));
        assert_eq!(bins.links([2, 1]), [1]);
    }
}
