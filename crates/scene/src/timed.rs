//! A number that may change in time: a constant, or a compiled expression of `t`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::expression::{ExpressionFault, compile};
use crate::interval::Interval;
use crate::numbers;
use crate::phrase;
use crate::problem::Problem;
use crate::program::Program;
use crate::quadrature::{Integrand, integrate};
use crate::schema::Key;
use crate::source_location::Span;

/// A number that may change in time.
///
/// A state, such as a level or a position, is taken at a time: [`Timed::at`]. A rate, such as a discharge or a force,
/// acts during a whole step and enters as its mean: [`Timed::mean`]. Either is an error that names the place in the
/// scene file where the value is not finite or out of the key's range.
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
/// assert_eq!(level.at(7.0), Ok(0.5));
/// assert_eq!(level.mean(7.0, 8.0), Ok(0.5));
/// ```
#[derive(Clone)]
pub struct Timed {
    course: TimedSource,
}

#[derive(Clone)]
enum TimedSource {
    Constant(f64),
    Expression(Arc<Expression>),
}

/// A compiled expression with its key, whose range it must keep, and its place in the scene file.
struct Expression {
    text: Box<str>,
    program: Program,
    key: Key,
    span: Option<Span>,
}

impl Timed {
    /// The same number at all times.
    pub fn constant(number: f64) -> Timed {
        Timed { course: TimedSource::Constant(number) }
    }

    /// Compiles the expression of `t` under a key, typed at a place; none for a default.
    pub(crate) fn expression(text: &str, key: &Key, span: Option<&Span>) -> Result<Timed, ExpressionFault> {
        let program = compile(text)?;
        if !program.names_variable() {
            return Ok(Timed::constant(program.value(0.0)));
        }
        let expression = Expression { text: text.into(), program, key: *key, span: span.cloned() };
        Ok(Timed { course: TimedSource::Expression(Arc::new(expression)) })
    }

    /// The number at time `t`, in seconds; an error where it is not finite or out of the key's range.
    pub fn at(&self, t: f64) -> Result<f64, Problem> {
        match &self.course {
            TimedSource::Constant(number) => Ok(*number),
            TimedSource::Expression(expression) => expression.value(t),
        }
    }

    /// The mean from one time to another, in seconds: (∫ x dt)/(to − from), by adaptive quadrature to 1e-6 of the mean
    /// of |x|, exact for a constant. Steps, pulses and other jumps are integrated from break to break, however short.
    ///
    /// An error where a value is not finite or out of the key's range, or changes too fast for quadrature.
    pub fn mean(&self, from: f64, to: f64) -> Result<f64, Problem> {
        match &self.course {
            TimedSource::Constant(number) => Ok(*number),
            TimedSource::Expression(expression) => expression.mean(expression.as_ref(), from, to),
        }
    }

    /// The mean over `step` of a number that counts during `active` only, and is zero before and after.
    pub fn mean_within(&self, step: Range<f64>, active: Range<f64>) -> Result<f64, Problem> {
        match active_fraction(&step, &active) {
            0.0 => Ok(0.0),
            fraction => Ok(fraction * self.mean(step.start.max(active.start), step.end.min(active.end))?),
        }
    }

    /// The mean from one time to another of a number that counts while `switch` is above zero only.
    pub fn mean_while(&self, switch: &Timed, from: f64, to: f64) -> Result<f64, Problem> {
        match &switch.course {
            TimedSource::Constant(switch) if *switch > 0.0 => self.mean(from, to),
            TimedSource::Constant(_) => Ok(0.0),
            TimedSource::Expression(expression) => {
                expression.mean(&Switched { number: self, switch: expression }, from, to)
            }
        }
    }

    /// Least and greatest value from one time to another: bounds, which may be wider than what is taken on.
    pub fn bounds(&self, from: f64, to: f64) -> [f64; 2] {
        let Interval { low, high, .. } = self.interval(from, to);
        [low, high]
    }

    /// Whether the number is the same at all times.
    pub fn is_constant(&self) -> bool {
        matches!(self.course, TimedSource::Constant(_))
    }

    /// The number or expression as text.
    pub fn source(&self) -> String {
        match &self.course {
            TimedSource::Constant(number) => phrase::number(*number),
            TimedSource::Expression(expression) => expression.text.to_string(),
        }
    }

    fn interval(&self, from: f64, to: f64) -> Interval {
        match &self.course {
            TimedSource::Constant(number) => Interval::point(*number),
            TimedSource::Expression(expression) => expression.program.bounds(from, to),
        }
    }
}

/// The fraction of a step during which something is active.
///
/// ```
/// assert_eq!(undine_scene::active_fraction(&(1.0..2.0), &(1.5..9.0)), 0.5);
/// ```
pub fn active_fraction(step: &Range<f64>, active: &Range<f64>) -> f64 {
    let (from, to) = (step.start.max(active.start), step.end.min(active.end));
    match () {
        () if from >= to => 0.0,
        // The whole step, without rounding
        () if from == step.start && to == step.end => 1.0,
        () => (to - from) / (step.end - step.start),
    }
}

