//! The grammar of expressions of `t` or other variables, checked and compiled.
//!
//! The text is read token by token: names, brackets and the number of values are checked, and operations come out in
//! postfix order (the shunting-yard algorithm). A sign binds weaker than a power and closer than a product, as on paper;
//! `a^b^c`, which people read in two ways, is refused. The reading is one loop with a stack, so no input can overflow the
//! call stack.

use std::ops::Range;

use crate::functions::{self, Binary, Function, MINUS, NEGATE, Unary};
use crate::phrase::quoted;
use crate::program::{Operation, Program};
use crate::suggest;

/// Longest expression, in bytes.
const LONGEST: usize = 10_000;
/// Deepest nesting of brackets.
const DEEPEST: usize = 64;

/// What is wrong with an expression, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionFault {
    pub message: String,
    pub remedy: String,
    pub range: Range<usize>,
}

/// Precedence of the sign before a value: closer than a product, weaker than a power.
const SIGN: u8 = 2;
/// Precedence of the sign of an exponent: closer than all operators.
const EXPONENT_SIGN: u8 = 4;

/// Checks an expression of `t` and compiles it.
pub(crate) fn compile(text: &str) -> Result<Program, ExpressionFault> {
    compile_with(text, &["t"])
}

/// Checks an expression of these variables and compiles it.
pub(crate) fn compile_with(
    text: &str,
    variables: &'static [&'static str],
) -> Result<Program, ExpressionFault> {
    if text.len() > LONGEST {
        let message = format!("this expression is {} bytes long", text.len());
        return Err(ExpressionFault {
            message,
            remedy: format!("at most {LONGEST} are accepted"),
            range: 0..text.len(),
        });
    }
    let mut reader = ExpressionReader::new(text, variables);
    while let Some((token, range)) = next_token(text, reader.at)? {
        reader.at = range.end;
        reader.take(token, range)?;
    }
    reader.finish()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ExpressionToken<'t> {
    Number(f64),
    Name(&'t str),
    Sign(char),
    Operator(char),
    Open,
    Close,
    Comma,
}

fn next_token(
    text: &str,
    from: usize,
) -> Result<Option<(ExpressionToken<'_>, Range<usize>)>, ExpressionFault> {
    let rest = text[from..].trim_start_matches([' ', '\t', '\n', '\r']);
    let start = text.len() - rest.len();
    let Some(first) = rest.chars().next() else { return Ok(None) };
    // The extent of the token, from its first character
    let length = match first {
        '0'..='9' | '.' => number_length(rest.as_bytes()),
        'a'..='z' | 'A'..='Z' | '_' => {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
        }
        single => single.len_utf8(),
    };
    // Its kind
    let (word, range) = (&rest[..length], start..start + length);
    let meaningless = || {
        fault(
            &range,
            format!("{} means nothing in an expression", quoted(word)),
            "use numbers, t, + - * / ^, brackets and functions",
        )
    };
    let token = match first {
        '0'..='9' | '.' => ExpressionToken::Number(word.parse().map_err(|_| meaningless())?),
        'a'..='z' | 'A'..='Z' | '_' => ExpressionToken::Name(word),
        '+' | '-' => ExpressionToken::Sign(first),
        '*' | '/' | '^' => ExpressionToken::Operator(first),
        '(' => ExpressionToken::Open,
        ')' => ExpressionToken::Close,
        ',' => ExpressionToken::Comma,
        _ => return Err(meaningless()),
    };
    Ok(Some((token, range)))
}

/// The length of the digits, the point and the exponent that `bytes` start with.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        length += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    length
}

fn fault(range: &Range<usize>, message: impl Into<String>, remedy: impl Into<String>) -> ExpressionFault {
    ExpressionFault { message: message.into(), remedy: remedy.into(), range: range.clone() }
}

/// An open bracket and what it belongs to.
struct Bracket {
    range: Range<usize>,
    /// The function whose values it holds; none for a plain bracket.
    function: Option<Function>,
    /// How many operators were waiting when it was opened.
    waiting: usize,
    commas: usize,
    /// What stood before the bracket, seen from outside.
    outside: Before,
}

