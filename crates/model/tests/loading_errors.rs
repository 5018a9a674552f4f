//! Every fault in a model is an error that says where it is and what to do; nothing is ignored.

use std::path::PathBuf;

use phalanx_model::{LoadError, Model};

/// The error of a model with `body` inside `worldbody` (from line 3) and `sections` after it.
fn error_of(body: &str, sections: &str) -> LoadError {
    let xml = format!("<mujoco>\n<worldbody>\n{body}\n</worldbody>\n{sections}\n</mujoco>");
    match Model::from_xml(&xml, "test.xml") {
        Ok(_) => panic!("loads without an error: {xml}"),
        Err(error) => error,
    }
}

#[track_caller]
fn assert_refused(body: &str, sections: &str, expected: &[&str]) {
    let text = error_of(body, sections).to_string();
    for part in expected {
        assert!(text.contains(part), "`{text}` does not say `{part}`");
    }
}

const HINGE: &str = "<body name='b'><joint name='j' range='-9 9'/><geom name='g' size='1'/></body>";

#[test]
fn an_upside_down_range_is_reported_as_the_style_guide_shows() {
    let error = error_of("<body>\n<joint name='elbow' range='1.2 -0.3'/>\n<geom size='1'/></body>", "");
    assert_eq!(
        error.to_string(),
        "test.xml:4: joint \"elbow\": range [1.2, -0.3] is upside down; write the lower limit first"
    );
}

#[test]
fn an_error_points_to_the_line_of_the_attribute_not_of_the_element() {
    let error = error_of("<geom\n size='1'\n condim='2'/>", "");
    assert_eq!(error.line, 5);
}

#[test]
fn numbers_are_checked() {
    assert_refused("<geom size='big'/>", "", &["test.xml:3", "geom", "size", "big", "not a number"]);
    assert_refused("<geom size='nan'/>", "", &["finite"]);
    assert_refused("<geom size='1e999'/>", "", &["finite"]);
    assert_refused("<geom size='1' pos='1 2'/>", "", &["pos has 2 numbers, it takes 3"]);
    assert_refused("<geom size='1 2 3 4'/>", "", &["at most 3"]);
    assert_refused("<geom size='1' contype='1.5'/>", "", &["whole number"]);
    assert_refused("<geom size='1' contype='99999999999'/>", "", &["whole number"]);
    assert_refused("<geom size='-1'/>", "", &["radius", "positive"]);
    assert_refused("<geom type='box' size='1 1'/>", "", &["z half size", "positive"]);
    assert_refused("<geom type='plane' size='1 1 0'/>", "", &["grid spacing"]);
    assert_refused("<geom size='1' density='-1'/>", "", &["negative"]);
    assert_refused("<geom size='1' quat='0 0 0 0'/>", "", &["quat is zero"]);
    assert_refused("<geom size='1' zaxis='0 0 0'/>", "", &["no length"]);
    assert_refused("<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>", "", &["the same"]);
    let twice = "<geom type='capsule' size='1' pos='0 0 1' fromto='0 0 0 0 0 1'/>";
    assert_refused(twice, "", &["pos and fromto", "write one"]);
    let by_class = "<default><geom pos='0 0 1'/></default>";
    assert_refused("<geom type='capsule' size='1' fromto='0 0 0 0 0 1'/>", by_class, &["pos and fromto"]);
    assert_refused("<site type='capsule' size='1' pos='0 0 1' fromto='0 0 0 0 0 1'/>", "", &["pos and fromto"]);
    assert_refused("<geom size='1' fromto='1 1 1 1 1 2'/>", "", &["capsule, cylinder, box or ellipsoid"]);
    assert_refused("<body><joint axis='0 0 0'/><geom size='1'/></body>", "", &["axis", "no length"]);
    assert_refused("<body><joint limited='true'/><geom size='1'/></body>", "", &["[0, 0] is empty"]);
    assert_refused("", "<option timestep='0'/>", &["timestep", "positive"]);
}

#[test]
fn unknown_names_are_errors_with_a_suggestion() {
    assert_refused("<geom sise='1'/>", "", &["unknown attribute `sise`", "did you mean `size`"]);
    assert_refused("<goem size='1'/>", "", &["unknown element", "did you mean `geom`"]);
    assert_refused("", "<actuators/>", &["unknown element", "did you mean `actuator`"]);
    assert_refused("<geom size='1' type='ball'/>", "", &["type \"ball\" is not one of", "sphere"]);
    assert_refused("<geom size='1' class='x'/>", "", &["class \"x\"", "not a default class"]);
    assert_refused("<body childclass='x'/>", "", &["childclass \"x\""]);
    assert_refused("<geom size='1' material='x'/>", "", &["material \"x\"", "no material"]);
    assert_refused("", "<visual><map zfur='1'/></visual>", &["did you mean `zfar`"]);
}

