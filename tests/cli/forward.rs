//! `phalanx forward`: derived fields by MuJoCo's names.

use crate::{Folder, json};

#[test]
fn derived_fields_have_mujocos_names_and_shapes() {
    let fields = json(&["forward", "assets/ant.xml", "--keyframe", "home", "--json"]);
    let rows = |name: &str| fields[name].as_array().unwrap_or_else(|| panic!("{name} is missing")).len();
    for (name, count) in [("xpos", 10), ("xquat", 10), ("subtree_com", 10), ("cdof", 14), ("M", 14), ("qacc", 14)] {
        assert_eq!(rows(name), count, "{name}");
    }
    for name in ["qfrc_bias", "qfrc_passive", "qfrc_actuator", "qacc_smooth"] {
        assert_eq!(rows(name), 14, "{name}");
    }
    assert_eq!(fields["M"][0].as_array().unwrap().len(), 14, "the mass matrix is full");
    let row_count = rows("efc_force");
    for name in ["efc_J", "efc_pos", "efc_aref", "efc_D", "efc_type"] {
        assert_eq!(rows(name), row_count, "{name}");
    }
}

#[test]
fn a_standing_ant_touches_the_ground_with_four_feet() {
    let fields = json(&["forward", "assets/ant.xml", "--keyframe", "home", "--json"]);
    let contacts = fields["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 4);
    for contact in contacts {
        assert_eq!(contact["dim"], 3);
        assert_eq!(contact["frame"].as_array().unwrap()[..3], [0.0, 0.0, 1.0].map(serde_json::Value::from));
        assert_eq!(contact["geoms"][0], 0, "the floor is geom 0: {contact}");
    }
    assert_eq!(fields["efc_force"].as_array().unwrap().len(), 16);
}

#[test]
fn injected_contacts_replace_those_that_are_found() {
    let folder = Folder::new();
    let frame = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
    let file = folder.npz(
        "contacts.npz",
        &[
            ("dist", &[1], &[-0.001]),
            ("pos", &[1, 3], &[0.0, 0.0, 0.0]),
            ("frame", &[1, 9], &frame),
            ("geoms", &[1, 2], &[0.0, 1.0]),
        ],
    );
    let fields = json(&["forward", "assets/ant.xml", "--contacts", &file, "--json"]);
    let contacts = fields["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 1);
    assert_eq!(contacts[0]["dist"], -0.001);
    assert_eq!(contacts[0]["geoms"], serde_json::json!([0, 1]));
}

#[test]
fn no_injected_contacts_leave_an_ant_without_ground() {
    let folder = Folder::new();
    let file = folder.npz("contacts.npz", &[("dist", &[0], &[])]);
    let fields = json(&["forward", "assets/ant.xml", "--keyframe", "home", "--contacts", &file, "--json"]);
    assert_eq!(fields["contacts"], serde_json::json!([]));
    assert_eq!(fields["efc_force"], serde_json::json!([]));
}

#[test]
fn controls_move_the_actuators() {
    let folder = Folder::new();
    let controls = folder.npy("controls.npy", &[1], &[0.5f64]);
    let fields = json(&["forward", "assets/cartpole.xml", "--controls", &controls, "--json"]);
    // The motor of the cart has a gear of 10 N.
    assert_eq!(fields["qfrc_actuator"], serde_json::json!([5.0, 0.0]));
}
