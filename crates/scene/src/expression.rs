//! The grammar of expressions of `t`, checked and rewritten for the evaluating crate.
//!
//! The evaluator, exmex, binds a sign closer than a power (`-2^2 = 4`), does not know numbers with exponents and loses
//! its way in nested two-value functions. So the text is first read here, token by token: names, brackets and the
//! number of values are checked, and what comes out is unambiguous. A sign becomes a subtraction from zero that binds
//! weaker than a power and closer than a product; `min(a, b)` becomes `((a) min (b))`; `a^b^c`, which people read in
//! two ways, is refused. The reading is one loop with a stack, so no input can overflow the call stack.

use std::ops::Range;

use crate::functions;
use crate::phrase::quoted;
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

/// An expression in the evaluator's own grammar.
pub(crate) struct Rewritten {
    pub text: String,
    pub names_t: bool,
}

/// Checks an expression and rewrites it for the evaluator.
pub(crate) fn rewrite(text: &str) -> Result<Rewritten, ExpressionFault> {
    if text.len() > LONGEST {
        let message = format!("this expression is {} bytes long", text.len());
        return Err(ExpressionFault {
            message,
            remedy: format!("at most {LONGEST} are accepted"),
            range: 0..text.len(),
        });
    }
    let mut reader = ExpressionReader::new(text);
    while let Some((token, range)) = next_token(text, reader.at)? {
        reader.at = range.end;
        reader.take(token, range)?;
    }
    reader.finish()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ExpressionToken<'t> {
    Number(&'t str),
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
    let token = match first {
        '0'..='9' | '.' if word.parse::<f64>().is_ok() => ExpressionToken::Number(word),
        'a'..='z' | 'A'..='Z' | '_' => ExpressionToken::Name(word),
        '+' | '-' => ExpressionToken::Sign(first),
        '*' | '/' | '^' => ExpressionToken::Operator(first),
        '(' => ExpressionToken::Open,
        ')' => ExpressionToken::Close,
        ',' => ExpressionToken::Comma,
        _ => {
            return Err(fault(
                &range,
                format!("{} means nothing in an expression", quoted(word)),
                "use numbers, t, + - * / ^, brackets and functions",
            ));
        }
    };
    Ok(Some((token, range)))
}

/// The length of the digits, the point and the exponent that `bytes` start with.
pub(crate) fn number_length(bytes: &[u8]) -> usize {
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
    /// The function and the number of values it takes; none for a plain bracket.
    function: Option<(&'static str, usize)>,
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

struct ExpressionReader {
    at: usize,
    length: usize,
    written: String,
    names_t: bool,
    brackets: Vec<Bracket>,
    before: Before,
    /// A function was named and must be followed by its bracket.
    called: Option<(&'static str, usize, Range<usize>)>,
    /// Whether the signs just read turn the next value round; none when there were no signs.
    negated: Option<bool>,
}

impl ExpressionReader {
    fn new(text: &str) -> ExpressionReader {
        ExpressionReader {
            at: 0,
            length: text.len(),
            written: String::with_capacity(2 * text.len()),
            names_t: false,
            brackets: Vec::new(),
            before: Before::default(),
            called: None,
            negated: None,
        }
    }

    fn take(&mut self, token: ExpressionToken<'_>, range: Range<usize>) -> Result<(), ExpressionFault> {
        if let Some((name, _, named)) = &self.called
            && token != ExpressionToken::Open
        {
            return Err(fault(named, format!("{name} is a function"), format!("write {name}(…)")));
        }
        match token {
            ExpressionToken::Number(digits) => self.value(digits, range),
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

    /// Writes the signs before a value. After `^` the sign belongs to the exponent alone.
    fn write_signs(&mut self) {
        if self.negated.take() == Some(true) {
            self.written.push_str(if self.before.power { "-" } else { "0~" });
        }
    }

    fn start_value(&mut self, range: &Range<usize>) -> Result<(), ExpressionFault> {
        if self.before.value {
            return Err(fault(range, "an operator is missing here", "write a product with *: 2*t"));
        }
        self.write_signs();
        Ok(())
    }

    fn value(&mut self, word: &str, range: Range<usize>) -> Result<(), ExpressionFault> {
        self.start_value(&range)?;
        self.written.push_str(word);
        self.before.value = true;
        Ok(())
    }

    fn name(&mut self, name: &str, range: Range<usize>) -> Result<(), ExpressionFault> {
        if name == "t" || functions::is_constant(name) {
            self.names_t |= name == "t";
            return self.value(name, range);
        }
        let (function, values) = functions::find(name).ok_or_else(|| unknown(name, &range))?;
        self.start_value(&range)?;
        self.called = Some((function, values, range));
        Ok(())
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
        self.written.push(operator);
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
        let function = self.called.take().map(|(name, values, _)| (name, values));
        if function.is_none() {
            self.start_value(&range)?;
        }
        match function {
            Some((name, 1)) => self.written.extend([name, "("]),
            Some(_) => self.written.push_str("(("),
            None => self.written.push('('),
        }
        self.brackets.push(Bracket { range, function, commas: 0, outside: self.before });
        self.before = Before::default();
        Ok(())
    }

    fn comma(&mut self, range: Range<usize>) -> Result<(), ExpressionFault> {
        self.need_value(&range, "before the comma")?;
        let stray = || fault(&range, "this comma belongs to no function", "write decimals with a point: 0.5");
        let bracket = self.brackets.last_mut().ok_or_else(stray)?;
        let (name, values) = bracket.function.ok_or_else(stray)?;
        bracket.commas += 1;
        if bracket.commas == values {
            return Err(fault(&range, wrong_count(name, values), ""));
        }
        self.written.extend([")", name, "("]);
        self.before = Before::default();
        Ok(())
    }

    fn close(&mut self, range: Range<usize>) -> Result<(), ExpressionFault> {
        let bracket = self.brackets.pop().ok_or_else(|| fault(&range, "this bracket closes nothing", ""))?;
        self.need_value(&range, "before this bracket")?;
        if let Some((name, values)) = bracket.function
            && bracket.commas + 1 != values
        {
            return Err(fault(&range, wrong_count(name, values), ""));
        }
        self.written.push_str(if bracket.function.is_some_and(|(_, values)| values == 2) {
            "))"
        } else {
            ")"
        });
        self.before = Before { value: true, ..bracket.outside };
        Ok(())
    }

    fn need_value(&self, range: &Range<usize>, whereabouts: &str) -> Result<(), ExpressionFault> {
        let missing = || fault(range, format!("a value is missing {whereabouts}"), "");
        self.before.value.then_some(()).ok_or_else(missing)
    }

    fn finish(self) -> Result<Rewritten, ExpressionFault> {
        if let Some((name, _, named)) = &self.called {
            return Err(fault(named, format!("{name} is a function"), format!("write {name}(…)")));
        }
        if let Some(bracket) = self.brackets.last() {
            return Err(fault(&bracket.range, "this bracket is never closed", ""));
        }
        self.need_value(&(self.length..self.length), "at the end of the expression")?;
        Ok(Rewritten { text: self.written, names_t: self.names_t })
    }
}

fn wrong_count(name: &str, values: usize) -> String {
    match values {
        1 => format!("{name} takes one value"),
        _ => format!("{name} takes two values"),
    }
}

fn unknown(name: &str, range: &Range<usize>) -> ExpressionFault {
    let remedy = match suggest::nearest(name, functions::names()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "the only variable is the time t; write other numbers out".to_owned(),
    };
    fault(range, format!("unknown name {}: expressions may use t only", quoted(name)), remedy)
}
