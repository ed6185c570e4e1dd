//! Prints the frame rates of the GPU renderer on this machine.

use undine_gpu::{Headless, HeadlessError, measure};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), HeadlessError> {
    let mut device = Headless::new()?;
    println!("{}", device.adapter);
    for (name, speed) in measure(&mut device)? {
        println!("{speed:7.1} pictures per second: {name}");
    }
    Ok(())
}