/// What came just before, within the current bracket.
#[derive(Clone, Copy, Default)]
struct Before {
    /// A value is complete, so an operator must follow.
    value: bool,
    /// The value belongs to a power, so another `^` would be ambiguous.
    power: bool,
}

/// An operator that waits for its last operand.
#[derive(Clone, Copy)]
enum Waiting {
    Sign(&'static Unary, u8),
    Operator(&'static Binary, u8),
}

struct ExpressionReader {
    variables: &'static [&'static str],
    at: usize,
    length: usize,
    program: Program,
    waiting: Vec<Waiting>,
    brackets: Vec<Bracket>,
    before: Before,
    /// A function was named and must be followed by its bracket.
    called: Option<(Function, Range<usize>)>,
    /// Whether the signs just read turn the next value round; none when there were no signs.
    negated: Option<bool>,
}

impl ExpressionReader {
    fn new(text: &str, variables: &'static [&'static str]) -> ExpressionReader {
        ExpressionReader {
            variables,
            at: 0,
            length: text.len(),
            program: Program::default(),
            waiting: Vec::new(),
            brackets: Vec::new(),
            before: Before::default(),
            called: None,
            negated: None,
        }
    }

    fn take(&mut self, token: ExpressionToken<'_>, range: Range<usize>) -> Result<(), ExpressionFault> {
        if token != ExpressionToken::Open {
            self.need_no_call()?;
        }
        match token {
            ExpressionToken::Number(number) => self.value(Operation::Number(number), range),
            ExpressionToken::Name(name) => self.name(name, range),
            ExpressionToken::Sign(sign) if !self.before.value => {
                let turned = self.negated.unwrap_or(false) ^ (sign == '-');
                self.negated = Some(turned);
                Ok(())
            }
            ExpressionToken::Sign(operator) | ExpressionToken::Operator(operator) => {
                self.operator(operator, range)
            }
            ExpressionToken::Open => self.open(range),
            ExpressionToken::Comma => self.comma(range),
            ExpressionToken::Close => self.close(range),
        }
    }

    /// A function that was named must be followed by its bracket.
    fn need_no_call(&self) -> Result<(), ExpressionFault> {
        let Some((function, named)) = &self.called else { return Ok(()) };
        let name = function.name();
        Err(fault(named, format!("{name} is a function"), format!("write {name}(…)")))
    }

    /// Begins a value with the signs before it. After `^` the sign belongs to the exponent alone.
    fn start_value(&mut self, range: &Range<usize>) -> Result<(), ExpressionFault> {
        if self.before.value {
            return Err(fault(range, "an operator is missing here", "write a product with *: 2*t"));
        }
        if self.negated.take() == Some(true) {
            self.waiting.push(match self.before.power {
                true => Waiting::Sign(&MINUS, EXPONENT_SIGN),
                false => Waiting::Sign(&NEGATE, SIGN),
            });
        }
        Ok(())
    }

    fn value(&mut self, value: Operation, range: Range<usize>) -> Result<(), ExpressionFault> {
        self.start_value(&range)?;
        self.program.push(value);
        self.before.value = true;
        Ok(())
    }

    fn name(&mut self, name: &str, range: Range<usize>) -> Result<(), ExpressionFault> {
        if let Some(number) = self.variables.iter().position(|variable| *variable == name) {
            return self.value(Operation::Variable(number), range);
        }
        if let Some(constant) = functions::constant(name) {
            return self.value(Operation::Number(constant), range);
        }
        let function = functions::find(name).ok_or_else(|| unknown(name, &range, self.variables))?;
        self.start_value(&range)?;
        self.called = Some((function, range));
        Ok(())
    }

    /// Carries out the operators of the current bracket that bind at least as close as `precedence`.
    fn release(&mut self, precedence: u8) {
        let first = self.brackets.last().map_or(0, |bracket| bracket.waiting);
        while self.waiting.len() > first {
            let (operation, closeness) = match self.waiting[self.waiting.len() - 1] {
                Waiting::Sign(sign, closeness) => (Operation::Unary(sign), closeness),
                Waiting::Operator(operator, closeness) => (Operation::Binary(operator), closeness),
            };
            if closeness < precedence {
                return;
            }
            self.waiting.pop();
            self.program.push(operation);
        }
    }

