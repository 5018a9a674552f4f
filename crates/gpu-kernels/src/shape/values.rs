//! Model fields as numbers, one value for all environments.
use phalanx_model::Model;
use std::collections::BTreeMap;

/// Every model field of the table.
pub(super) fn of(model: &Model) -> BTreeMap<&'static str, Vec<f64>> {
    let mut values = options(model);
    let mut copy = |name: &'static str, numbers: &[f64]| values.insert(name, numbers.to_vec());
    copy("qpos0", &model.qpos0);
    copy("qpos_spring", &model.qpos_spring);
    copy("body_pos", &model.body_pos);
    copy("body_quat", &model.body_quat);
    copy("body_ipos", &model.body_ipos);
    copy("body_iquat", &model.body_iquat);
    copy("body_mass", &model.body_mass);
    copy("body_subtreemass", &model.body_subtreemass);
    copy("body_inertia", &model.body_inertia);
    copy("body_invweight0", &model.body_invweight0);
    copy("body_gravcomp", &model.body_gravcomp);
    copy("jnt_pos", &model.jnt_pos);
    copy("jnt_axis", &model.jnt_axis);
    copy("jnt_stiffness", &model.jnt_stiffness);
    copy("jnt_range", &model.jnt_range);
    copy("jnt_actfrcrange", &model.jnt_actfrcrange);
    copy("jnt_margin", &model.jnt_margin);
    copy("jnt_solref", &model.jnt_solref);
    copy("jnt_solimp", &model.jnt_solimp);
    copy("dof_armature", &model.dof_armature);
    copy("dof_damping", &model.dof_damping);
    copy("dof_frictionloss", &model.dof_frictionloss);
    copy("dof_invweight0", &model.dof_invweight0);
    copy("dof_solref", &model.dof_solref);
    copy("dof_solimp", &model.dof_solimp);
    copy("geom_size", &model.geom_size);
    copy("geom_rbound", &model.geom_rbound);
    copy("geom_pos", &model.geom_pos);
    copy("geom_quat", &model.geom_quat);
    copy("geom_friction", &model.geom_friction);
    copy("geom_margin", &model.geom_margin);
    copy("geom_gap", &model.geom_gap);
    copy("geom_solmix", &model.geom_solmix);
    copy("geom_solref", &model.geom_solref);
    copy("geom_solimp", &model.geom_solimp);
    copy("site_pos", &model.site_pos);
    copy("site_quat", &model.site_quat);
    copy("pair_friction", &model.pair_friction);
    copy("pair_solref", &model.pair_solref);
    copy("pair_solimp", &model.pair_solimp);
    copy("pair_margin", &model.pair_margin);
    copy("pair_gap", &model.pair_gap);
    copy("actuator_ctrlrange", &model.actuator_ctrlrange);
    copy("actuator_forcerange", &model.actuator_forcerange);
    copy("actuator_gear", &model.actuator_gear);
    // The supported gains and biases have three parameters of the ten that MuJoCo keeps.
    copy("actuator_gainprm", &first_of_each(&model.actuator_gainprm, 10, 3));
    copy("actuator_biasprm", &first_of_each(&model.actuator_biasprm, 10, 3));
    values
}

fn options(model: &Model) -> BTreeMap<&'static str, Vec<f64>> {
    let opt = &model.opt;
    BTreeMap::from([
        ("opt_timestep", vec![opt.timestep]),
        ("opt_gravity", opt.gravity.to_vec()),
        ("opt_wind", opt.wind.to_vec()),
        ("opt_density", vec![opt.density]),
        ("opt_viscosity", vec![opt.viscosity]),
        ("opt_impratio", vec![opt.impratio]),
        ("opt_o_margin", vec![opt.o_margin]),
        ("opt_o_solref", opt.o_solref.to_vec()),
        ("opt_o_solimp", opt.o_solimp.to_vec()),
        ("opt_o_friction", opt.o_friction.to_vec()),
        ("opt_tolerance", vec![opt.tolerance]),
        ("opt_ls_tolerance", vec![opt.ls_tolerance]),
        ("stat_meaninertia", vec![model.stat.meaninertia]),
    ])
}

/// The first `keep` of every `width` numbers.
fn first_of_each(numbers: &[f64], width: usize, keep: usize) -> Vec<f64> {
    numbers.chunks(width).flat_map(|row| &row[..keep]).copied().collect()
}
