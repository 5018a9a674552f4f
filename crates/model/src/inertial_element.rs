//! Reads `inertial`: a body's mass properties as written.

use glam::{DMat3, DVec3};

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::pose::Pose;
use crate::principal_axes::principal_axes;
use crate::scene::MassProperties;
use crate::source::CompilerSettings;
use crate::xml_tree::Element;

pub(crate) fn read(element: &Element, compiler: &CompilerSettings, frame: &Pose) -> Result<MassProperties, LoadError> {
    let a = Attributes::of(element);
    a.required_text("pos")?;
    a.required_text("mass")?;
    let mass = a.nonnegative_or("mass", 0.0)?;
    let mut pose = compiler.pose(&a)?;
    let inertia = match (a.reals::<3>("diaginertia")?, a.reals::<6>("fullinertia")?) {
        (Some(_), Some(_)) => {
            return Err(a.error_at("fullinertia", "diaginertia and fullinertia exclude each other; give one"));
        }
        (None, None) => return Err(a.error("attribute `diaginertia` or `fullinertia` is missing")),
        (Some(diagonal), None) => {
            if diagonal.iter().any(|m| *m < 0.0) {
                return Err(a.error_at("diaginertia", format!("diaginertia {diagonal:?} has a negative moment")));
            }
            DVec3::from_array(diagonal)
        }
        (None, Some([xx, yy, zz, xy, xz, yz])) => {
            let full = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
            let (rotation, moments) = principal_axes(full);
            if moments.min_element() <= 0.0 && compiler.bound_inertia <= 0.0 {
                return Err(a.error_at("fullinertia", "fullinertia is not positive definite; check its six numbers"));
            }
            pose = Pose { rotation, ..pose };
            moments
        }
    };
    Ok(MassProperties { mass, pose: frame.then(&pose), inertia })
}
