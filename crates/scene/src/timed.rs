//! A number that may change in time: a constant, or a compiled expression of `t`.

use std::fmt;
use std::sync::Arc;

use exmex::{BinOp, Express, FlatEx, MakeOperators, MatchLiteral, Operator};

use crate::expression::{ExpressionFault, number_length, rewrite};
use crate::functions::{BINARY, CONSTANTS, UNARY};
use crate::phrase;

/// A number that may change in time.
///
/// Expressions know `t` in seconds, `pi`, `e`, `+ - * / ^`, brackets and the functions `sin cos tan asin acos atan tanh
/// exp ln log sqrt abs floor ceil sign signum step` of one value and `min max atan2 pulse` of two. `log` is the
/// natural logarithm; `step(x)` is 0 for negative x, else 1; `pulse(x, width)` is 1 for x from 0 up to width, else 0.
/// A sign binds weaker than a power, as on paper: `-t^2` is `-(t^2)`.
///
/// ```
/// use undine_scene::Timed;
///
/// let level = Timed::constant(0.5);
/// assert!(level.is_constant());
/// assert_eq!(level.at(7.0), 0.5);
/// ```
#[derive(Clone)]
pub struct Timed {
    course: TimedSource,
}

#[derive(Clone)]
enum TimedSource {
    Constant(f64),
    Expression { source: Arc<str>, program: Arc<Program> },
}

type Program = FlatEx<f64, Operators, NumberLiteral>;

impl Timed {
    /// The same number at all times.
    pub fn constant(number: f64) -> Timed {
        Timed { course: TimedSource::Constant(number) }
    }

    /// Compiles an expression of `t`.
    pub(crate) fn expression(text: &str) -> Result<Timed, ExpressionFault> {
        let rewritten = rewrite(text)?;
        let program = Program::parse(&rewritten.text).map_err(|error| ExpressionFault {
            message: format!("this expression cannot be read: {error}"),
            remedy: String::new(),
            range: 0..text.len(),
        })?;
        let course = TimedSource::Expression { source: text.into(), program: Arc::new(program) };
        let timed = Timed { course };
        Ok(if rewritten.names_t { timed } else { Timed::constant(timed.at(0.0)) })
    }

    /// The number at time `t`, in seconds.
    ///
    /// It was finite and in range at the times the scene was checked at, from 0 to its duration. Between and after
    /// them an expression may still pass a pole or leave its range: callers that need finite values must check.
    pub fn at(&self, t: f64) -> f64 {
        match &self.course {
            TimedSource::Constant(number) => *number,
            // Evaluation fails only for missing variables, and there is none but t.
            TimedSource::Expression { program, .. } => program.eval_relaxed(&[t]).unwrap_or(f64::NAN),
        }
    }

    /// Whether the number is the same at all times.
    pub fn is_constant(&self) -> bool {
        matches!(self.course, TimedSource::Constant(_))
    }

    /// The number or expression as text.
    pub fn source(&self) -> String {
        match &self.course {
            TimedSource::Constant(number) => phrase::number(*number),
            TimedSource::Expression { source, .. } => source.to_string(),
        }
    }
}

impl fmt::Debug for Timed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Timed({})", self.source())
    }
}

/// The operators of the evaluator. None is marked commutative, so that it keeps the order that was typed.
#[derive(Debug, Clone)]
struct Operators;

impl MakeOperators<f64> for Operators {
    fn make<'a>() -> Vec<Operator<'a, f64>> {
        let two = |name, prio, apply| Operator::make_bin(name, BinOp { apply, prio, is_commutative: false });
        let minus = BinOp { apply: |a: f64, b: f64| a - b, prio: 0, is_commutative: false };
        let mut operators = vec![
            two("+", 0, |a, b| a + b),
            Operator::make_bin_unary("-", minus, |a| -a),
            two("*", 1, |a, b| a * b),
            two("/", 1, |a, b| a / b),
            // The sign of the rewritten expression: closer than a product, weaker than a power.
            two("~", 2, |a, b| a - b),
            two("^", 3, f64::powf),
        ];
        operators.extend(CONSTANTS.map(|(name, value)| Operator::make_constant(name, value)));
        operators.extend(UNARY.map(|(name, apply)| Operator::make_unary(name, apply)));
        operators.extend(BINARY.map(|(name, apply)| two(name, 4, apply)));
        operators
    }
}

/// Numbers with an optional point and exponent.
#[derive(Debug, Clone)]
struct NumberLiteral;

