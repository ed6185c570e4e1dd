//! An expression of several variables, such as x, y and t.

use std::fmt;
use std::sync::Arc;

use crate::expression::compile_with;
use crate::problem::Problem;
use crate::program::Program;
use crate::values::Values;

/// A compiled expression of named variables, with the grammar of [`Timed`](crate::Timed).
///
/// It comes from a key for text, so that the section says which variables there are.
#[derive(Clone)]
pub struct Formula {
    text: Arc<str>,
    program: Arc<Program>,
}

impl Formula {
    /// Compiles the text of a key as an expression of these variables; `None` where the key is absent.
    ///
    /// ```
    /// use undine_scene::{Formula, Key, LoadOptions, Scene};
    ///
    /// let keys = [Key::text("wind").optional("none").help("a pressure")];
    /// let scene = Scene::parse("scene", "[scene]\nduration = 1\n[[water]]\nwind = '2*x + t'", &LoadOptions::default())?;
    /// let values = scene.sections("water")[0].read(&[&keys])?;
    /// let formula = Formula::read(&values, "wind", &["x", "t"])?.unwrap();
    /// assert_eq!(formula.value(&[3.0, 1.0]), 7.0);
    /// assert!(Formula::read(&values, "wind", &["x"]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(
        values: &Values,
        key: &str,
        variables: &'static [&'static str],
    ) -> Result<Option<Formula>, Problem> {
        let Some(text) = values.text_if(key) else { return Ok(None) };
        match compile_with(text, variables) {
            Ok(program) => Ok(Some(Formula { text: text.into(), program: Arc::new(program) })),
            Err(fault) => {
                let spot = text.get(fault.range).unwrap_or_default();
                let message =
                    if spot.is_empty() { fault.message } else { format!("{} at {spot:?}", fault.message) };
                Err(values.problem(key, message, fault.remedy))
            }
        }
    }

    /// Its value for values of its variables, in their order; not a number where it is not defined.
    pub fn value(&self, variables: &[f64]) -> f64 {
        self.program.value_of(variables)
    }

    /// The expression as text.
    pub fn source(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Formula({})", self.text)
    }
}
