//! `phalanx inspect`: what a model is made of, and what one environment of it can need.

use std::fmt::Write;
use std::process::ExitCode;

use phalanx_gpu_kernels::planning::model_dims;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{ModelDims, Placement, layout};
use phalanx_model::{ArrayData, Integrator, Model};
use serde::{Serialize, Serializer};

use crate::arguments::InspectArguments;
use crate::failure::Failure;
use crate::json_shape::{Nested, Pairs};
use crate::standard_output::{print, print_json};

/// Runs the command.
pub fn inspect(arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    let model = Model::from_file(&arguments.model)?;
    let report = Report::of(&model, arguments.model.display().to_string())?;
    if arguments.json {
        print_json(&report)?
    } else {
        print(&report.text())?
    }
    Ok(ExitCode::SUCCESS)
}

/// What is printed. The fields are the keys of the JSON, in this order.
#[derive(Serialize)]
struct Report<'a> {
    model: String,
    name: &'a str,
    counts: Pairs<&'static str, usize>,
    joints_by_type: Pairs<&'static str, usize>,
    geoms_by_type: Pairs<&'static str, usize>,
    collision_pairs: usize,
    collision_pairs_by_type: Pairs<String, usize>,
    proven_maxima: Maxima,
    bytes_per_env: Bytes,
    options: Pairs<&'static str, Value>,
    statistic: Pairs<&'static str, Value>,
    names: Pairs<&'static str, &'a [String]>,
    arrays: Pairs<&'static str, Numbers<'a>>,
}

/// What no state of the model exceeds, in one environment.
#[derive(Clone, Copy, Serialize)]
struct Maxima {
    contacts: u64,
    rows: u64,
}

/// Memory of one environment, and of one that is being stepped, in single precision.
#[derive(Clone, Copy, Serialize)]
struct Bytes {
    state: u64,
    inputs: u64,
    /// Of an environment while it is stepped, with the usual number of contacts.
    workspace: u64,
    /// Of an environment while it is stepped again with the proven maximum.
    retry_workspace: u64,
}

/// An option of the model.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Word(&'static str),
    Integer(i64),
    Number(f64),
    Numbers(Vec<f64>),
}

/// The numbers of a compiled array.
struct Numbers<'a> {
    shape: Vec<usize>,
    data: ArrayData<'a>,
}

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.data {
            ArrayData::Int(values) => Nested { shape: &self.shape, values }.serialize(serializer),
            ArrayData::Real(values) => Nested { shape: &self.shape, values }.serialize(serializer),
        }
    }
}

impl Report<'_> {
    fn of(model: &Model, path: String) -> Result<Report<'_>, Failure> {
        let shape = Shape::of(model)?;
        let dims = model_dims(&shape);
        let by_type = shape.collision_pairs_by_type();
        let arrays =
            model.arrays().into_iter().map(|array| (array.name, Numbers { shape: array.shape, data: array.data }));
        Ok(Report {
            model: path,
            name: &model.name,
            counts: Pairs(model.counts()),
            joints_by_type: count_types(&model.jnt_type, &JOINT_TYPES),
            geoms_by_type: count_types(&model.geom_type, &GEOM_TYPES),
            collision_pairs: by_type.iter().map(|(_, count)| count).sum(),
            collision_pairs_by_type: Pairs(by_type),
            proven_maxima: Maxima { contacts: shape.proven_contacts(), rows: shape.proven_rows() },
            bytes_per_env: Bytes::of(&dims),
            options: options(model),
            statistic: statistic(model),
            names: names(model),
            arrays: Pairs(arrays.collect()),
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{}: model \"{}\"\n", self.model, self.name);
        let mut line = |what: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{what:<18} {value}");
        };
        let count = |name: &str| self.counts.0.iter().find(|(count, _)| *count == name).map_or(0, |(_, n)| *n);
        line("coordinates", format!("nq {}, nv {}, nu {}, na {}", count("nq"), count("nv"), count("nu"), count("na")));
        line("bodies", format!("{}, the world among them", count("nbody")));
        line("joints", with_types(count("njnt"), &self.joints_by_type));
        line("geoms", with_types(count("ngeom"), &self.geoms_by_type));
        line("sites", count("nsite").to_string());
        line("actuators", count("nactuator").to_string());
        line("keyframes", count("nkey").to_string());
        line("collision pairs", with_types(self.collision_pairs, &self.collision_pairs_by_type));
        let Maxima { contacts, rows } = self.proven_maxima;
        line("proven maxima", format!("{contacts} contacts and {rows} constraint rows in one environment"));
        let Bytes { state, inputs, workspace, retry_workspace } = self.bytes_per_env;
        line("memory", format!("{state} bytes of state and {inputs} of inputs for every environment"));
        line("", format!("{workspace} bytes of workspace for each that is stepped at a time"));
        line("", format!("{retry_workspace} bytes for each that is stepped again with the proven maxima"));
        text
    }
}