impl MatchLiteral for NumberLiteral {
    fn is_literal(text: &str) -> Option<&str> {
        let length = number_length(text.as_bytes());
        (length > 0).then(|| &text[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, t: f64) -> f64 {
        Timed::expression(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).at(t)
    }

    fn fault(text: &str) -> ExpressionFault {
        Timed::expression(text).err().unwrap_or_else(|| panic!("{text} should be refused"))
    }

    #[test]
    fn arithmetic_is_that_of_paper() {
        for (text, expected) in [
            ("2 - 3 - 4", -5.0),
            ("t - 2 + 3", 4.0),
            ("12 / 2 / 3", 2.0),
            ("12 / t * 2", 8.0),
            ("-t^2", -9.0),
            ("(-t)^2", 9.0),
            ("2^-1", 0.5),
            ("2*-t^2", -18.0),
            ("2/-t", -2.0 / 3.0),
            ("1 - -t", 4.0),
            ("--t", 3.0),
            ("+-+t", -3.0),
            ("-2^-2", -0.25),
            ("-(1+t)^2*2", -32.0),
            ("1.5e1 + 2E-1 + .5 + 5.", 20.7),
            ("-min(1, t)", -1.0),
        ] {
            assert_eq!(value(text, 3.0), expected, "{text}");
        }
    }

    #[test]
    fn functions_nest() {
        assert_eq!(value("min(1, max(t, 3))", 2.0), 1.0);
        assert_eq!(value("max(min(t, 5), min(7, max(4, 1)) + 1)", 9.0), 5.0);
        assert_eq!(value("min(t+1, 2*(t-1))^2", 2.0), 4.0);
        assert_eq!(value("0.8*exp(-t/2)", 2.0), 0.8 * (-1.0_f64).exp());
        assert_eq!(value("sin(2*pi*t)", 0.25), (2.0 * std::f64::consts::PI * 0.25).sin());
        assert_eq!(value("step(t-2)*pulse(t - 2, 0.5)", 2.25), 1.0);
        assert_eq!(value("ln(e)", 0.0), 1.0);
    }

    #[test]
    fn what_does_not_name_t_is_constant() {
        let twice = Timed::expression("2*pi").unwrap();
        assert!(twice.is_constant() && twice.at(5.0) == 2.0 * std::f64::consts::PI);
        assert!(!Timed::expression("0*t").unwrap().is_constant());
    }

    #[test]
    fn the_source_is_kept() {
        assert_eq!(Timed::expression(" -t ^ 2").unwrap().source(), " -t ^ 2");
        assert_eq!(Timed::constant(0.5).source(), "0.5");
    }

    #[test]
    fn faults_name_the_spot() {
        for (text, spot, message) in [
            ("", "", "a value is missing at the end of the expression"),
            ("1 +", "", "a value is missing at the end of the expression"),
            ("2 t", "t", "an operator is missing here"),
            ("2(t)", "(", "an operator is missing here"),
            ("t*/2", "/", "a value is missing before /"),
            ("(t", "(", "this bracket is never closed"),
            ("t)", ")", "this bracket closes nothing"),
            ("()", ")", "a value is missing before this bracket"),
            ("sin t", "sin", "sin is a function"),
            ("sin", "sin", "sin is a function"),
            ("t(2)", "(", "an operator is missing here"),
            ("min(t)", ")", "min takes two values"),
            ("min(1,2,3)", ",", "min takes two values"),
            ("sin(1,2)", ",", "sin takes one value"),
            ("(1,5)", ",", "this comma belongs to no function"),
            ("1,5", ",", "this comma belongs to no function"),
            ("2^t^2", "^", "a power of a power can be read in two ways"),
            ("x + 1", "x", "unknown name \"x\": expressions may use t only"),
            ("1 $ 2", "$", "\"$\" means nothing in an expression"),
            ("1 + ä", "ä", "\"ä\" means nothing in an expression"),
            ("1.2.3", ".3", "an operator is missing here"),
            ("{t}", "{", "\"{\" means nothing in an expression"),
            (".", ".", "\".\" means nothing in an expression"),
        ] {
            let fault = fault(text);
            assert_eq!((&text[fault.range], fault.message.as_str()), (spot, message), "{text}");
        }
    }

    #[test]
    fn size_and_depth_are_bounded() {
        let deep = |levels: usize| format!("{}t{}", "(".repeat(levels), ")".repeat(levels));
        assert_eq!(value(&deep(64), 7.0), 7.0);
        assert_eq!(fault(&deep(65)).message, "brackets are nested too deep");
        assert_eq!(fault(&"(".repeat(9_999)).message, "brackets are nested too deep");
        assert!(fault(&"t".repeat(10_001)).message.contains("10001 bytes"));
        let long = format!("t{}", "+t".repeat(4_000));
        assert_eq!(value(&long, 0.5), 2000.5);
        assert_eq!(value(&format!("{}t", "-".repeat(9_000)), 2.0), 2.0);
    }
}
