//! Every solver of Poisson's equation against the others, against exact solutions, and on bad input.

mod agreement;
mod bits;
mod order;
mod sizes;
mod soundness;
mod specimen;
