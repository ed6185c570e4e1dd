//! A problem of a scene, and the list of all of them.

use std::fmt;

use crate::source_location::{SourceLocation, Span, printable};

/// How many problems are printed; the rest is counted.
const PRINTED: usize = 50;
/// How many problems are kept: a file made to have millions must not fill the memory.
const KEPT: usize = 10_000;

/// One thing that is wrong, where it is, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What would be right; may be empty.
    pub remedy: String,
    /// Where it was typed; none when it was typed nowhere.
    pub place: Option<SourceLocation>,
}

impl Problem {
    /// A problem that stands nowhere in a file.
    ///
    /// ```
    /// let problem = undine_scene::Problem::new("the pool is dry", "let it rain");
    /// assert_eq!(problem.to_string(), "the pool is dry\n  = help: let it rain");
    /// ```
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem { message: message.into(), remedy: remedy.into(), place: None }
    }

    /// A problem with what is marked.
    pub(crate) fn at(span: &Span, message: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem { place: Some(span.place()), ..Problem::new(message, remedy) }
    }

    fn order(&self) -> (Option<(u32, u32, u32)>, &str, &str) {
        (self.place.as_ref().map(SourceLocation::order), &self.message, &self.remedy)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut indent = 2;
        if let Some(place) = &self.place {
            writeln!(
                to,
                "{}:{}:{}: {}",
                printable(&place.source),
                place.line,
                place.column,
                printable(&self.message)
            )?;
            place.draw(to)?;
            indent = place.indent();
        } else {
            write!(to, "{}", printable(&self.message))?;
        }
        if self.remedy.is_empty() {
            return Ok(());
        }
        write!(to, "\n{:indent$}= help: {}", "", printable(&self.remedy))
    }
}

impl std::error::Error for Problem {}

/// All problems of a scene, sorted by place, each once.
///
/// ```
/// use undine_scene::{Problem, SceneErrors};
///
/// let mut errors = SceneErrors::default();
/// assert!(errors.clone().into_result().is_ok());
/// errors.push(Problem::new("the pool is dry", ""));
/// errors.push(Problem::new("the pool is dry", ""));
/// assert_eq!(errors.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
pub struct SceneErrors {
    problems: Vec<Problem>,
}

impl SceneErrors {
    /// An empty list.
    pub fn new() -> SceneErrors {
        SceneErrors::default()
    }

    /// Adds a problem, unless it is already there, or there are ten thousand others.
    pub fn push(&mut self, problem: Problem) {
        if self.len() == KEPT {
            return;
        }
        let at = self.problems.partition_point(|known| known.order() < problem.order());
        if self.problems.get(at) != Some(&problem) {
            self.problems.insert(at, problem);
        }
    }

    /// Adds all problems of another list.
    pub fn absorb(&mut self, others: SceneErrors) {
        self.extend(others);
    }

    /// Keeps the value of a result, or its problems.
    ///
    /// ```
    /// use undine_scene::{Problem, SceneErrors};
    ///
    /// let mut errors = SceneErrors::new();
    /// assert_eq!(errors.keep::<u8>(Ok(3)), Some(3));
    /// assert_eq!(errors.keep::<u8>(Err(Problem::new("the pool is dry", "").into())), None);
    /// assert_eq!(errors.len(), 1);
    /// ```
    pub fn keep<T>(&mut self, result: Result<T, SceneErrors>) -> Option<T> {
        result.map_err(|errors| self.absorb(errors)).ok()
    }

    /// The problems in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.problems.iter()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// `Ok` when nothing is wrong.
    pub fn into_result(self) -> Result<(), SceneErrors> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The names of the sources in question, each once.
    fn sources(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for place in self.iter().filter_map(|problem| problem.place.as_ref()) {
            if !names.contains(&place.source.as_str()) {
                names.push(&place.source);
            }
        }
        names
    }
}

impl Extend<Problem> for SceneErrors {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl FromIterator<Problem> for SceneErrors {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> SceneErrors {
        let mut errors = SceneErrors::new();
        errors.extend(problems);
        errors
    }
}

impl IntoIterator for SceneErrors {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.problems.into_iter()
    }
}

impl<'e> IntoIterator for &'e SceneErrors {
    type Item = &'e Problem;
    type IntoIter = std::slice::Iter<'e, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Problem> for SceneErrors {
    fn from(problem: Problem) -> SceneErrors {
        SceneErrors { problems: vec![problem] }
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.iter().take(PRINTED) {
            writeln!(to, "{problem}\n")?;
        }
        if self.len() > PRINTED {
            writeln!(to, "… and {} more\n", self.len() - PRINTED)?;
        }
        let noun = if self.len() == 1 { "problem" } else { "problems" };
        let bound = if self.len() == KEPT { "at least " } else { "" };
        write!(to, "{bound}{} {noun}", self.len())?;
        match self.sources().as_slice() {
            [] => Ok(()),
            names => write!(to, " in {}", printable(&names.join(", "))),
        }
    }
}
