//! Infiltration into the ground by Green and Ampt [green1911].
//!
//! With the cumulative infiltration F, hydraulic conductivity K and capillary rise ψΔθ, dF/dt = K (1 + ψΔθ/F) as long
//! as there is water on the ground. The step is implicit, F′ = F + K dt (1 + ψΔθ/F′), a quadratic with one positive
//! root. For ψΔθ = 0 the rate is K. The velocity of the remaining water is unchanged.

use std::io;

use undine_grid::{Condition, Field, FieldError, Grid, Location, par};
use undine_sim::{Reader, Writer};

/// Parameters of the ground, and the cumulative infiltration.
pub(super) struct Infiltration {
    /// K in m/s.
    conductivity: f64,
    /// ψΔθ in metres.
    capillary: f64,
    /// F in metres.
    infiltrated: Field<f64, 2>,
}

impl Infiltration {
    pub fn new(grid: &Grid<2>, conductivity: f64, capillary: f64) -> Result<Infiltration, FieldError> {
        let infiltrated = Field::new(*grid, Location::Center, Condition::Open, 3)?;
        Ok(Infiltration { conductivity, capillary, infiltrated })
    }

    /// Whether K > 0.
    pub fn is_active(&self) -> bool {
        self.conductivity > 0.0
    }

    /// Moves min(F′ − F, h) from the water into the ground, for a step of `dt` seconds.
    pub fn infiltrate(&mut self, dt: f64, state: &mut [Field<f64, 2>; 3]) {
        let (due, lift) = (self.conductivity * dt, 4.0 * self.conductivity * self.capillary * dt);
        let [depth, flow_x, flow_y] = state;
        par::rows_each(
            [depth, flow_x, flow_y, &mut self.infiltrated],
            |_, [depth, flow_x, flow_y, infiltrated]| {
                for i in 0..depth.len() {
                    let sum = infiltrated[i] + due;
                    let demand = 0.5 * (sum + (sum * sum + lift).sqrt()) - infiltrated[i];
                    let taken = demand.min(depth[i]);
                    let left = depth[i] - taken;
                    let fraction = if depth[i] > 0.0 { left / depth[i] } else { 0.0 };
                    flow_x[i] *= fraction;
                    flow_y[i] *= fraction;
                    depth[i] = left;
                    infiltrated[i] += taken;
                }
            },
        );
    }

    /// Infiltrated volume ∫F dA, in m³.
    pub fn volume(&self) -> f64 {
        par::sum(&self.infiltrated, |depth| depth) * self.infiltrated.grid().cell_measure()
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.field("soaked", &self.infiltrated)
    }

    /// Forgets what has seeped in.
    pub fn dry(&mut self) {
        self.infiltrated.fill(0.0);
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.field("soaked", &mut self.infiltrated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground(conductivity: f64, capillary: f64) -> (Infiltration, [Field<f64, 2>; 3]) {
        let grid = Grid::new([3, 2], [1.0; 2], [0.0; 2]).unwrap();
        let mut depth = Field::new(grid, Location::Center, Condition::Wall, 3).unwrap();
        let flow = depth.clone();
        depth.fill(0.5);
        (Infiltration::new(&grid, conductivity, capillary).unwrap(), [depth, flow.clone(), flow])
    }

    #[test]
    fn what_leaves_the_water_is_in_the_ground_and_no_more_than_there_is() {
        let (mut ground, mut state) = ground(0.01, 0.0);
        state[1].fill(2.0);
        ground.infiltrate(10.0, &mut state);
        assert!((state[0][[1, 1]] - 0.4).abs() < 1e-15 && (state[1][[1, 1]] - 1.6).abs() < 1e-14);
        ground.infiltrate(1e6, &mut state);
        assert_eq!((state[0][[2, 0]], state[1][[2, 0]]), (0.0, 0.0));
        assert!((ground.volume() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn dry_ground_drinks_as_green_and_ampt_say() {
        // F − s ln(1 + F/s) = K t
        let (conductivity, capillary) = (1e-5, 0.1);
        let (mut ground, mut state) = ground(conductivity, capillary);
        (0..4000).for_each(|_| ground.infiltrate(1.0, &mut state));
        let infiltrated: f64 = 0.5 - state[0][[0, 0]];
        let time = (infiltrated - capillary * (1.0 + infiltrated / capillary).ln()) / conductivity;
        assert!((time / 4000.0 - 1.0).abs() < 2e-3, "{time}");
    }
}