#[test]
fn missing_references_and_duplicate_names_are_errors() {
    assert_refused(HINGE, "<actuator><motor joint='jj'/></actuator>", &["no joint of this name", "did you mean `j`"]);
    assert_refused(HINGE, "<actuator><motor/></actuator>", &["`joint` is missing"]);
    assert_refused(HINGE, "<contact><pair geom1='g' geom2='h'/></contact>", &["geom2 \"h\"", "no geom"]);
    assert_refused(HINGE, "<contact><exclude body1='b' body2='c'/></contact>", &["body2 \"c\""]);
    assert_refused(
        "<geom name='a' size='1'/>\n<geom name='a' size='1'/>",
        "",
        &["test.xml:4", "already used at test.xml:3"],
    );
    assert_refused("<body name='world'/>", "", &["already used"]);
    assert_refused("<camera mode='targetbody' target='x'/>", "", &["target \"x\""]);
    assert_refused("<camera mode='targetbody'/>", "", &["`target` is missing"]);
    let twice = "<default><default class='a'/><default class='a'/></default>";
    assert_refused("", twice, &["class \"a\" is defined twice"]);
}

#[test]
fn impossible_bodies_are_errors() {
    assert_refused("<body><joint/></body>", "", &["moves but has no mass"]);
    assert_refused("<body><freejoint/><joint/><geom size='1'/></body>", "", &["only joint of its body"]);
    assert_refused("<body><body><freejoint/><geom size='1'/></body></body>", "", &["direct child of the world"]);
    assert_refused("<body><joint type='ball'/><joint/><geom size='1'/></body>", "", &["only rotation"]);
    assert_refused(&format!("<body>{}<geom size='1'/></body>", "<joint/>".repeat(7)), "", &["7 degrees of freedom"]);
    assert_refused("<joint/>", "", &["the world cannot have joints"]);
    assert_refused("<body mocap='true'><joint/><geom size='1'/></body>", "", &["mocap"]);
    assert_refused("<body><joint/><geom type='plane' size='1 1 1'/><geom size='1'/></body>", "", &["plane", "move"]);
    let inertial = "<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>";
    assert_refused(inertial, "", &["impossible", "balanceinertia"]);
    let full = "<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>";
    assert_refused(full, "", &["positive definite"]);
    assert_refused("<body><inertial pos='0 0 0' mass='1'/></body>", "", &["diaginertia", "missing"]);
    let twice = "<geom size='1' quat='1 0 0 0' euler='0 0 0'/>";
    assert_refused(twice, "", &["quat and euler exclude each other"]);
}

#[test]
fn what_would_change_the_motion_is_refused_by_name() {
    assert_refused("<geom type='hfield' hfield='h'/>", "", &["hfield", "not supported"]);
    assert_refused(
        "<geom type='mesh' mesh='m'/>",
        "<asset><mesh name='m' file='m.stl'/></asset>",
        &["meshes that collide"],
    );
    assert_refused("<geom size='1' surfacevel='1'/>", "", &["surfacevel"]);
    assert_refused("<geom size='1' adhesion='1'/>", "", &["adhesion"]);
    assert_refused("<geom size='1' fluidshape='ellipsoid'/>", "", &["fluidshape"]);
    assert_refused("<body><joint springyield='1'/><geom size='1'/></body>", "", &["springyield"]);
    assert_refused("<frame scale='2'/>", "", &["scale"]);
    assert_refused("<flexcomp name='f'/>", "", &["flexcomp", "not supported"]);
    assert_refused(HINGE, "<option cone='elliptic'/>", &["cone=\"elliptic\""]);
    assert_refused(HINGE, "<option integrator='implicit'/>", &["implicitfast"]);
    assert_refused(HINGE, "<option integrator='discrete'/>", &["discrete"]);
    assert_refused(HINGE, "<option noslip_iterations='3'/>", &["noslip"]);
    assert_refused(HINGE, "<option><flag sleep='enable'/></option>", &["sleep"]);
    assert_refused(HINGE, "<equality><joint joint1='j'/></equality>", &["equality"]);
    assert_refused(HINGE, "<actuator><muscle joint='j'/></actuator>", &["muscle", "not supported"]);
    assert_refused(HINGE, "<actuator><general joint='j' dyntype='filter'/></actuator>", &["dyntype"]);
    assert_refused(HINGE, "<actuator><position joint='j' timeconst='1'/></actuator>", &["timeconst"]);
    assert_refused(HINGE, "<actuator><motor joint='j' armature='1'/></actuator>", &["armature"]);
    assert_refused(HINGE, "<actuator><motor joint='j' delay='1' nsample='2'/></actuator>", &["delay"]);
    assert_refused(HINGE, "<compiler coordinate='global'/>", &["coordinate"]);
    assert_refused(HINGE, "<compiler fusestatic='true'/>", &["fusestatic"]);
    assert_refused(HINGE, "<extension><plugin plugin='p'/></extension>", &["plugin"]);
    let ball = "<body><joint type='ball' name='j'/><geom size='1'/></body>";
    assert_refused(ball, "<actuator><position joint='j' inheritrange='1'/></actuator>", &["hinge or slider"]);
}

