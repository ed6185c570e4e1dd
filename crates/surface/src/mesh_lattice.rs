//! Vertex positions over a height field: on every sample, and around them on the border of the domain.
//!
//! Samples are cell centres, so that the outermost ones are half a cell short of the border. Border vertices close
//! the gap: each belongs to the nearest sample and is extrapolated by its slope. A field that is one sample wide has
//! only border vertices across, which makes a ribbon.

use undine_frame::Heights;

/// One line of vertices across an axis: the sample that it belongs to, and its offset from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexLine {
    /// Index of the sample.
    pub sample: usize,
    /// Offset from the sample in metres.
    pub offset: f32,
    /// Position along the axis in metres.
    pub position: f32,
}

/// Vertices over a lattice of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshLattice {
    /// Samples along x and y.
    pub samples: [usize; 2],
    /// Distance of neighbouring samples in metres.
    pub spacing: [f32; 2],
    /// Columns of vertices.
    pub columns: Vec<VertexLine>,
    /// Rows of vertices.
    pub rows: Vec<VertexLine>,
}

impl MeshLattice {
    /// The vertices over the samples of a height field.
    pub fn over(heights: &Heights) -> Self {
        let Heights { size, origin, spacing, .. } = *heights;
        let size = size.map(|samples| samples as usize);
        MeshLattice {
            samples: [size[0], size[1]],
            spacing: [spacing[0] as f32, spacing[1] as f32],
            columns: lines(size[0], origin[0], spacing[0]),
            rows: lines(size[1], origin[1], spacing[1]),
        }
    }

    /// Number of vertices.
    pub fn count(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// For every vertex, column fastest, `value(sample, [offset x, offset y])` of the sample that it belongs to.
    pub fn map<T>(&self, value: impl Fn(usize, [f32; 2]) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(self.count());
        for row in &self.rows {
            let first = row.sample * self.samples[0];
            values.extend(
                self.columns.iter().map(|column| value(first + column.sample, [column.offset, row.offset])),
            );
        }
        values
    }
}

fn lines(samples: usize, origin: f64, spacing: f64) -> Vec<VertexLine> {
    let line = |sample: usize, cells: f64| VertexLine {
        sample,
        offset: (cells * spacing) as f32,
        position: (origin + (sample as f64 + cells) * spacing) as f32,
    };
    let centres = if samples > 1 { 0..samples } else { 0..0 };
    let last = samples.checked_sub(1);
    let rim = |cells: f64| last.map(|last| line(if cells < 0.0 { 0 } else { last }, cells));
    rim(-0.5).into_iter().chain(centres.map(|sample| line(sample, 0.0))).chain(rim(0.5)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_reach_from_border_to_border() {
        let positions =
            |samples| lines(samples, 0.25, 0.5).iter().map(|line| line.position).collect::<Vec<_>>();
        assert_eq!(positions(3), [0.0, 0.25, 0.75, 1.25, 1.5]);
        assert_eq!(positions(1), [0.0, 0.5]);
        assert!(positions(0).is_empty());
    }
}
