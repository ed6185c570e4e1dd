//! The model behind the traits `Simulation` and `Sample`: queries, disturbances, views, checkpoints.

use std::io;

use glam::{DVec2, DVec3};
use undine_frame::{FieldScale, Quantity};
use undine_grid::{Location, fill_ghosts, par};
use undine_sim::{
    Budget, Components, Counters, Disturbance, FieldView, HeightView, Lattice, Reader, Sample, SampleField,
    Seconds, Simulation, Step, StepError, SurfaceView, View, Volume, World, Writer,
};

use super::infiltration::Infiltration;
use super::update::inverse_depth;
use super::water::{FILM, ShallowWater};
use crate::heightfield::{CompensatedSum, DENSITY, HeightFieldSources, domain};

impl ShallowWater {
    /// u = q/h in a cell, desingularised.
    fn velocity_in(&self, cell: [usize; 2]) -> DVec2 {
        let over_depth = inverse_depth(self.now[0][cell], self.settings.dry);
        DVec2::new(self.now[1][cell], self.now[2][cell]) * over_depth
    }

    /// η = h + z in a cell.
    fn level_in(&self, cell: [usize; 2]) -> f64 {
        self.now[0][cell] + self.bed[cell]
    }

    /// Bilinear interpolation between cell centres; none outside the domain. A single row is constant along y.
    fn between<T>(&self, at: DVec2, value: impl Fn([usize; 2]) -> T) -> Option<T>
    where
        T: std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let (cells, origin, spacing) = (self.grid.cells(), self.grid.origin(), self.grid.spacing());
        let coordinate = |axis: usize| {
            let coordinate = (at[axis] - origin[axis]) / spacing[axis];
            let is_inside = (0.0..=cells[axis] as f64).contains(&coordinate) || (axis == 1 && cells[1] == 1);
            is_inside.then(|| (coordinate - 0.5).clamp(0.0, (cells[axis] - 1) as f64))
        };
        let (x, y) = (coordinate(0)?, coordinate(1)?);
        let (column, row) = (x as usize, y as usize);
        let (fraction_x, fraction_y) = (x - column as f64, y - row as f64);
        let (right, above) = ((column + 1).min(cells[0] - 1), (row + 1).min(cells[1] - 1));
        let in_row =
            |row: usize| value([column, row]) * (1.0 - fraction_x) + value([right, row]) * fraction_x;
        Some(in_row(row) * (1.0 - fraction_y) + in_row(above) * fraction_y)
    }

    /// u ← u + (1 − r²/R²)(v − u) within the radius R. Refused where v² exceeds 2 g times the length of the domain, for
    /// which shallow-water theory has no meaning.
    fn push(&mut self, at: DVec2, radius: f64, velocity: DVec2) -> bool {
        let longest = self.grid.length().into_iter().fold(0.0, f64::max);
        if velocity.length_squared() > 2.0 * self.settings.gravity * longest || radius <= 0.0 {
            return false;
        }
        let [depth, flow_x, flow_y] = &mut self.now;
        let grid = self.grid;
        let is_curve = grid.cells()[1] == 1;
        par::rows_each([flow_x, flow_y], |start, [flow_x, flow_y]| {
            let depth = depth.row(start);
            for i in 0..depth.len() {
                let offset = DVec2::from(grid.centre([i as isize, start[1]])) - at;
                let distance = if is_curve { offset.x.abs() } else { offset.length() };
                let weight = (1.0 - (distance / radius).powi(2)).max(0.0);
                flow_x[i] += weight * (depth[i] * velocity.x - flow_x[i]);
                flow_y[i] += weight * (depth[i] * velocity.y - flow_y[i]);
            }
        });
        self.measure();
        true
    }

    /// Restores the infiltrated volume, which stays in the ledger even when infiltration is now switched off.
    fn restore_ground(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let had_infiltrated = from.integer("soaks")? != 0;
        let [conductivity, capillary] = self.settings.infiltration;
        if conductivity <= 0.0 && !had_infiltrated {
            self.infiltration = None;
            return Ok(());
        }
        let refused = |error| io::Error::new(io::ErrorKind::OutOfMemory, error);
        let ground = match &mut self.infiltration {
            Some(ground) => ground,
            empty => empty.insert(Infiltration::new(&self.grid, conductivity, capillary).map_err(refused)?),
        };
        if had_infiltrated {
            return ground.restore(from);
        }
        ground.dry();
        Ok(())
    }

    /// Vorticity ∂v/∂x − ∂u/∂y, by central differences.
    fn vorticity_in(&self, [x, y]: [usize; 2]) -> f64 {
        let [columns, rows] = self.grid.cells();
        let [dx, dy] = self.grid.spacing();
        let (west, east) = (x.saturating_sub(1), (x + 1).min(columns - 1));
        let (south, north) = (y.saturating_sub(1), (y + 1).min(rows - 1));
        let slope =
            |difference: f64, cells: usize, spacing: f64| difference / (cells.max(1) as f64 * spacing);
        let along_x = self.velocity_in([east, y]).y - self.velocity_in([west, y]).y;
        let along_y = self.velocity_in([x, north]).x - self.velocity_in([x, south]).x;
        slope(along_x, east - west, dx) - slope(along_y, north - south, dy)
    }

    /// A named scalar per cell.
    fn field<'a>(
        &'a self,
        name: &'static str,
        unit: &'static str,
        quantity: Quantity,
        value: impl Fn([usize; 2]) -> f64 + Sync + 'a,
    ) -> FieldView<'a> {
        FieldView::new(name, unit, quantity, self.lattice(value))
    }

    fn lattice<'a>(&'a self, value: impl Fn([usize; 2]) -> f64 + Sync + 'a) -> Box<dyn Lattice + 'a> {
        SampleField::per_cell(self.grid, move |cell| value(cell) as f32)
    }

    fn named_fields(&self) -> Vec<FieldView<'_>> {
        let velocity = SampleField::boxed(self.grid, Location::Center, 2, |cell, out| {
            let velocity = self.velocity_in(cell.map(|index| index as usize));
            out.copy_from_slice(&velocity.as_vec2().to_array());
        });
        let froude = |cell| {
            let c = (self.settings.gravity * self.now[0][cell]).sqrt();
            if c > 0.0 { self.velocity_in(cell).length() / c } else { 0.0 }
        };
        vec![
            self.field("height", "m", Quantity::Height, |cell| self.level_in(cell)),
            self.field("depth", "m", Quantity::Depth, |cell| self.now[0][cell]),
            self.field("bed", "m", Quantity::Bed, |cell| self.bed[cell]),
            FieldView::new("velocity", "m/s", Quantity::Velocity, velocity),
            self.field("speed", "m/s", Quantity::Speed, |cell| self.velocity_in(cell).length()),
            self.field("froude", "", Quantity::Custom(FieldScale::Plain), froude),
            self.field("vorticity", "1/s", Quantity::Vorticity, |cell| self.vorticity_in(cell)),
            self.field("wetness", "", Quantity::Wetness, |cell| f64::from(self.wetness.field()[cell])),
        ]
    }
}

