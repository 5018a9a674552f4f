//! The tree of default classes: which attributes an element has when it does not say.
//!
//! Each class holds, for each kind of element, the attributes of its ancestors with its own on top.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::actuator_shortcuts::{self, ActuatorDefault};
use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::schema::suggestion;
use crate::xml_tree::Element;

/// The class that applies when no other does; the outermost one.
const MAIN: &str = "main";

/// The defaults of one class, complete with those of its ancestors.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefaultClass {
    elements: BTreeMap<Rc<str>, Attributes>,
    /// The actuator defaults of this class and its ancestors, nearest last.
    pub actuators: Vec<ActuatorDefault>,
}

impl DefaultClass {
    /// The default attributes of elements called `name`.
    pub fn get(&self, name: &str) -> Option<&Attributes> {
        self.elements.get(name)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DefaultClasses {
    classes: HashMap<Rc<str>, DefaultClass>,
}

impl DefaultClasses {
    /// Collects the `default` sections of a model.
    pub fn read(root: &Element) -> Result<DefaultClasses, LoadError> {
        let mut all = DefaultClasses::default();
        all.classes.insert(MAIN.into(), DefaultClass::default());
        for section in root.children.iter().filter(|e| &*e.name == "default") {
            if let Some(name) = section.attribute("class").filter(|name| *name != MAIN) {
                let advice = "leave its name out, and put the class inside it";
                return Err(
                    section.error(format!("class \"{name}\": the outermost default class is \"{MAIN}\"; {advice}"))
                );
            }
            let base = all.classes[MAIN].clone();
            all.read_class(section, MAIN.into(), base)?;
        }
        Ok(all)
    }

    fn read_class(&mut self, element: &Element, name: Rc<str>, base: DefaultClass) -> Result<(), LoadError> {
        let mut class = base;
        let mut writes_actuators = false;
        for child in element.children.iter().filter(|e| &*e.name != "default") {
            if !actuator_shortcuts::is_actuator(&child.name) {
                let merged = Attributes::of(child).over(class.get(&child.name));
                class.elements.insert(child.name.clone(), merged);
                continue;
            }
            let written = actuator_shortcuts::default_from(&class.actuators, child)?;
            if std::mem::replace(&mut writes_actuators, true) {
                class.actuators.pop(); // a class has one actuator default
            }
            class.actuators.push(written);
        }
        self.classes.insert(name, class.clone());
        for child in element.children.iter().filter(|e| &*e.name == "default") {
            let name = child.attribute("class").ok_or_else(|| child.error("attribute `class` is missing"))?;
            if self.classes.contains_key(name) {
                return Err(child.error(format!("class \"{name}\" is defined twice; class names must differ")));
            }
            self.read_class(child, name.into(), class.clone())?;
        }
        Ok(())
    }

    /// The class an element uses: its own `class`, else `inherited` from a `childclass`, else `main`.
    pub fn class_of(&self, element: &Element, inherited: Option<&Rc<str>>) -> Result<&DefaultClass, LoadError> {
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
