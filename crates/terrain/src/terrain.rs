//! All layers of a scene's ground together.

use glam::DVec2;
use undine_grid::{Condition, Field, FieldError, Grid, Location, fill_ghosts, par};
use undine_scene::{Scene, SceneErrors};

use crate::layer::Layer;
use crate::shapes::Averages;

/// Ghosts around a sampled bed: enough for any scheme that reads it.
const GHOSTS: usize = 3;

/// The ground of a scene: height z in metres as a function of x and y.
#[derive(Debug)]
pub struct Terrain {
    layers: Vec<Layer>,
}

impl Terrain {
    /// Reads every `[[terrain]]` of a scene and the files they name; none without such a section.
    pub fn read(scene: &Scene) -> Result<Option<Terrain>, SceneErrors> {
        let mut errors = SceneErrors::new();
        let sections = scene.sections("terrain");
        let layers: Vec<Layer> =
            sections.iter().filter_map(|section| errors.keep(Layer::read(scene, section))).collect();
        errors.into_result()?;
        Ok((!layers.is_empty()).then_some(Terrain { layers }))
    }

    /// The low and the high corner of the first layer that comes from a file, in metres; none without one.
    pub fn extent(&self) -> Option<[[f64; 2]; 2]> {
        self.layers.iter().find_map(|layer| layer.shape.extent())
    }

    /// The height at a point, in metres; always finite.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let at = DVec2::new(x, y).clamp(DVec2::splat(-1e15), DVec2::splat(1e15));
        let at = if at.is_nan() { DVec2::ZERO } else { at };
        self.layers.iter().fold(0.0, |ground, layer| layer.join(ground, at, || layer.shape.height(at)))
    }

    /// The ground on the cells of a grid, with ghosts three deep into which its slope continues.
    ///
    /// Formulae are taken at the middle of a cell. Files are averaged over the cell, so that a map that is finer than
    /// the grid does not alias.
    pub fn sample(&self, grid: &Grid<2>) -> Result<Field<f64, 2>, FieldError> {
        let mut bed = Field::new(*grid, Location::Center, Condition::Extrapolated, GHOSTS)?;
        let averages: Vec<Option<Averages<'_>>> =
            self.layers.iter().map(|layer| layer.shape.averages(grid)).collect();
        par::rows(&mut bed, |[_, row], heights| {
            for (column, height) in heights.iter_mut().enumerate() {
                let at = DVec2::from(grid.centre([column as isize, row]));
                *height = self.layers.iter().zip(&averages).fold(0.0, |ground, (layer, averages)| {
                    layer.join(ground, at, || match averages {
                        Some(averages) => averages.at(column, row as usize),
                        None => layer.shape.height(at),
                    })
                });
            }
        });
        fill_ghosts(&mut bed);
        Ok(bed)
    }
}
