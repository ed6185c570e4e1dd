//! What [foster1996] says of its method, each claim checked once.

pub mod divergence;
pub mod eddies;
pub mod limits;
pub mod volume;
pub mod walls;
pub mod waves;

use anyhow::Context;
use undine_frame::Quantity;
use undine_sim::Runner;

/// Values of a field of the water, x fastest, and its size.
fn field(runner: &Runner, quantity: Quantity) -> anyhow::Result<([usize; 3], Vec<f32>)> {
    let view = runner.waters()[0].simulation.view();
    let found = view.fields.iter().find(|field| field.quantity == quantity);
    let field = found.with_context(|| format!("there is no field of {}", quantity.name()))?;
    Ok((field.samples.size(), field.samples.values()))
}