impl Expression {
    /// The mean of an integrand from one time to another.
    fn mean(&self, integrand: &impl Integrand, from: f64, to: f64) -> Result<f64, Problem> {
        // A step of no length has the value of its time
        if from.is_nan() || to.is_nan() || from >= to {
            return integrand.value(from);
        }
        let integral = integrate(integrand, from, to)?.ok_or_else(|| {
            let message = format!(
                "{} changes too often from t = {} s to {} s for a mean over that step",
                self.key.name,
                phrase::number(from),
                phrase::number(to)
            );
            self.problem(message, "let it change more slowly: on the scale of a frame")
        })?;
        Ok(integral / (to - from))
    }

    fn problem(&self, message: String, remedy: &str) -> Problem {
        match &self.span {
            Some(span) => Problem::at(span, message, remedy),
            None => Problem::new(message, remedy),
        }
    }

    /// The problem with a value that is not finite or out of the key's range.
    #[cold]
    fn refuse(&self, t: f64, value: f64) -> Problem {
        let (key, shown) = (&self.key, phrase::rounded(value, &self.key.range));
        let message = numbers::check(key, key.name, shown).err().map(|(message, _)| message);
        let message = format!("{} (at t = {} s)", message.unwrap_or_default(), phrase::number(t));
        self.problem(
            message,
            match value.is_finite() {
                true => "min and max hold a value in range",
                false => "mind divisions by zero, roots and logarithms",
            },
        )
    }
}

impl Integrand for Expression {
    fn value(&self, t: f64) -> Result<f64, Problem> {
        let value = self.program.value(t);
        if value.is_finite() && self.key.range.contains(value) {
            Ok(value)
        } else {
            Err(self.refuse(t, value))
        }
    }

    fn bounds(&self, from: f64, to: f64) -> Interval {
        self.program.bounds(from, to)
    }
}

/// A number that counts while an expression is above zero.
struct Switched<'a> {
    number: &'a Timed,
    switch: &'a Expression,
}

impl Integrand for Switched<'_> {
    fn value(&self, t: f64) -> Result<f64, Problem> {
        if self.switch.value(t)? > 0.0 { self.number.at(t) } else { Ok(0.0) }
    }

    fn bounds(&self, from: f64, to: f64) -> Interval {
        self.number.interval(from, to).multiply(self.switch.program.bounds(from, to).is_positive())
    }
}

