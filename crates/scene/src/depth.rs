//! Checks the nesting depth of a TOML text before it is parsed.
//!
//! The parser bounds brackets and dotted keys each for itself, but not both together: tables in braces under long dotted
//! keys make a tree deep enough to overflow the stack when it is freed. This scan counts both, in one loop.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// How many levels of brackets and dotted keys may be open at once.
const DEEPEST: usize = 64;

/// Where the text becomes too deep, if it does.
pub(crate) fn too_deep(text: &str) -> Option<Range<usize>> {
    let mut levels = Levels { open: vec![0], total: 0, after_equals: false };
    let mut tokens = Source::new(text).lex();
    let deep = tokens.find(|token| {
        levels.take(token.kind());
        levels.total > DEEPEST
    })?;
    Some(deep.span().start()..deep.span().end())
}

struct Levels {
    /// The dots of the current key, for each open bracket.
    open: Vec<usize>,
    /// All open brackets and dots.
    total: usize,
    after_equals: bool,
}

impl Levels {
    fn take(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                self.open.push(0);
                self.total += 1;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket if self.open.len() > 1 => {
                self.end_key();
                self.open.pop();
                self.total -= 1;
            }
            TokenKind::Dot => self.add_dot(),
            // A line end closes a key unless its value is still to come.
            TokenKind::Newline if !self.after_equals => self.end_key(),
            TokenKind::Comma => self.end_key(),
            _ => {}
        }
        let is_blank = matches!(kind, TokenKind::Whitespace | TokenKind::Comment | TokenKind::Newline);
        self.after_equals = kind == TokenKind::Equals || (self.after_equals && is_blank);
    }

    fn add_dot(&mut self) {
        if let Some(dots) = self.open.last_mut() {
            *dots += 1;
            self.total += 1;
        }
    }

    fn end_key(&mut self) {
        if let Some(dots) = self.open.last_mut() {
            self.total -= std::mem::take(dots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_shallow_however_long() {
        let lines = "a.b.c = [1.5, 2.5, { x.y = 3.5 }]\n[[p.q]]\nz = \"....[[[[\" # ....[[[[\n".repeat(1000);
        assert_eq!(too_deep(&lines), None);
        assert_eq!(too_deep(&format!("a = [{}]", "1.5,\n".repeat(1000))), None);
        assert_eq!(too_deep(&format!("a = [\n{}", "b = 1.5\n".repeat(1000))), None);
        assert_eq!(too_deep(&"]}".repeat(1000)), None);
    }

    #[test]
    fn brackets_and_dots_count_together() {
        let level = "{ a.a.a.a = ";
        assert_eq!(too_deep(&format!("x = {}1", level.repeat(16))), None);
        assert!(too_deep(&format!("x = {}1", level.repeat(17))).is_some());
        assert!(too_deep(&format!("x = {}1", "{ a.a.a.a = \n # \n".repeat(17))).is_some());
        assert_eq!(too_deep(&"[".repeat(100)), Some(64..65));
    }
}
