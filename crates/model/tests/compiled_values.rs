//! What the compiler computes, against closed forms and hand calculation.

use std::f64::consts::PI;

use phalanx_model::{ArrayData, Integrator, Model};

fn load(body: &str, sections: &str) -> Model {
    let xml = format!("<mujoco>{sections}<worldbody>{body}</worldbody></mujoco>");
    Model::from_xml(&xml, "inline").unwrap_or_else(|error| panic!("{error}\n{xml}"))
}

/// Both sides are computed in f64 from short formulas.
const ROUNDING: f64 = 1e-12;

#[track_caller]
fn assert_close(ours: &[f64], expected: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUNDING * b.abs().max(1.0);
    assert!(ours.len() == expected.len() && ours.iter().zip(expected).all(close), "{ours:?} is not {expected:?}");
}

fn mass_of(geom: &str) -> (f64, Vec<f64>) {
    let m = load(&format!("<body><joint/><geom {geom}/></body>"), "");
    (m.body_mass[1], m.body_inertia[3..6].to_vec())
}

#[test]
fn solid_primitives_have_their_textbook_inertia() {
    let (r, h) = (0.5f64, 0.7f64);
    let (mass, inertia) = mass_of("size='.5' density='3'");
    assert_close(&[mass], &[3.0 * 4.0 / 3.0 * PI * r.powi(3)]);
    assert_close(&inertia, &[0.4 * mass * r * r; 3]);

    let (mass, inertia) = mass_of("type='cylinder' size='.5 .7' density='3'");
    assert_close(&[mass], &[3.0 * PI * r * r * 2.0 * h]);
    let side = mass * (3.0 * r * r + 4.0 * h * h) / 12.0;
    assert_close(&inertia, &[side, side, mass * r * r / 2.0]);

    let (mass, inertia) = mass_of("type='box' size='.1 .2 .3' mass='6'");
    assert_close(&[mass], &[6.0]);
    assert_close(&inertia, &[2.0 * (0.04 + 0.09), 2.0 * (0.01 + 0.09), 2.0 * (0.01 + 0.04)]);

    let (mass, inertia) = mass_of("type='ellipsoid' size='.1 .2 .3' mass='5'");
    assert_close(&[mass], &[5.0]);
    assert_close(&inertia, &[0.13, 0.10, 0.05]);
}

#[test]
fn a_capsule_is_a_cylinder_with_two_half_balls() {
    let (r, h) = (0.5f64, 0.7f64);
    let (mass, inertia) = mass_of("type='capsule' size='.5 .7' density='1'");
    let (tube, ball) = (PI * r * r * 2.0 * h, 4.0 / 3.0 * PI * r.powi(3));
    assert_close(&[mass], &[tube + ball]);
    // A half ball's centre is 3/8 r from its flat side; its moment there is 83/320 m r^2.
    let side = tube * (3.0 * r * r + 4.0 * h * h) / 12.0 + ball * (83.0 / 320.0 * r * r + (h + 3.0 / 8.0 * r).powi(2));
    assert_close(&inertia, &[side, side, tube * r * r / 2.0 + ball * 0.4 * r * r]);
}

#[test]
fn shells_carry_their_mass_on_the_surface() {
    let (r, h) = (0.5f64, 0.7f64);
    let (mass, inertia) = mass_of("size='.5' density='2' shellinertia='true'");
    assert_close(&[mass], &[2.0 * 4.0 * PI * r * r]);
    assert_close(&inertia, &[mass * r * r / 1.5; 3]);

    let (mass, inertia) = mass_of("type='cylinder' size='.5 .7' density='1' shellinertia='true'");
    let (tube, discs) = (2.0 * PI * r * 2.0 * h, 2.0 * PI * r * r);
    assert_close(&[mass], &[tube + discs]);
    let side = tube * (r * r / 2.0 + h * h / 3.0) + discs * (r * r / 4.0 + h * h);
    assert_close(&inertia, &[side, side, tube * r * r + discs * r * r / 2.0]);
}

#[test]
fn two_balls_on_a_line_obey_the_parallel_axis_theorem() {
    let m =
        load("<body><joint/><geom size='.1' mass='1' pos='0 -1 0'/><geom size='.1' mass='3' pos='0 1 0'/></body>", "");
    assert_close(&m.body_ipos[3..6], &[0.0, 0.5, 0.0]);
    let ball = 0.4 * 4.0 * 0.01;
    // About the common centre: 1 * 1.5^2 + 3 * 0.5^2, and nothing along the line.
    let mut moments = m.body_inertia[3..6].to_vec();
    moments.sort_by(f64::total_cmp);
    assert_close(&moments, &[ball, ball + 3.0, ball + 3.0]);
}

