//! Reads an XML file into a plain tree whose every element and attribute knows its file and line.
//!
//! `include` elements are replaced by the contents of the files they name. Depth, file size and repetition are bounded,
//! so that no file makes the loader recurse or read without end.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::load_error::LoadError;

/// Deepest nesting of elements; the loader's thread has stack for it (see `Model::from_file`).
pub(crate) const MAX_DEPTH: usize = 1000;
/// Largest file that is read, in bytes.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// Where something was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub file: Rc<Path>,
    pub line: u32,
    /// Byte in the file; with the file it identifies an element.
    pub offset: usize,
}

impl Place {
    pub fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError { file: self.file.to_path_buf(), line: self.line, message: message.into() }
    }
}

/// One attribute as written.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: Rc<str>,
    pub value: Rc<str>,
    pub place: Place,
}

/// One element with its attributes and children.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: Rc<str>,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    pub place: Place,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| &*a.name == name).map(|a| &*a.value)
    }

    /// The element as errors call it: `joint "elbow"`, or `joint` without a name.
    pub fn label(&self) -> String {
        match self.attribute("name") {
            Some(name) => format!("{} \"{}\"", self.name, name),
            None => self.name.to_string(),
        }
    }

    pub fn error(&self, message: impl std::fmt::Display) -> LoadError {
        self.place.error(format!("{}: {}", self.label(), message))
    }
}

/// Reads `path` and everything it includes.
pub(crate) fn read_file(path: &Path) -> Result<Element, LoadError> {
    let here = Place { file: path.into(), line: 0, offset: 0 };
    let text = read_text(path, &here)?;
    let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
    read_text_with_includes(&text, path, Some(directory))
}

/// Reads `text`; includes are relative to `directory`, and refused without one.
pub(crate) fn read_text_with_includes(
    text: &str,
    name: &Path,
    directory: Option<PathBuf>,
) -> Result<Element, LoadError> {
    let mut reader = Reader { directory, read: HashSet::new() };
    reader.read.insert(identity(name));
    reader.parse(text, name, 0)
}

fn read_text(path: &Path, from: &Place) -> Result<String, LoadError> {
    // The model's own file is named before the message.
    let what = if from.line == 0 { "this file".into() } else { path.display().to_string() };
    let failed = |why: String| from.error(format!("cannot read {what}: {why}"));
    let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
    if size > MAX_FILE_SIZE {
        return Err(failed(format!("it has {size} bytes, more than {MAX_FILE_SIZE}")));
    }
    std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))
}

fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

struct Reader {
    directory: Option<PathBuf>,
    /// Files read so far; MJCF lets a file be included once.
    read: HashSet<PathBuf>,
}

impl Reader {
    fn parse(&mut self, text: &str, file: &Path, depth: usize) -> Result<Element, LoadError> {
        let file: Rc<Path> = file.into();
        let at = |line: u32| Place { file: file.clone(), line, offset: 0 };
        // The XML reader recurses for every level: refuse depth before it does.
        if let Some(line) = line_that_nests_too_deep(text) {
            return Err(at(line).error(format!("elements are nested more than {MAX_DEPTH} deep")));
        }
        let options = roxmltree::ParsingOptions { allow_dtd: false, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(text, options)
            .map_err(|e| at(e.pos().row).error(format!("malformed XML: {e}")))?;
        let line_starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let line_of = |byte: usize| line_starts.partition_point(|&start| start <= byte) as u32;
        let place_of = |offset| Place { file: file.clone(), line: line_of(offset), offset };
        self.element(document.root_element(), &place_of, depth)
    }

    fn element(
        &mut self,
        node: roxmltree::Node,
        place_of: &dyn Fn(usize) -> Place,
        depth: usize,
    ) -> Result<Element, LoadError> {
        let place = place_of(node.range().start);
        if depth > MAX_DEPTH {
            return Err(place.error(format!("elements are nested more than {MAX_DEPTH} deep")));
        }
        let attributes = node
            .attributes()
            .filter(|a| a.namespace().is_none()) // xsi:schemaLocation and the like belong to editors
            .map(|a| Attribute { name: a.name().into(), value: a.value().into(), place: place_of(a.range().start) })
            .collect();
        let mut element = Element { name: node.tag_name().name().into(), attributes, children: Vec::new(), place };
        for child in node.children().filter(|n| n.is_element()) {
            if child.tag_name().name() == "include" {
                let include = self.element(child, place_of, depth + 1)?;
                element.children.extend(self.include(&include, depth + 1)?);
            } else {
                element.children.push(self.element(child, place_of, depth + 1)?);
            }
        }
        Ok(element)
    }

    fn include(&mut self, include: &Element, depth: usize) -> Result<Vec<Element>, LoadError> {
        if let Some(other) = include.attributes.iter().find(|a| &*a.name != "file") {
            return Err(other.place.error(format!("include: unknown attribute `{}`; it takes `file`", other.name)));
        }
        let file = include.attribute("file").ok_or_else(|| include.error("attribute `file` is missing"))?;
        let Some(directory) = &self.directory else {
            return Err(include.error("a model given as text cannot include files; save it and load the file"));
        };
        let path = directory.join(file);
        let text = read_text(&path, &include.place)?;
        if !self.read.insert(identity(&path)) {
            return Err(include.error(format!("{file} is already part of this model; a file can be included once")));
        }
        Ok(self.parse(&text, &path, depth)?.children)
    }
}

/// A cheap scan for tags, which may overestimate depth inside comments only if they hold unbalanced tags.
fn line_that_nests_too_deep(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    let (mut depth, mut line, mut i) = (0usize, 1u32, 0usize);
    while i < bytes.len() {
        match bytes[i] {
            b'\n' => line += 1,
            b'<' if text[i..].starts_with("<!--") => {
                let end = text[i + 4..].find("-->").map_or(bytes.len(), |n| i + 4 + n + 3);
                line += bytes[i..end].iter().filter(|&&b| b == b'\n').count() as u32;
                i = end;
                continue;
            }
            b'<' => match bytes.get(i + 1) {
                Some(b'/') => depth = depth.saturating_sub(1),
                Some(b'!' | b'?') => {}
                _ => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Some(line);
                    }
                }
            },
            b'/' if bytes.get(i + 1) == Some(&b'>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
    None
}
