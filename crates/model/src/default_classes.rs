//! The tree of default classes: which attributes an element has when it does not say.
//!
//! Each class holds, for each kind of element, the attributes of its ancestors with its own on top. All actuator
//! elements share one set (see [`crate::actuator_shortcuts`]).

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::actuator_shortcuts;
use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::schema::suggestion;
use crate::xml_tree::Element;

/// The class that applies when no other does.
pub(crate) const MAIN: &str = "main";

type Class = BTreeMap<Rc<str>, Attributes>;

#[derive(Clone, Debug, Default)]
pub(crate) struct DefaultClasses {
    classes: HashMap<Rc<str>, Class>,
}

impl DefaultClasses {
    /// Collects the `default` sections of a model.
    pub fn read(root: &Element) -> Result<DefaultClasses, LoadError> {
        let mut all = DefaultClasses::default();
        all.classes.insert(MAIN.into(), Class::default());
        let mut top_name: Option<Rc<str>> = None;
        for section in root.children.iter().filter(|e| &*e.name == "default") {
            // The outermost class is `main` under any name; later sections extend it.
            let written: Rc<str> = section.attribute("class").unwrap_or(MAIN).into();
            if &*written != MAIN && top_name.as_ref().is_none_or(|t| *t != written) {
                if top_name.is_some() {
                    return Err(section.error(format!("class \"{written}\": only one outermost default class is possible")));
                }
                top_name = Some(written.clone());
            }
            let base = all.classes[MAIN].clone();
            all.read_class(section, MAIN.into(), base, true)?;
            if let Some(name) = &top_name {
                let main = all.classes[MAIN].clone();
                all.classes.insert(name.clone(), main);
            }
        }
        Ok(all)
    }

    fn read_class(&mut self, element: &Element, name: Rc<str>, base: Class, top: bool) -> Result<(), LoadError> {
        if !top && self.classes.contains_key(&name) {
            return Err(element.error(format!("class \"{name}\" is defined twice; class names must differ")));
        }
        let mut class = base;
        for child in element.children.iter().filter(|e| &*e.name != "default") {
            if actuator_shortcuts::is_actuator(&child.name) {
                actuator_shortcuts::record_default(&mut class, child)?;
            } else {
                let merged = Attributes::of(child).over(class.get(&child.name));
                class.insert(child.name.clone(), merged);
            }
        }
        self.classes.insert(name, class.clone());
        for child in element.children.iter().filter(|e| &*e.name == "default") {
            let name = child.attribute("class").ok_or_else(|| child.error("attribute `class` is missing"))?;
            self.read_class(child, name.into(), class.clone(), false)?;
        }
        Ok(())
    }

    /// The class an element uses: its own `class`, else `inherited` from a `childclass`, else `main`.
    pub fn class_of(&self, element: &Element, inherited: Option<&Rc<str>>) -> Result<&Class, LoadError> {
        let name = element.attribute("class").or(inherited.map(|c| &**c)).unwrap_or(MAIN);
        self.classes.get(name).ok_or_else(|| self.unknown(element, "class", name))
    }

    /// Checks a `childclass` attribute.
    pub fn check_childclass(&self, element: &Element) -> Result<Option<Rc<str>>, LoadError> {
        let Some(name) = element.attribute("childclass") else { return Ok(None) };
        let known = self.classes.contains_key(name);
        if known { Ok(Some(name.into())) } else { Err(self.unknown(element, "childclass", name)) }
    }

    fn unknown(&self, element: &Element, attribute: &str, name: &str) -> LoadError {
        let hint = suggestion(name, self.classes.keys().map(|k| &**k));
        element.error(format!("{attribute} \"{name}\" is not a default class{hint}"))
    }

    /// The element's attributes with its class behind them.
    pub fn complete(&self, element: &Element, inherited: Option<&Rc<str>>) -> Result<Attributes, LoadError> {
        Ok(Attributes::of(element).over(self.class_of(element, inherited)?.get(&element.name)))
    }
}