#[test]
fn fromto_puts_the_geom_between_its_points() {
    let m = load("<geom type='capsule' size='.1' fromto='0 0 0 0 3 4'/>", "");
    assert_close(&m.geom_size, &[0.1, 2.5, 0.0]);
    assert_close(&m.geom_pos, &[0.0, 1.5, 2.0]);
    assert_close(&m.geom_rbound, &[2.6]);
    let m = load("<geom type='box' size='.1' fromto='0 0 0 2 0 0'/>", "");
    assert_close(&m.geom_size, &[0.1, 0.1, 1.0]);
}

#[test]
fn a_pendulum_has_its_textbook_mass_matrix() {
    let m = load("<body><joint armature='.5'/><inertial pos='2 0 0' mass='3' diaginertia='1 1 1'/></body>", "");
    let inertia = 1.0 + 3.0 * 4.0 + 0.5;
    assert_close(&m.dof_M0, &[inertia]);
    assert_close(&m.dof_invweight0, &[1.0 / inertia]);
    assert_close(&m.body_invweight0[2..4], &[4.0 / inertia / 3.0, 1.0 / inertia / 3.0]);
    assert_close(&[m.stat.meaninertia], &[inertia]);
}

#[test]
fn a_double_pendulum_couples_its_joints() {
    let link = "<inertial pos='1 0 0' mass='1' diaginertia='.1 .1 .1'/>";
    let m = load(
        &format!("<body><joint/>{link}<body pos='2 0 0'><joint name='k'/>{link}</body></body>"),
        "<actuator><motor joint='k' gear='2'/></actuator>",
    );
    // M = [[1.1 + 9.1, 3.1], [3.1, 1.1]].
    let determinant = 10.2 * 1.1 - 3.1 * 3.1;
    assert_close(&m.dof_M0, &[10.2, 1.1]);
    assert_close(&m.dof_invweight0, &[1.1 / determinant, 10.2 / determinant]);
    let acceleration = 2.0 * (3.1f64 * 3.1 + 10.2 * 10.2).sqrt() / determinant;
    assert_close(&m.actuator_acc0, &[acceleration]);
}

#[test]
fn degrees_become_radians_where_the_joint_is_angular() {
    let joints = "<body><joint range='-90 180' ref='90'/><joint type='slide' range='-90 180'/><geom size='1'/></body>";
    let m = load(joints, "");
    assert_close(&m.jnt_range, &[-PI / 2.0, PI, -90.0, 180.0]);
    assert_close(&m.qpos0, &[PI / 2.0, 0.0]);
    let m = load(joints, "<compiler angle='radian'/>");
    assert_close(&m.jnt_range[..2], &[-90.0, 180.0]);
}

#[test]
fn classes_nest_and_the_nearest_one_wins() {
    let classes = "<default><geom size='1 2' rgba='1 0 0 1'/><default class='a'><geom type='capsule' friction='.5'/>
        <default class='b'><geom size='3'/></default></default></default>";
    let m = load(
        "<geom/><geom class='a'/><body childclass='a'><geom/><geom class='b'/><geom class='main'/></body>",
        classes,
    );
    assert_eq!(m.geom_type, [2, 3, 3, 3, 2]);
    assert_close(&m.geom_size[9..12], &[3.0, 2.0, 0.0]);
    assert_close(&m.geom_friction[9..12], &[0.5, 0.005, 0.0001]);
}

#[test]
fn frames_move_everything_inside_them() {
    let m = load(
        "<body><frame pos='1 2 3' euler='0 0 90'><joint pos='1 0 0' axis='1 0 0'/><geom size='1' pos='1 0 0'/>
        <body name='c' pos='0 1 0'/></frame></body>",
        "",
    );
    assert_close(&m.jnt_pos, &[1.0, 3.0, 3.0]);
    assert_close(&m.jnt_axis, &[0.0, 1.0, 0.0]);
    assert_close(&m.geom_pos, &[1.0, 3.0, 3.0]);
    assert_close(&m.body_pos[6..9], &[0.0, 2.0, 3.0]);
}