impl fmt::Debug for Timed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Timed({})", self.source())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Key = Key::timed("x");
    const RATE: Key = Key::timed("rate").unit("m³/s").within(-1e6, 1e6);

    fn timed(text: &str) -> Timed {
        Timed::expression(text, &RATE, None).unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
    }

    fn value(text: &str, t: f64) -> f64 {
        Timed::expression(text, &ANY, None).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).at(t).unwrap()
    }

    fn fault(text: &str) -> ExpressionFault {
        Timed::expression(text, &ANY, None).err().unwrap_or_else(|| panic!("{text} should be refused"))
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
        let twice = timed("2*pi");
        assert!(twice.is_constant() && twice.at(5.0) == Ok(2.0 * std::f64::consts::PI));
        assert!(!timed("0*t").is_constant());
    }

    #[test]
    fn the_source_is_kept() {
        assert_eq!(timed(" -t ^ 2").source(), " -t ^ 2");
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

    /// The mean over steps of 0.04 s from 0 to 2 s, times 2 s.
    fn integral(text: &str) -> f64 {
        let rate = timed(text);
        (0..50)
            .map(|step| (f64::from(step), f64::from(step + 1)))
            .map(|(from, to)| (0.04 * from, 0.04 * to))
            .map(|(from, to)| (to - from) * rate.mean(from, to).unwrap())
            .sum()
    }

    #[test]
    fn means_hold_the_integral_of_pulses_steps_and_narrow_peaks() {
        let root_pi = std::f64::consts::PI.sqrt();
        for (text, exact) in [
            // Down to 1e-4 of a step, within a step and across its end
            ("125000*pulse(t - 1.01, 4e-6)", 0.5),
            ("125000*pulse(t - 0.999998, 4e-6)", 0.5),
            ("50*pulse(t - 1, 0.01)", 0.5),
            ("3*step(t - 1.2345)", 3.0 * (2.0 - 1.2345)),
            ("floor(10*t)", 19.0),
            ("ceil(10*t) - 10*t", 0.5 * 2.0),
            ("step(sin(40*t) - 0.999)", 13.0 * 2.0 * 0.999_f64.acos() / 40.0),
            ("abs(t - 0.777)", 0.5 * (0.777_f64.powi(2) + 1.223_f64.powi(2))),
            ("max(0, sin(pi*t))", 2.0 / std::f64::consts::PI),
            // A Gaussian a thousand times narrower than a step, between the nodes of any quadrature
            ("1e4*exp(-((t - 1.0123)/4e-5)^2)", 1e4 * 4e-5 * root_pi),
            // Operands that are the same, which must not be mistaken for a kink everywhere
            ("min(t, max(t, 0.5))", 2.0),
            ("t^3 - 2*t", 0.0),
            ("sqrt(t)", 2.0 / 3.0 * 2.0_f64.powf(1.5)),
            ("sin(500*t)", (1.0 - 1000.0_f64.cos()) / 500.0),
        ] {
            assert!(
                (integral(text) - exact).abs() <= 1e-6 * exact.abs().max(1e-3),
                "{text}: {}",
                integral(text)
            );
        }
    }

    #[test]
    fn a_mean_does_not_depend_on_how_the_time_is_divided() {
        let rate = timed("3*pulse(t - 0.3, 0.001) + sin(7*t) + floor(5*t)");
        let whole = rate.mean(0.0, 1.0).unwrap();
        for parts in [2, 7, 64] {
            let time = |part: u32| f64::from(part) / f64::from(parts);
            let sum: f64 = (0..parts)
                .map(|part| (time(part + 1) - time(part)) * rate.mean(time(part), time(part + 1)).unwrap())
                .sum();
            assert!((sum - whole).abs() < 1e-9, "{parts}: {sum} {whole}");
        }
    }

    #[test]
    fn windows_and_switches_are_breaks() {
        let rate = timed("2*t");
        assert_eq!(rate.mean_within(0.0..1.0, 2.0..3.0), Ok(0.0));
        let mean = rate.mean_within(0.0..1.0, 0.5..0.5001).unwrap();
        assert!((mean - (0.5001_f64.powi(2) - 0.25)).abs() < 1e-12);
        assert_eq!(Timed::constant(3.0).mean_within(1.0..2.0, 0.0..f64::INFINITY), Ok(3.0));
        let mean = rate.mean_while(&timed("cos(pi*t)"), 0.0, 1.0).unwrap();
        assert!((mean - 0.25).abs() < 1e-9, "{mean}");
        let constant = Timed::constant(4.0).mean_while(&timed("t - 0.7"), 0.0, 1.0).unwrap();
        assert!((constant - 1.2).abs() < 1e-9, "{constant}");
    }

    #[test]
    fn poles_undefined_values_and_values_out_of_range_are_errors() {
        for (text, expected) in [
            ("1/(t - 0.5001)", "rate must be at least -1000000 m³/s"),
            ("1/(t - 0.5001)^2", "rate must be at least -1000000 m³/s"),
            ("tan(pi*t)", "rate must be at least -1000000 m³/s"),
            ("sqrt(0.4 - t)", "not nan"),
            ("log(0.4 - t)", "not nan"),
            ("exp(2000*t)", "at most 1000000 m³/s, not"),
            ("1/floor(2*t)", "not inf"),
            ("2e6*pulse(t - 0.4321, 1e-9)", "not 2000000"),
            ("floor(1e12*t)", "rate"),
        ] {
            let problem = timed(text).mean(0.3, 0.6).expect_err(text);
            assert!(problem.message.contains(expected), "{text}: {problem}");
        }
        let problem = timed("2e6*step(t - 5)").at(5.0).unwrap_err();
        assert!(problem.message.ends_with("not 2000000 (at t = 5 s)"), "{problem}");
    }

    #[test]
    fn a_rate_that_changes_too_often_for_quadrature_is_an_error() {
        let problem = timed("sign(sin(1e9*t))").mean(0.0, 1.0).unwrap_err();
        assert!(problem.message.contains("changes too often"), "{problem}");
    }

    #[test]
    fn bounds_hold_every_value() {
        for text in [
            "sin(3*t)",
            "cos(t)*t",
            "tan(t/2)",
            "t^2 - t^3",
            "(t-1)^-2",
            "2^t",
            "t^t",
            "abs(t-1)",
            "min(t, 2-t)",
            "max(sin(t), t/3)",
            "atan2(t-1, cos(t))",
            "pulse(t-1, t/2)",
            "step(sin(9*t))",
            "ceil(3*t)",
            "sign(t-1)",
            "asin(t/3)",
            "acos(t/3)",
            "ln(t)",
            "sqrt(t)",
            "tanh(t)",
            "atan(5*t)",
            "exp(-t)",
            "-t",
            "2^-t",
            "1/(t+1)",
        ] {
            let timed = Timed::expression(text, &ANY, None).unwrap();
            for (from, to) in [(0.1, 0.2), (0.9, 1.1), (0.3, 2.7), (2.0, 2.001)] {
                let [low, high] = timed.bounds(from, to);
                for sample in 0..=1000 {
                    let Ok(value) = timed.at(from + (to - from) * f64::from(sample) / 1000.0) else {
                        continue;
                    };
                    assert!(
                        (low - 1e-12..=high + 1e-12).contains(&value),
                        "{text}: {value} in {low}..{high}"
                    );
                }
            }
        }
    }
}
