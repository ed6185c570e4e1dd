//! Reads SPDX licence expressions: `MIT OR (Apache-2.0 WITH LLVM-exception AND Zlib)`.
//!
//! WITH binds closest, then AND, then OR. The old form `MIT/Apache-2.0` means OR. A `+` after a licence ("or later")
//! changes nothing for us: the version named is one that may be chosen. SPDX 2.3, annex D.

use std::iter::Peekable;

/// What may be chosen, and what must be kept together.
#[derive(Debug, PartialEq)]
pub enum Expression {
    /// A licence, with its exception as `LICENCE WITH EXCEPTION`.
    Licence(String),
    /// All of these hold.
    All(Vec<Expression>),
    /// Any of these may be chosen.
    Any(Vec<Expression>),
}

// No licence expression nests deeper; the limit protects the stack.
const DEEPEST: usize = 32;

impl Expression {
    /// Reads an expression, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Expression, String> {
        let mut parser = Parser { tokens: tokens(text).into_iter().peekable(), depth: 0 };
        let expression = parser.any()?;
        match parser.tokens.next() {
            Some(token) => Err(format!("unexpected {token:?}")),
            None => Ok(expression),
        }
    }

    /// Whether it can be met with licences that are `allowed`.
    pub fn is_met(&self, allowed: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Expression::Licence(licence) => allowed(licence),
            Expression::All(parts) => parts.iter().all(|part| part.is_met(allowed)),
            Expression::Any(parts) => parts.iter().any(|part| part.is_met(allowed)),
        }
    }
}

fn tokens(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<T: Iterator<Item = String>> {
    tokens: Peekable<T>,
    depth: usize,
}

impl<T: Iterator<Item = String>> Parser<T> {
    fn any(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.all()?];
        while self.takes("OR") {
            parts.push(self.all()?);
        }
        Ok(joined(parts, Expression::Any))
    }

    fn all(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.single()?];
        while self.takes("AND") {
            parts.push(self.single()?);
        }
        Ok(joined(parts, Expression::All))
    }

    fn single(&mut self) -> Result<Expression, String> {
        if self.takes("(") {
            return self.group();
        }
        let licence = self.name("a licence")?;
        let licence = licence.strip_suffix('+').unwrap_or(&licence);
        if !self.takes("WITH") {
            return Ok(Expression::Licence(licence.to_owned()));
        }
        let exception = self.name("an exception")?;
        Ok(Expression::Licence(format!("{licence} WITH {exception}")))
    }

    fn group(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("too many parentheses".to_owned());
        }
        let inside = self.any()?;
        self.depth -= 1;
        if self.takes(")") { Ok(inside) } else { Err("a parenthesis is not closed".to_owned()) }
    }

    fn name(&mut self, what: &str) -> Result<String, String> {
        let is_name = |token: &String| token.chars().all(|c| c.is_ascii_alphanumeric() || "-.+:".contains(c));
        match self.tokens.next() {
            Some(token) if is_name(&token) && operator(&token).is_none() => Ok(token),
            Some(token) => Err(format!("{token:?} stands where {what} should")),
            None => Err(format!("it ends where {what} should stand")),
        }
    }

    fn takes(&mut self, wanted: &str) -> bool {
        let is_wanted = |token: &String| token == wanted || operator(token) == Some(wanted);
        self.tokens.next_if(is_wanted).is_some()
    }
}

/// Operators may be written in capitals or in small letters.
fn operator(token: &str) -> Option<&'static str> {
    match token {
        "OR" | "or" => Some("OR"),
        "AND" | "and" => Some("AND"),
        "WITH" | "with" => Some("WITH"),
        _ => None,
    }
}

fn joined(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

#[cfg(test)]
mod tests {
    use super::Expression::{All, Any};
    use super::*;

    fn licence(name: &str) -> Expression {
        Expression::Licence(name.to_owned())
    }

    #[test]
    fn with_binds_closer_than_and_and_and_closer_than_or() {
        let read = Expression::parse("A OR B AND C WITH D").unwrap();
        assert_eq!(read, Any(vec![licence("A"), All(vec![licence("B"), licence("C WITH D")])]));
    }

    #[test]
    fn parentheses_come_first() {
        let read = Expression::parse("(A OR B) AND C").unwrap();
        assert_eq!(read, All(vec![Any(vec![licence("A"), licence("B")]), licence("C")]));
        assert_eq!(Expression::parse("((A))").unwrap(), licence("A"));
    }

    #[test]
    fn the_old_slash_means_or_and_plus_means_this_version_at_least() {
        let read = Expression::parse("MIT/Apache-2.0 / Zlib").unwrap();
        assert_eq!(read, Any(vec![licence("MIT"), licence("Apache-2.0"), licence("Zlib")]));
        assert_eq!(Expression::parse("Apache-2.0+").unwrap(), licence("Apache-2.0"));
        assert_eq!(Expression::parse("a or b").unwrap(), Any(vec![licence("a"), licence("b")]));
    }

    #[test]
    fn what_is_not_an_expression_is_refused() {
        let deep = "(".repeat(100_000) + "MIT";
        for text in
            ["", "OR", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT Zlib", "A WITH", "A WITH (B)", "M!T", &deep]
        {
            assert!(Expression::parse(text).is_err(), "{text:.20}");
        }
    }

    #[test]
    fn any_needs_one_and_all_needs_every_one() {
        let is_met = |text: &str| Expression::parse(text).unwrap().is_met(&|name| name == "good");
        assert!(is_met("bad OR good"));
        assert!(!is_met("bad AND good"));
        assert!(is_met("(bad OR good) AND good"));
        assert!(!is_met("good WITH strings"));
    }
}
