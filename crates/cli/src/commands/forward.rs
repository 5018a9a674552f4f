//! `phalanx forward`: the derived fields of one state, by MuJoCo's names, computed on the CPU.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use phalanx_model::Model;
use phalanx_sim_core::{Details, DeviceChoice, InjectedContact, Options, Simulation};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::arguments::ForwardArguments;
use crate::controls;
use crate::failure::Failure;
use crate::json_shape::Nested;
use crate::numpy_file::{Array, Numbers, read_npz, shape_text};
use crate::standard_output::{print, print_json};
use crate::start_state::StartState;

/// Runs the command.
pub fn forward(arguments: &ForwardArguments) -> Result<ExitCode, Failure> {
    let model = Model::from_file(&arguments.model)?;
    let start = StartState::read(&model, arguments.keyframe.as_deref(), arguments.state.as_deref(), 1)?;
    let ctrl = arguments.controls.as_deref().map(|file| controls::read_one(file, &model)).transpose()?;
    let contacts = arguments.contacts.as_deref().map(|file| read_contacts(file, &model)).transpose()?;

    let mut options = Options::envs(1);
    options.device = DeviceChoice::Cpu;
    options.precision = arguments.precision;
    arguments.forced.apply(&mut options);
    let mut simulation = Simulation::new(&model, options)?;
    start.apply(&mut simulation)?;
    if let Some(ctrl) = ctrl.filter(|ctrl| !ctrl.is_empty()) {
        simulation.write("ctrl", &ctrl)?;
    }
    let details = simulation.forward_details(0, contacts.as_deref())?;
    let report = Report { model: arguments.model.display().to_string(), details: &details };
    if arguments.json {
        print_json(&report)?
    } else {
        print(&report.text())?
    }
    Ok(ExitCode::SUCCESS)
}

/// What is printed: one key for every field.
struct Report<'a> {
    model: String,
    details: &'a Details,
}

#[derive(Serialize)]
struct Contact<'a> {
    dist: f64,
    pos: &'a [f64; 3],
    frame: &'a [f64; 9],
    geoms: [usize; 2],
    dim: usize,
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("model", &self.model)?;
        for field in &self.details.fields {
            object.serialize_entry(&field.name, &Nested { shape: &field.shape, values: &field.values })?;
        }
        let contacts = self.details.contacts.iter();
        let contacts: Vec<Contact> = contacts
            .map(|c| Contact { dist: c.dist, pos: &c.pos, frame: &c.frame, geoms: c.geoms, dim: c.dim })
            .collect();
        object.serialize_entry("contacts", &contacts)?;
        object.end()
    }
}

impl Report<'_> {
    /// The largest number of every field: enough to see that something is off; the numbers are in the JSON.
    fn text(&self) -> String {
        let mut text = format!("{}: {} contacts\n", self.model, self.details.contacts.len());
        for field in &self.details.fields {
            let shape: Vec<u64> = field.shape.iter().map(|&n| n as u64).collect();
            let largest = field.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            let finite = if field.values.iter().all(|value| value.is_finite()) { "" } else { ", NOT FINITE" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:<20} {:<12} at most {largest:.6}{finite}", field.name, shape_text(&shape));
        }
        text + "--json prints every number\n"
    }
}

/// Reads contacts to use instead of those that are found; an empty `dist` alone is none at all. Geoms are numbers of the model,
/// in either order of types.
fn read_contacts(file: &Path, model: &Model) -> Result<Vec<InjectedContact>, Failure> {
    const WIDTHS: [(&str, u64); 4] = [("dist", 1), ("pos", 3), ("frame", 9), ("geoms", 2)];
    let mut count = None;
    let arrays = read_npz(file, Numbers::Any, |name, shape| {
        let Some(&(_, width)) = WIDTHS.iter().find(|(known, _)| *known == name) else { return Ok(()) };
        let n = shape.first().copied().unwrap_or(0);
        if *count.get_or_insert(n) != n {
            return Err(format!("has {n} rows, the array before it has {}", count.unwrap_or(0)));
        }
        match shape {
            [_] if width == 1 => Ok(()),
            [_, w] if *w == width => Ok(()),
            [_, 3, 3] if width == 9 => Ok(()),
            _ => Err(format!("has the shape {}; write {}", shape_text(shape), shape_text(&[n, width]))),
        }
    })?;
    let find = |wanted: &str| -> Result<&Array, Failure> {
        let found = arrays.iter().find(|(name, _)| name == wanted).map(|(_, array)| array);
        found.ok_or_else(|| Failure::file(file, format!("has no array `{wanted}`; write dist, pos, frame and geoms")))
    };
    let dist = find("dist")?;
    if dist.values.is_empty() {
        return Ok(Vec::new());
    }
    let (pos, frame, geoms) = (find("pos")?, find("frame")?, find("geoms")?);
    let geom = |contact: usize, side: usize| {
        let number = geoms.values[2 * contact + side];
        if number >= 0.0 && number < model.ngeom as f64 && number.fract() == 0.0 {
            return Ok(number as usize);
        }
        let last = model.ngeom.saturating_sub(1);
        Err(Failure::file(file, format!("geoms is {number} at [{contact}, {side}]; the model's geoms are 0 to {last}")))
    };
    (0..dist.values.len())
        .map(|i| {
            Ok(InjectedContact {
                dist: dist.values[i],
                pos: std::array::from_fn(|k| pos.values[3 * i + k]),
                frame: std::array::from_fn(|k| frame.values[9 * i + k]),
                geoms: [geom(i, 0)?, geom(i, 1)?],
            })
        })
        .collect()
}
