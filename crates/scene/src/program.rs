//! A compiled expression of `t` or other variables: operations in postfix order, run on a stack of fixed size.
//!
//! The same program runs on numbers, for a value, and on intervals, for bounds of all values within a span of time. It
//! allocates nothing.

use crate::functions::{Binary, Unary};
use crate::interval::Interval;

/// Depth of the stack for the usual expressions.
const USUAL: usize = 16;
/// Greatest depth of the stack.
pub(crate) const DEEPEST: usize = 512;

/// One operation on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    Number(f64),
    /// One of the values that it is run with, by its number.
    Variable(usize),
    Unary(&'static Unary),
    Binary(&'static Binary),
}

/// A compiled expression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    operations: Vec<Operation>,
    /// Depth of the stack after the last operation, and the greatest so far.
    depth: usize,
    deepest: usize,
    names_variable: bool,
}

/// A number or an interval.
trait Operand: Copy {
    fn number(value: f64) -> Self;
    fn unary(function: &Unary, x: Self) -> Self;
    fn binary(function: &Binary, a: Self, b: Self) -> Self;
}

impl Operand for f64 {
    fn number(value: f64) -> f64 {
        value
    }

    fn unary(function: &Unary, x: f64) -> f64 {
        (function.value)(x)
    }

    fn binary(function: &Binary, a: f64, b: f64) -> f64 {
        (function.value)(a, b)
    }
}

impl Operand for Interval {
    fn number(value: f64) -> Interval {
        Interval::point(value)
    }

    fn unary(function: &Unary, x: Interval) -> Interval {
        (function.interval)(x)
    }

    fn binary(function: &Binary, a: Interval, b: Interval) -> Interval {
        (function.interval)(a, b)
    }
}

impl Program {
    /// Appends an operation; operations on numbers alone are carried out at once.
    pub fn push(&mut self, operation: Operation) {
        match operation {
            Operation::Number(_) | Operation::Variable(_) => {
                self.names_variable |= matches!(operation, Operation::Variable(_));
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
            }
            Operation::Unary(_) => {}
            Operation::Binary(_) => self.depth = self.depth.saturating_sub(1),
        }
        let folded = match (operation, self.operations.as_slice()) {
            (Operation::Unary(function), [.., Operation::Number(x)]) => Some((1, (function.value)(*x))),
            (Operation::Binary(function), [.., Operation::Number(a), Operation::Number(b)]) => {
                Some((2, (function.value)(*a, *b)))
            }
            _ => None,
        };
        match folded {
            Some((operands, value)) => {
                self.operations.truncate(self.operations.len() - operands);
                self.operations.push(Operation::Number(value));
            }
            None => self.operations.push(operation),
        }
    }

    /// Whether it names a variable.
    pub fn names_variable(&self) -> bool {
        self.names_variable
    }

    /// Whether it fits into the stack.
    pub fn fits(&self) -> bool {
        self.deepest <= DEEPEST
    }

    /// The value at a time.
    pub fn value(&self, t: f64) -> f64 {
        self.value_of(&[t])
    }

    /// The value for values of all its variables.
    pub fn value_of(&self, variables: &[f64]) -> f64 {
        self.run(variables).unwrap_or(f64::NAN)
    }

    /// Bounds of the values from one time to another.
    pub fn bounds(&self, from: f64, to: f64) -> Interval {
        self.run(&[Interval::between(from, to, false)]).unwrap_or(Interval::UNKNOWN)
    }

    fn run<V: Operand>(&self, variables: &[V]) -> Option<V> {
        match self.deepest <= USUAL {
            true => self.run_on::<V, USUAL>(variables),
            false => self.run_on::<V, DEEPEST>(variables),
        }
    }

    /// None for a program without a value, or one that does not fit into the stack: the reader makes neither.
    fn run_on<V: Operand, const SIZE: usize>(&self, variables: &[V]) -> Option<V> {
        let mut stack = [V::number(0.0); SIZE];
        let mut depth = 0;
        for operation in &self.operations {
            match operation {
                Operation::Number(value) => {
                    *stack.get_mut(depth)? = V::number(*value);
                    depth += 1;
                }
                Operation::Variable(number) => {
                    *stack.get_mut(depth)? = *variables.get(*number)?;
                    depth += 1;
                }
                Operation::Unary(function) => {
                    let x = stack.get_mut(depth.checked_sub(1)?)?;
                    *x = V::unary(function, *x);
                }
                Operation::Binary(function) => {
                    let below = depth.checked_sub(2)?;
                    stack[below] = V::binary(function, stack[below], stack[below + 1]);
                    depth -= 1;
                }
            }
        }
        (depth == 1).then_some(stack[0])
    }
}
