//! What model fields may be.

mod scenes;

use scenes::{asset, batch, envs};

#[test]
fn what_a_model_field_cannot_be_is_refused_with_its_place() {
    let model = asset("ant");
    let mut sim = batch(&model, envs(10));
    let mut masses = model.body_mass.clone();
    masses[3] = -1.0;
    for (field, values, place) in [
        ("opt_timestep", vec![0.0], "opt_timestep[0] is 0; it must be above 0"),
        ("opt_timestep", vec![-0.01], "opt_timestep[0] is -0.01; it must be above 0"),
        (
            "opt_timestep",
            vec![1e-50],
            "opt_timestep[0] is 0.00000000000000000000000000000000000000000000000001; it must be above 0",
        ),
        ("body_mass", masses, "body_mass[3] is -1; it must be 0 or more"),
        ("geom_friction", vec![-1.0; 3 * model.ngeom], "geom_friction[0] is -1; it must be 0 or more"),
    ] {
        let before = sim.read(field).unwrap();
        assert_eq!(sim.write(field, &values).unwrap_err().to_string(), place);
        assert_eq!(sim.read(field).unwrap(), before);
    }
}