#[test]
fn replicas_are_named_and_placed_one_after_the_other() {
    let m = load(
        "<replicate count='11' sep='-' offset='1 0 0' euler='0 0 90'><body name='b'><joint name='j'/><geom size='1'/></body></replicate>",
        "<actuator><motor name='m' joint='j'/></actuator>",
    );
    assert_eq!(m.body_id("b-10"), Some(11));
    assert_eq!(m.actuator_id("m-03"), Some(3));
    assert_eq!((m.nu, m.actuator_trnid[6]), (11, 3));
    assert_close(&m.body_pos[9..12], &[1.0, 1.0, 0.0]);
}

#[test]
fn an_attached_model_keeps_its_own_settings() {
    let m = Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/attachments.xml")).expect("loads");
    let joint = m.jnt_id("whole_j").expect("prefixed");
    assert_close(&m.jnt_range[2 * joint..2 * joint + 2], &[-1.0, 1.0]); // radians there, degrees here
    assert!(m.body_id("r_deep0").is_some() && m.body_id("r_deep1").is_some());
    assert!(m.key_id("whole_kk").is_some());
}

#[test]
fn a_position_actuator_is_a_general_one() {
    let joint = "<body><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='3 3 4'/></body>";
    let m = load(
        joint,
        "<actuator><position joint='j' kp='9' kv='2'/><position joint='j' kp='9' dampratio='1'/></actuator>",
    );
    assert_close(&m.actuator_gainprm[..3], &[9.0, 0.0, 0.0]);
    assert_close(&m.actuator_biasprm[..3], &[0.0, -9.0, -2.0]);
    assert_close(&m.actuator_biasprm[10..13], &[0.0, -9.0, -2.0 * (9.0f64 * 4.0).sqrt()]);
}

#[test]
fn spring_dampers_get_their_time_constant() {
    let m = load("<body><joint springdamper='.1 .5'/><inertial pos='0 0 0' mass='1' diaginertia='2 2 2'/></body>", "");
    assert_close(&m.jnt_stiffness, &[2.0 / (0.01 * 0.25)]);
    assert_close(&m.dof_damping, &[2.0 * 2.0 / 0.1]);
}

#[test]
fn keyframes_fill_up_with_the_reference_pose() {
    let m = load(
        "<body pos='0 0 3'><freejoint/><geom size='1'/></body>",
        "<size nkey='2'/><keyframe><key name='k' qpos='1 2 3 2'/></keyframe>",
    );
    assert_eq!((m.nkey, m.key_id("k")), (2, Some(0)));
    assert_close(&m.key_qpos, &[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn free_bodies_align_with_their_inertia_on_request() {
    let m = load("<body pos='1 0 0'><freejoint align='true'/><geom size='.1' pos='0 0 2'/></body>", "");
    assert_close(&m.qpos0[..3], &[1.0, 0.0, 2.0]);
    assert_close(&m.geom_pos, &[0.0, 0.0, 0.0]);
}

#[test]
fn visual_meshes_need_no_file() {
    let m = load(
        "<body><joint/><geom size='1'/><geom type='mesh' mesh='m' contype='0' conaffinity='0' mass='0'/></body>",
        "<asset><mesh name='m' file='absent.stl'/></asset>",
    );
    assert_eq!(m.geom_type, [2, 7]);
}

#[test]
fn options_and_flags_have_mujoco_values() {
    let m = load(
        "",
        "<option timestep='.01' integrator='RK4' solver='PGS'><flag gravity='disable' eulerdamp='disable' energy='enable'/></option>",
    );
    assert_eq!((m.opt.integrator, m.opt.timestep), (Integrator::Rk4, 0.01));
    assert_eq!((m.opt.disableflags, m.opt.enableflags), ((1 << 7) | (1 << 15), 1 << 1));
}

#[test]
fn every_array_has_the_length_of_its_shape() {
    for file in ["defaults", "inertia", "orientations", "replicas", "attachments", "discardvisual"] {
        let m = Model::from_file(format!("{}/tests/models/{file}.xml", env!("CARGO_MANIFEST_DIR"))).expect(file);
        for array in m.arrays() {
            let length = match array.data {
                ArrayData::Int(v) => v.len(),
                ArrayData::Real(v) => v.len(),
            };
            assert_eq!(length, array.shape.iter().product::<usize>(), "{file}: {}", array.name);
        }
    }
}
