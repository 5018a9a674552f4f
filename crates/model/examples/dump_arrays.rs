//! Prints every compiled array of a model as JSON, for `tests/oracle/compare_compiled_arrays.py`.

use std::process::ExitCode;

use phalanx_model::{ArrayData, Model};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dump_arrays MODEL.xml");
        return ExitCode::from(2);
    };
    match Model::from_file(&path) {
        Ok(model) => {
            println!("{}", json(&model));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn json(m: &Model) -> String {
    let mut fields: Vec<String> = m.counts().iter().map(|(name, n)| format!("\"{name}\":{n}")).collect();
    for array in m.arrays() {
        let numbers: Vec<String> = match array.data {
            ArrayData::Int(v) => v.iter().map(i32::to_string).collect(),
            ArrayData::Real(v) => v.iter().map(|x| format!("{x:?}")).collect(),
        };
        fields.push(format!("\"{}\":{{\"shape\":{:?},\"data\":[{}]}}", array.name, array.shape, numbers.join(",")));
    }
    let n = &m.names;
    for (kind, list) in [
        ("body", &n.body),
        ("jnt", &n.jnt),
        ("geom", &n.geom),
        ("site", &n.site),
        ("cam", &n.cam),
        ("light", &n.light),
        ("actuator", &n.actuator),
        ("key", &n.key),
    ] {
        fields.push(format!("\"names_{kind}\":{list:?}"));
    }
    let (o, s) = (&m.opt, &m.stat);
    for (name, values) in [
        ("timestep", vec![o.timestep]),
        ("impratio", vec![o.impratio]),
        ("tolerance", vec![o.tolerance]),
        ("ls_tolerance", vec![o.ls_tolerance]),
        ("gravity", o.gravity.to_vec()),
        ("wind", o.wind.to_vec()),
        ("magnetic", o.magnetic.to_vec()),
        ("density", vec![o.density]),
        ("viscosity", vec![o.viscosity]),
        ("o_margin", vec![o.o_margin]),
        ("o_solref", o.o_solref.to_vec()),
        ("o_solimp", o.o_solimp.to_vec()),
        ("o_friction", o.o_friction.to_vec()),
        ("integrator", vec![o.integrator as i32 as f64]),
        ("solver", vec![o.solver as i32 as f64]),
        ("cone", vec![o.cone as f64]),
        ("jacobian", vec![o.jacobian as f64]),
        ("iterations", vec![o.iterations as f64]),
        ("ls_iterations", vec![o.ls_iterations as f64]),
        ("disableflags", vec![o.disableflags as f64]),
        ("enableflags", vec![o.enableflags as f64]),
        ("disableactuator", vec![o.disableactuator as f64]),
    ] {
        fields.push(format!("\"opt_{name}\":{values:?}"));
    }
    for (name, values) in [
        ("meaninertia", vec![s.meaninertia]),
        ("meanmass", vec![s.meanmass]),
        ("meansize", vec![s.meansize]),
        ("extent", vec![s.extent]),
        ("center", s.center.to_vec()),
    ] {
        fields.push(format!("\"stat_{name}\":{values:?}"));
    }
    format!("{{{}}}", fields.join(","))
}