impl Sample for ShallowWater {
    fn height(&self, xy: DVec2) -> Option<f64> {
        self.between(xy, |cell| self.level_in(cell))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        self.between(at.truncate(), |cell| self.velocity_in(cell)).unwrap_or(DVec2::ZERO).extend(0.0)
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        self.between(xy, |cell| self.now[0][cell])
    }
}

impl Simulation for ShallowWater {
    fn max_dt(&self) -> Seconds {
        self.longest_step(self.rate)
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world)
    }

    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        match *disturbance {
            Disturbance::Push { at, radius, velocity } => {
                self.push(at.truncate(), radius, velocity.truncate())
            }
            Disturbance::Ground { .. } | Disturbance::Dam { .. } => {
                let has_changed = self.bed_change.apply(disturbance, &mut self.bed);
                fill_ghosts(&mut self.bed);
                has_changed
            }
            _ => self.sources.as_mut().is_some_and(|sources| sources.disturb(disturbance)),
        }
    }

    fn view(&self) -> View<'_> {
        let velocity = [0, 1].map(|axis| self.lattice(move |cell| self.velocity_in(cell)[axis]));
        let surface = HeightView {
            level: self.lattice(|cell| self.level_in(cell)),
            bed: Some(Box::new(&self.bed)),
            velocity: Some(Box::new(Components(velocity))),
            wetness: Some(Box::new(self.wetness.field())),
            dry_depth: FILM as f32,
        };
        View {
            surfaces: vec![SurfaceView::Height(surface)],
            clouds: self.sources.as_ref().and_then(HeightFieldSources::particles).into_iter().collect(),
            bodies: Vec::new(),
            fields: self.named_fields(),
        }
    }

    fn budget(&self) -> Budget {
        // Momentum, twice the kinetic and twice the potential energy of a row, per unit of mass
        let row = |y: usize| {
            let mut sums = [0.0; 4];
            for x in 0..self.grid.cells()[0] {
                let cell = [x, y];
                let (flow, bed) = (self.discharge_in(cell), self.bed[cell] - self.still_level);
                let risen = bed + self.now[0][cell];
                sums[0] += flow[0];
                sums[1] += flow[1];
                sums[2] += DVec2::from(flow).dot(self.velocity_in(cell));
                sums[3] += risen * risen - bed.max(0.0).powi(2);
            }
            sums
        };
        let add = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|i| a[i] + b[i]);
        let rows = |rows: std::ops::Range<usize>| rows.map(row).fold([0.0; 4], add);
        let [x, y, kinetic, potential] = par::fold(self.grid.cells()[1], 8, rows, add).unwrap_or_default();
        let mass = DENSITY * self.grid.cell_measure();
        Budget {
            volume: self.ledger(),
            momentum: [mass * x, mass * y, 0.0],
            kinetic_energy: 0.5 * mass * kinetic,
            potential_energy: 0.5 * mass * self.settings.gravity * potential,
            ..Budget::default()
        }
    }

    fn volume(&self) -> Volume {
        self.ledger()
    }

    fn counters(&self) -> Counters {
        Counters::new(self.wetness.counters())
    }

    fn cells(&self) -> u64 {
        self.bed.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        domain::save(&self.grid, to)?;
        self.bed_change.save(to)?;
        for (field, name) in self.now.iter().zip(STATE) {
            to.field(name, field)?;
        }
        to.number("initial", self.initial)?;
        to.records("sponged", self.sponge_volume.iter().map(|sum| sum.parts()))?;
        // Saved, since a pass over all cells rounds differently from a stage
        to.values("found", &[self.held, self.rate, self.settings.gravity, self.settings.dry])?;
        self.sides.save(to)?;
        to.integer("soaks", u64::from(self.infiltration.is_some()))?;
        self.infiltration.as_ref().map_or(Ok(()), |infiltration| infiltration.save(to))?;
        self.sources.as_ref().map_or(Ok(()), |sources| sources.save(to))?;
        self.wetness.save(to)
    }

    /// Depth and momentum are restored over the present bed, which may differ.
    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        domain::check(&self.grid, from)?;
        self.bed_change.restore(from, &mut self.bed)?;
        fill_ghosts(&mut self.bed);
        for (field, name) in self.now.iter_mut().zip(STATE) {
            from.field(name, field)?;
        }
        self.initial = from.number("initial")?;
        let [added, more, taken, rest] = from.array("sponged")?;
        self.sponge_volume =
            [CompensatedSum::from_parts([added, more]), CompensatedSum::from_parts([taken, rest])];
        let [held, rate, gravity, dry] = from.array("found")?;
        (self.held, self.rate) = (held, rate);
        self.sides.restore(from)?;
        self.restore_ground(from)?;
        self.sources.as_mut().map_or(Ok(()), |sources| sources.restore(from))?;
        self.wetness.restore(from)?;
        if [gravity, dry] != [self.settings.gravity, self.settings.dry] {
            self.measure();
        }
        Ok(())
    }
}

/// The names of the state in a checkpoint.
const STATE: [&str; 3] = ["depth", "flow_x", "flow_y"];