impl Bytes {
    fn of(dims: &ModelDims) -> Bytes {
        let workspace =
            |capacity| 4 * layout(&dims.arrays, capacity, capacity, |_| Placement::Global).global_words_per_env;
        Bytes {
            state: dims.state_bytes_per_env,
            inputs: dims.input_bytes_per_env,
            workspace: workspace(dims.usual),
            retry_workspace: workspace(dims.proven),
        }
    }
}

const JOINT_TYPES: [&str; 4] = ["free", "ball", "slide", "hinge"];
const GEOM_TYPES: [&str; 8] = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];

/// How many of each type there are; types without any are left out.
fn count_types(types: &[i32], names: &[&'static str]) -> Pairs<&'static str, usize> {
    let count = |number: usize| types.iter().filter(|&&other| usize::try_from(other) == Ok(number)).count();
    Pairs(names.iter().enumerate().map(|(i, name)| (*name, count(i))).filter(|(_, count)| *count > 0).collect())
}

/// "9: 4 plane-sphere, 5 plane-capsule".
fn with_types<K: std::fmt::Display>(total: usize, types: &Pairs<K, usize>) -> String {
    let parts: Vec<String> = types.0.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if parts.is_empty() { total.to_string() } else { format!("{total}: {}", parts.join(", ")) }
}

fn options(model: &Model) -> Pairs<&'static str, Value> {
    let o = &model.opt;
    let integrator = match o.integrator {
        Integrator::Euler => "Euler",
        Integrator::Rk4 => "RK4",
        Integrator::ImplicitFast => "implicitfast",
    };
    Pairs(vec![
        ("timestep", Value::Number(o.timestep)),
        ("integrator", Value::Word(integrator)),
        ("gravity", Value::Numbers(o.gravity.to_vec())),
        ("wind", Value::Numbers(o.wind.to_vec())),
        ("density", Value::Number(o.density)),
        ("viscosity", Value::Number(o.viscosity)),
        ("impratio", Value::Number(o.impratio)),
        ("tolerance", Value::Number(o.tolerance)),
        ("ls_tolerance", Value::Number(o.ls_tolerance)),
        ("iterations", Value::Integer(o.iterations.into())),
        ("ls_iterations", Value::Integer(o.ls_iterations.into())),
        ("ccd_tolerance", Value::Number(o.ccd_tolerance)),
        ("ccd_iterations", Value::Integer(o.ccd_iterations.into())),
        ("disableflags", Value::Integer(o.disableflags.into())),
        ("enableflags", Value::Integer(o.enableflags.into())),
        ("disableactuator", Value::Integer(o.disableactuator.into())),
    ])
}

fn statistic(model: &Model) -> Pairs<&'static str, Value> {
    let s = &model.stat;
    Pairs(vec![
        ("meaninertia", Value::Number(s.meaninertia)),
        ("meanmass", Value::Number(s.meanmass)),
        ("meansize", Value::Number(s.meansize)),
        ("extent", Value::Number(s.extent)),
        ("center", Value::Numbers(s.center.to_vec())),
    ])
}

fn names(model: &Model) -> Pairs<&'static str, &[String]> {
    let n = &model.names;
    Pairs(vec![
        ("body", &n.body),
        ("jnt", &n.jnt),
        ("geom", &n.geom),
        ("site", &n.site),
        ("cam", &n.cam),
        ("light", &n.light),
        ("actuator", &n.actuator),
        ("key", &n.key),
        ("pair", &n.pair),
        ("exclude", &n.exclude),
    ])
}