#[test]
fn tendons_that_act_are_refused_and_idle_ones_set_aside() {
    let tendon = |attributes: &str| format!("<tendon><fixed {attributes}><joint joint='j' coef='1'/></fixed></tendon>");
    for active in ["stiffness='1'", "damping='1'", "frictionloss='1'", "range='0 1'", "armature='1'"] {
        assert_refused(HINGE, &tendon(active), &["fixed"]);
    }
    assert_refused(HINGE, "<tendon><spatial/></tendon>", &["spatial"]);
    assert_refused(HINGE, "<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>", &["joint \"x\""]);
    let xml = format!("<mujoco><worldbody>{HINGE}</worldbody>{}</mujoco>", tendon("stiffness='0'"));
    assert!(Model::from_xml(&xml, "idle").is_ok());
}

#[test]
fn keyframes_are_checked() {
    let key = |a: &str| format!("<keyframe><key {a}/></keyframe>");
    assert_refused(HINGE, &key("qpos='1 2'"), &["qpos has 2 numbers, the model takes 1"]);
    assert_refused(HINGE, &key("ctrl='1'"), &["ctrl has 1 numbers, the model takes 0"]);
    assert_refused(HINGE, &key("act='1'"), &["act"]);
    assert_refused("<body><freejoint/><geom size='1'/></body>", &key("qpos='0 0 0 0'"), &["zero quaternion"]);
}

#[test]
fn malformed_files_are_errors() {
    let fails = |xml: &str, part: &str| {
        let text = Model::from_xml(xml, "bad.xml").expect_err(xml).to_string();
        assert!(text.contains(part), "`{text}` does not say `{part}`");
    };
    fails("", "malformed XML");
    fails("<mujoco>", "malformed XML");
    fails("<mujoco>\n<worldbody></body></mujoco>", "bad.xml:2");
    fails("<robot/>", "outermost element must be `mujoco`");
    fails("<mujoco><include file='nowhere.xml'/></mujoco>", "cannot read nowhere.xml");
    fails("<mujoco><include/></mujoco>", "`file` is missing");
    let text = Model::from_file("nowhere.xml").expect_err("missing").to_string();
    assert!(text.starts_with("nowhere.xml: cannot read this file: "), "{text}");
}

#[test]
fn includes_and_attachments_that_go_in_circles_end() {
    let directory = std::env::temp_dir().join(format!("phalanx-model-cycles-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary folder");
    let write = |name: &str, text: &str| -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("a temporary file");
        path
    };
    let a = write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
    write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    assert!(Model::from_file(&a).expect_err("cycle").message.contains("once"));
    let own = write(
        "own.xml",
        "<mujoco><asset><model name='m' file='own.xml'/></asset><worldbody><attach model='m' prefix='x'/></worldbody></mujoco>",
    );
    assert!(Model::from_file(&own).expect_err("cycle").message.contains("cycle"));
    std::fs::remove_dir_all(&directory).expect("the temporary folder goes");
}

#[test]
fn sizes_without_bounds_are_refused() {
    let nested = |n: usize, open: &str, close: &str| format!("{}{}", open.repeat(n), close.repeat(n));
    assert_refused(&nested(2000, "<body>", "</body>"), "", &["nested more than 1000 deep"]);
    assert_refused("<replicate count='1000000'><geom size='1'/></replicate>", "", &["count"]);
    assert_refused("<replicate count='0'><geom size='1'/></replicate>", "", &["count"]);
    let bomb = "<replicate count='9999'>".repeat(4) + "<geom size='1'/>" + &"</replicate>".repeat(4);
    assert_refused(&bomb, "", &["more than 200000 objects"]);
    assert_refused(HINGE, "<size nkey='999999999'/>", &["nkey"]);
    let chain = nested(999, "<body><joint/><geom size='1'/>", "</body>");
    let xml = format!("<mujoco><worldbody>{chain}</worldbody></mujoco>");
    assert!(Model::from_xml(&xml, "deep").is_err(), "998 bodies are the limit with mujoco and worldbody around them");
}

#[test]
fn two_joints_with_the_same_motion_are_refused() {
    let parallel = "<body><joint type='slide'/><joint name='again' type='slide'/><geom size='1'/></body>";
    assert_refused(parallel, "", &["joint \"again\"", "mass matrix is not positive", "no two joints"]);
}
