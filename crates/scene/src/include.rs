//! Reading scene files and what they include.
//!
//! `include = ["common.toml"]` puts the tables of another file below those of this one: where both say something, the
//! including file wins; of several includes the later one wins. Tables are merged; arrays are taken whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::fence::{self, Fence, PathRefusal};
use crate::phrase;
use crate::problem::{Problem, SceneErrors};
use crate::source_location::{SourceText, Span};
use crate::tree::{self, Node, TomlTable, TomlValue};

/// Longest chain of includes.
const DEEPEST: usize = 16;
/// How many files one scene may include: files that include each other twice would multiply without end.
const MOST: u32 = 256;

/// Reads the files of one scene.
pub(crate) struct IncludeReader<'f> {
    fence: &'f Fence,
    /// The files being read now, outermost first, by their real paths.
    chain: Vec<PathBuf>,
    count: u32,
    pub errors: SceneErrors,
}

impl<'f> IncludeReader<'f> {
    pub fn new(fence: &'f Fence) -> IncludeReader<'f> {
        IncludeReader { fence, chain: Vec::new(), count: 0, errors: SceneErrors::new() }
    }

    /// The table of a file on disk with all its includes.
    pub fn file(&mut self, path: PathBuf, source: &Arc<SourceText>) -> TomlTable {
        self.chain.push(path);
        let table = self.text(source);
        self.chain.pop();
        table
    }

    /// The table of a text with all its includes.
    pub fn text(&mut self, source: &Arc<SourceText>) -> TomlTable {
        let Some(mut table) = self.errors.keep(tree::parse(source)) else { return TomlTable::new() };
        if let Some(include) = table.remove("include") {
            for node in include.elements().iter().rev() {
                let below = self.include(node);
                tree::merge(&mut table, below);
            }
        }
        table
    }

    /// The table of one included file; empty when it is refused.
    fn include(&mut self, node: &Node) -> TomlTable {
        match self.admit(node) {
            Ok((path, source)) => self.file(path, &source),
            Err(refusal) => {
                self.errors.push(Problem::at(&node.span(), refusal.message, refusal.remedy));
                TomlTable::new()
            }
        }
    }

    fn admit(&mut self, node: &Node) -> Result<(PathBuf, Arc<SourceText>), PathRefusal> {
        let TomlValue::Text(typed) = &node.value else {
            let message = format!("include must name files, not {}", phrase::found(node));
            return Err(PathRefusal { message, remedy: "write include = [\"common.toml\"]".into() });
        };
        let span = node.span();
        let folder = span.source.folder.as_deref();
        let file = self.fence.admit(folder, typed)?;
        let path = file.path().to_path_buf();
        self.check_chain(&path, typed)?;
        let bytes = fence::read_admitted(&file, typed)?;
        let shown = folder.unwrap_or(Path::new("")).join(typed);
        let folder = shown.parent().map(Path::to_path_buf);
        self.count += 1;
        decode(self.count, shown.display().to_string(), bytes, folder).map(|source| (path, source)).map_err(
            |errors| {
                self.errors.absorb(errors);
                let message = format!("{} cannot be included", phrase::quoted(typed));
                PathRefusal { message, remedy: "a scene file is UTF-8 text".into() }
            },
        )
    }

    fn check_chain(&self, path: &Path, typed: &str) -> Result<(), PathRefusal> {
        let refuse = |message: String, remedy: &str| Err(PathRefusal { message, remedy: remedy.into() });
        if self.chain.iter().any(|open| open == path) {
            return refuse(
                format!("{} includes itself", phrase::quoted(typed)),
                "take one include of the circle away",
            );
        }
        if self.chain.len() >= DEEPEST {
            return refuse(format!("includes are nested deeper than {DEEPEST} files"), "");
        }
        if self.count >= MOST {
            return refuse(format!("more than {MOST} files are included"), "");
        }
        Ok(())
    }
}

/// Makes a source of the bytes of a file.
pub(crate) fn decode(
    rank: u32,
    name: String,
    bytes: Vec<u8>,
    folder: Option<PathBuf>,
) -> Result<Arc<SourceText>, SceneErrors> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceText::new(rank, name, &text, folder)),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let skipped = text.len() - text.strip_prefix('\u{feff}').unwrap_or(&text).len();
            let source = SourceText::new(rank, name, &text, folder);
            let start = offset.saturating_sub(skipped);
            let bad = Span::new(&source, start..start + char::REPLACEMENT_CHARACTER.len_utf8());
            Err(Problem::at(&bad, "this is not UTF-8 text", "save the file as UTF-8").into())
        }
    }
}
