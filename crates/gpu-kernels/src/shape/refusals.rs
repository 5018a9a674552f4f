//! What the loader reads and the kernels do not compute yet: refused by name, never ignored.
use super::ShapeError;
use phalanx_model::Model;

/// Refuses a model that would move differently from what its file says.
pub(super) fn check(model: &Model) -> Result<(), ShapeError> {
    let refuse = |element: String, what: &'static str, advice: &'static str| {
        Err(ShapeError::NotSupported { element, what, advice })
    };
    let named = |kind: &str, names: &[String], i: usize| match names.get(i).filter(|n| !n.is_empty()) {
        Some(name) => format!("{kind} \"{name}\""),
        None => format!("{kind} {i}"),
    };
    if let Some(i) = (0..model.njnt).find(|j| model.jnt_stiffnesspoly[2 * j..2 * j + 2].iter().any(|p| *p != 0.0)) {
        return refuse(named("joint", &model.names.jnt, i), "stiffness of higher order", "write one number");
    }
    if let Some(dof) = (0..model.nv).find(|d| model.dof_dampingpoly[2 * d..2 * d + 2].iter().any(|p| *p != 0.0)) {
        return refuse(
            named("joint", &model.names.jnt, model.dof_jntid[dof] as usize),
            "damping of higher order",
            "write one number",
        );
    }
    Ok(())
}

/// Refuses a contact dimension that has no rows yet.
pub(super) fn check_dimension(model: &Model, geom1: usize, geom2: usize, dim: usize) -> Result<(), ShapeError> {
    if dim == 1 || dim == 3 {
        return Ok(());
    }
    let name = |g: usize| model.names.geom.get(g).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("#{g}"));
    Err(ShapeError::NotSupported {
        element: format!("geoms \"{}\" and \"{}\"", name(geom1), name(geom2)),
        what: "contacts of condim 4 or 6 (torsional and rolling friction)",
        advice: "use condim 1 or 3",
    })
}