    fn operator(&mut self, operator: char, range: Range<usize>) -> Result<(), ExpressionFault> {
        self.need_value(&range, &format!("before {operator}"))?;
        if operator == '^' && self.before.power {
            return Err(fault(
                &range,
                "a power of a power can be read in two ways",
                "write a^(b^c) or (a^b)^c",
            ));
        }
        if let Some((operation, precedence)) = functions::operator(operator) {
            self.release(precedence);
            self.waiting.push(Waiting::Operator(operation, precedence));
        }
        self.before = Before { value: false, power: operator == '^' };
        Ok(())
    }

    fn open(&mut self, range: Range<usize>) -> Result<(), ExpressionFault> {
        if self.brackets.len() == DEEPEST {
            return Err(fault(
                &range,
                "brackets are nested too deep",
                format!("at most {DEEPEST} levels are accepted"),
            ));
        }
        let function = self.called.take().map(|(function, _)| function);
        if function.is_none() {
            self.start_value(&range)?;
        }
        let waiting = self.waiting.len();
        self.brackets.push(Bracket { range, function, waiting, commas: 0, outside: self.before });
        self.before = Before::default();
        Ok(())
    }

    fn comma(&mut self, range: Range<usize>) -> Result<(), ExpressionFault> {
        self.need_value(&range, "before the comma")?;
        let stray = || fault(&range, "this comma belongs to no function", "write decimals with a point: 0.5");
        let bracket = self.brackets.last_mut().ok_or_else(stray)?;
        let function = bracket.function.ok_or_else(stray)?;
        bracket.commas += 1;
        if bracket.commas == function.values() {
            return Err(fault(&range, wrong_count(function), ""));
        }
        self.release(0);
        self.before = Before::default();
        Ok(())
    }

    fn close(&mut self, range: Range<usize>) -> Result<(), ExpressionFault> {
        if self.brackets.is_empty() {
            return Err(fault(&range, "this bracket closes nothing", ""));
        }
        self.need_value(&range, "before this bracket")?;
        self.release(0);
        let Some(bracket) = self.brackets.pop() else { return Ok(()) };
        if let Some(function) = bracket.function {
            if bracket.commas + 1 != function.values() {
                return Err(fault(&range, wrong_count(function), ""));
            }
            self.program.push(match function {
                Function::One(function) => Operation::Unary(function),
                Function::Two(function) => Operation::Binary(function),
            });
        }
        self.before = Before { value: true, ..bracket.outside };
        Ok(())
    }

    fn need_value(&self, range: &Range<usize>, whereabouts: &str) -> Result<(), ExpressionFault> {
        let missing = || fault(range, format!("a value is missing {whereabouts}"), "");
        self.before.value.then_some(()).ok_or_else(missing)
    }

    fn finish(mut self) -> Result<Program, ExpressionFault> {
        self.need_no_call()?;
        if let Some(bracket) = self.brackets.last() {
            return Err(fault(&bracket.range, "this bracket is never closed", ""));
        }
        let end = self.length..self.length;
        self.need_value(&end, "at the end of the expression")?;
        self.release(0);
        match self.program.fits() {
            true => Ok(self.program),
            false => Err(fault(&end, "too many values are nested", "write it with fewer brackets")),
        }
    }
}

fn wrong_count(function: Function) -> String {
    match function.values() {
        1 => format!("{} takes one value", function.name()),
        _ => format!("{} takes two values", function.name()),
    }
}

fn unknown(name: &str, range: &Range<usize>, variables: &[&str]) -> ExpressionFault {
    let known = variables.join(", ");
    let remedy = match (suggest::nearest(name, functions::names()), variables) {
        (Some(near), _) => format!("did you mean {near:?}?"),
        (None, [_]) => "the only variable is the time t; write other numbers out".to_owned(),
        (None, _) => format!("the variables are {known}; write other numbers out"),
    };
    let only = if variables.len() == 1 { " only" } else { "" };
    fault(range, format!("unknown name {}: expressions may use {known}{only}", quoted(name)), remedy)
}
