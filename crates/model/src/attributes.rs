//! Typed access to the attributes of an element, after its default class has filled the gaps.
//!
//! Every getter checks its value (count, number, keyword) and reports the attribute's own line.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::load_error::LoadError;
use crate::xml_tree::{Element, Place};

/// Attributes whose array may be shorter than its field; the rest keeps the value of the default class.
const MAY_BE_SHORT: &[&str] = &[
    "size",
    "friction",
    "solref",
    "solimp",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "gear",
    "gainprm",
    "biasprm",
    "dynprm",
    "stiffness",
    "damping",
    "o_solref",
    "o_solimp",
    "o_friction",
    "fluidcoef",
];

/// Ways to write a rotation: the element's own way replaces that of its class.
pub(crate) const ORIENTATIONS: &[&str] = &["quat", "axisangle", "xyaxes", "zaxis", "euler"];

#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub text: Rc<str>,
    pub place: Place,
}

/// The attributes of one element or default class.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    label: Rc<str>,
    place: Place,
    values: BTreeMap<Rc<str>, Value>,
}

impl Attributes {
    pub fn of(element: &Element) -> Attributes {
        let values = element
            .attributes
            .iter()
            .map(|a| (a.name.clone(), Value { text: a.value.clone(), place: a.place.clone() }))
            .collect();
        Attributes { label: element.label().into(), place: element.place.clone(), values }
    }

    /// This element's attributes, with those of `defaults` where it has none.
    pub fn over(mut self, defaults: Option<&Attributes>) -> Attributes {
        let is_turned = ORIENTATIONS.iter().any(|name| self.has(name));
        for (name, default) in defaults.into_iter().flat_map(|d| &d.values) {
            if is_turned && ORIENTATIONS.contains(&&**name) {
                continue;
            }
            match self.values.get_mut(name) {
                None => {
                    self.values.insert(name.clone(), default.clone());
                }
                Some(own) if MAY_BE_SHORT.contains(&&**name) => {
                    let written = own.text.split_ascii_whitespace().count();
                    let rest: Vec<&str> = default.text.split_ascii_whitespace().skip(written).collect();
                    if !rest.is_empty() {
                        own.text = format!("{} {}", own.text, rest.join(" ")).into();
                    }
                }
                Some(_) => {}
            }
        }
        self
    }

    pub fn set(&mut self, name: &str, text: &str) {
        self.values.insert(name.into(), Value { text: text.into(), place: self.place.clone() });
    }

    pub fn remove(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Keeps the attributes that `keep` accepts.
    pub fn filtered(&self, keep: impl Fn(&str) -> bool) -> Attributes {
        let mut kept = self.clone();
        kept.values.retain(|name, _| keep(name));
        kept
    }

    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// An error about the element as a whole.
    pub fn error(&self, message: impl std::fmt::Display) -> LoadError {
        self.place.error(format!("{}: {message}", self.label))
    }

    /// An error about one attribute, at its own line.
    pub fn error_at(&self, name: &str, message: impl std::fmt::Display) -> LoadError {
        let place = self.values.get(name).map_or(&self.place, |v| &v.place);
        place.error(format!("{}: {message}", self.label))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|v| &*v.text)
    }

    pub fn required_text(&self, name: &str) -> Result<&str, LoadError> {
        self.text(name).ok_or_else(|| self.error(format!("attribute `{name}` is missing")))
    }

    fn number(&self, name: &str, token: &str) -> Result<f64, LoadError> {
        let value: f64 =
            token.parse().map_err(|_| self.error_at(name, format!("{name} \"{token}\" is not a number")))?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error_at(name, format!("{name} \"{token}\" is not a finite number")))
        }
    }

    /// All numbers of an attribute, however many.
    pub fn all_reals(&self, name: &str) -> Result<Option<Vec<f64>>, LoadError> {
        self.text(name).map(|text| text.split_ascii_whitespace().map(|t| self.number(name, t)).collect()).transpose()
    }

    /// Exactly `N` numbers.
    pub fn reals<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, LoadError> {
        let Some(values) = self.all_reals(name)? else { return Ok(None) };
        let count = values.len();
        values
            .try_into()
            .map(Some)
            .map_err(|_| self.error_at(name, format!("{name} has {count} numbers, it takes {N}")))
    }

    /// Up to `N` numbers over `field`, which keeps the rest.
    pub fn fill<const N: usize>(&self, name: &str, field: &mut [f64; N]) -> Result<(), LoadError> {
        if let Some(values) = self.all_reals(name)? {
            if values.len() > N {
                let message = format!("{name} has {} numbers, it takes at most {N}", values.len());
                return Err(self.error_at(name, message));
            }
            if values.is_empty() {
                return Err(self.error_at(name, format!("{name} is empty; give numbers or leave it out")));
            }
            field[..values.len()].copy_from_slice(&values);
        }
        Ok(())
    }

    pub fn real(&self, name: &str) -> Result<Option<f64>, LoadError> {
        Ok(self.reals::<1>(name)?.map(|[x]| x))
    }

    pub fn real_or(&self, name: &str, default: f64) -> Result<f64, LoadError> {
        Ok(self.real(name)?.unwrap_or(default))
    }

    pub fn nonnegative_or(&self, name: &str, default: f64) -> Result<f64, LoadError> {
        match self.real_or(name, default)? {
            x if x < 0.0 => Err(self.error_at(name, format!("{name} {x} is negative; give 0 or more"))),
            x => Ok(x),
        }
    }

    pub fn int(&self, name: &str) -> Result<Option<i32>, LoadError> {
        self.text(name)
            .map(|text| {
                text.trim().parse().map_err(|_| self.error_at(name, format!("{name} \"{text}\" is not a whole number")))
            })
            .transpose()
    }

    pub fn int_or(&self, name: &str, default: i32) -> Result<i32, LoadError> {
        Ok(self.int(name)?.unwrap_or(default))
    }

    /// The value paired with the keyword in `choices`.
    pub fn keyword<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, LoadError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let words: Vec<&str> = choices.iter().map(|c| c.0).collect();
                Err(self.error_at(name, format!("{name} \"{text}\" is not one of {}", words.join(", "))))
            }
        }
    }

    pub fn flag_or(&self, name: &str, default: bool) -> Result<bool, LoadError> {
        Ok(self.keyword(name, &[("true", true), ("false", false)])?.unwrap_or(default))
    }

    /// `true`, `false`, or `None` for `auto` and for an absent attribute.
    pub fn flag_or_auto(&self, name: &str) -> Result<Option<bool>, LoadError> {
        Ok(self.keyword(name, &[("true", Some(true)), ("false", Some(false)), ("auto", None)])?.flatten())
    }

    /// Refuses an attribute that would change the motion, unless it has a value that does not.
    pub fn refuse(&self, name: &str, harmless: &[&str], why: &str) -> Result<(), LoadError> {
        match self.text(name) {
            Some(text) if !harmless.contains(&text.trim()) && !is_zero_where_zero_is_harmless(text, harmless) => {
                Err(self.error_at(name, format!("{name}=\"{text}\" is not supported: {why}")))
            }
            _ => Ok(()),
        }
    }

    /// A range with its `limited` attribute, decided as MuJoCo decides it.
    pub fn limit(&self, range: &str, limited: &str, autolimits: bool) -> Result<(bool, [f64; 2]), LoadError> {
        let limits = self.reals::<2>(range)?;
        let is_limited = match self.flag_or_auto(limited)? {
            Some(flag) => flag,
            None if !autolimits && limits.is_some_and(|l| l != [0.0; 2]) => {
                return Err(self
                    .error_at(range, format!("{range} needs {limited}=\"true\" or \"false\", as autolimits is off")));
            }
            None => limits.is_some_and(|l| l != [0.0; 2]),
        };
        let [low, high] = limits.unwrap_or_default();
        if is_limited && low > high {
            let message = format!("{range} [{low}, {high}] is upside down; write the lower limit first");
            return Err(self.error_at(range, message));
        }
        if is_limited && low == high {
            let message = format!("{range} [{low}, {high}] is empty; the lower limit must be below the upper one");
            return Err(self.error_at(range, message));
        }
        Ok((is_limited, [low, high]))
    }
}

fn is_zero_where_zero_is_harmless(text: &str, harmless: &[&str]) -> bool {
    harmless.contains(&"0") && text.split_ascii_whitespace().all(|t| t.parse::<f64>() == Ok(0.0))
}
