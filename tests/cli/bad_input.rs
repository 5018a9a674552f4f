//! Bad input: a message that says what and where, exit code 1 or 2, nothing on standard output, no panic, no file.

use crate::{Folder, npy_bytes, phalanx, text};

/// Runs what must fail with this exit code and these words in its message.
fn refuses(arguments: &[&str], code: i32, words: &[&str]) {
    let output = phalanx(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?}: \"{word}\" is not in: {message}");
    }
    assert!(message.contains("rror") || message.contains("Usage"), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
}

/// A run of cartpole on the CPU that must fail.
fn run_refuses(more: &[&str], code: i32, words: &[&str]) {
    let run = ["run", "assets/cartpole.xml", "--device", "cpu", "--json"];
    refuses(&[&run[..], more].concat(), code, words);
}

#[test]
fn a_wrong_command_line_is_refused_with_code_2() {
    refuses(&[], 2, &["Usage"]);
    refuses(&["fly"], 2, &["fly"]);
    refuses(&["run"], 2, &["MODEL"]);
    for (arguments, words) in [
        (["--envs", "0"], ["0", "--envs"]),
        (["--envs", "-3"], ["-3", "write a whole number from 1 to"]),
        (["--envs", "many"], ["many", "--envs"]),
        (["--envs", "18446744073709551616"], ["--envs", ""]),
        (["--steps", "0"], ["--steps", ""]),
        (["--decimation", "0"], ["--decimation", ""]),
        (["--precision", "f16"], ["f16", ""]),
        (["--controls", "sine"], ["sine", "random"]),
        (["--keyframe", "flying"], ["flying", "home"]),
        (["--keyframe", "2"], ["2", "hanging"]),
        (["--record-every", "2"], ["--record", ""]),
        (["--log", "loud"], ["loud", ""]),
        (["--tolerance", "nan"], ["tolerance", ""]),
    ] {
        run_refuses(&arguments, 2, &words);
    }
    run_refuses(&["--keyframe", "home", "--state", "x.npz"], 2, &["--keyframe"]);
    run_refuses(&["--steps", "18446744073709551615", "--decimation", "2"], 2, &["--decimation"]);
    run_refuses(&["--first-env", "72057594037927936"], 2, &["--first-env", "72057594037927936"]);
    run_refuses(&["--steps", "281474976710657", "--controls", "random"], 2, &["281474976710656"]);
    refuses(&["run", "assets/ant.xml", "--device", "tpu"], 2, &["tpu", "cuda:I"]);
    refuses(&["run", "assets/ant.xml", "--device", "cuda:one"], 2, &["cuda:one"]);
    refuses(&["run", "assets/ant.xml", "--device", "cuda:0", "--precision", "f64"], 2, &["f64", "CPU"]);
    refuses(&["plan", "assets/ant.xml", "--envs", "0", "--device", "h200"], 2, &["--envs"]);
    refuses(&["plan", "assets/ant.xml", "--envs", "1", "--device", "rtx9999"], 2, &["rtx9999", "rtx4090"]);
}

#[test]
fn a_bad_model_is_refused_with_file_and_line() {
    let folder = Folder::new();
    refuses(&["run", &folder.path("none.xml")], 1, &["none.xml: cannot read"]);
    refuses(&["run", &folder.path("")], 1, &[]);
    for (name, text, word) in [
        ("empty.xml", "", "empty.xml"),
        ("broken.xml", "<mujoco>\n<worldbody>", "broken.xml"),
        ("element.xml", "<mujoco>\n<worldbody>\n<wheel/></worldbody></mujoco>", "element.xml:3"),
        (
            "attribute.xml",
            "<mujoco>\n<worldbody>\n<geom size='1' colour='red'/></worldbody></mujoco>",
            "attribute.xml:3",
        ),
        ("number.xml", "<mujoco>\n<worldbody>\n<geom size='big'/></worldbody></mujoco>", "number.xml:3"),
    ] {
        let model = folder.write(name, text);
        for command in ["run", "forward", "inspect"] {
            refuses(&[command, &model], 1, &[word]);
        }
        refuses(&["plan", &model, "--envs", "1", "--device", "h200"], 1, &[word]);
    }
    let binary = folder.write("binary.xml", [0xff, 0xfe, 0, 1]);
    refuses(&["inspect", &binary], 1, &["binary.xml"]);
}

#[test]
fn more_environments_than_memory_are_refused() {
    run_refuses(&["--envs", "1000000000000"], 1, &["bytes", "largest number that fits"]);
    run_refuses(&["--envs", "18446744073709551615"], 2, &["--envs"]);
}

#[test]
fn a_missing_device_is_named() {
    // Nothing has a thousand GPUs; most machines of developers have none, which is another message with the same code.
    refuses(&["run", "assets/ant.xml", "--device", "cuda:1000"], 1, &["CUDA"]);
    refuses(&["plan", "assets/ant.xml", "--envs", "1", "--device", "cuda:1000"], 1, &["rtx4090"]);
}

#[test]
fn a_bad_control_file_is_refused_at_input() {
    let folder = Folder::new();
    let controls = |file: &str, words: &[&str]| {
        run_refuses(&["--steps", "3", "--envs", "2", "--controls", file], 1, words);
    };
    controls(&folder.path("none.npy"), &["none.npy"]);
    controls(&folder.npy("nan.npy", &[3, 1], &[0.0, f64::NAN, 0.0]), &["nan.npy", "NaN", "[1, 0]"]);
    controls(&folder.npy("inf.npy", &[3, 2, 1], &[0.0f32, 0.0, 0.0, 0.0, 0.0, f32::INFINITY]), &["inf", "[2, 1, 0]"]);
    controls(&folder.npy("steps.npy", &[4, 1], &[0.0; 4]), &["--steps 4"]);
    controls(&folder.npy("nu.npy", &[3, 2], &[0.0; 6]), &["(3, 2)", "(3, 1)", "(3, 2, 1)"]);
    controls(&folder.npy("flat.npy", &[3], &[0.0; 3]), &["(3,)"]);
    controls(&folder.npy("int.npy", &[3, 1], &[0i64; 3]), &["float64"]);
    controls(&folder.write("text.npy", "0 0 0"), &["text.npy"]);
    controls(&folder.write("empty.npy", ""), &["empty.npy"]);
    let whole = npy_bytes(&[3, 1], &[0.0; 3]);
    controls(&folder.write("cut.npy", &whole[..whole.len() - 8]), &["cut.npy"]);
    controls(&folder.write("header.npy", &whole[..40]), &["header.npy"]);
    controls(&folder.write("long.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{'descr'"), &["header"]);
    let planet = String::from_utf8_lossy(&whole[10..128]).replace("(3, 1)", "(9999999999999, 9999999999999)");
    controls(&folder.write("planet.npy", [&whole[..10], planet.as_bytes()].concat()), &["planet.npy"]);
}

#[test]
fn a_bad_state_file_is_refused_at_input() {
    let folder = Folder::new();
    let state = |file: &str, words: &[&str]| run_refuses(&["--envs", "3", "--state", file], 1, words);
    state(&folder.path("none.npz"), &["none.npz"]);
    state(&folder.write("text.npz", "qpos = 1"), &["text.npz", "npz"]);
    state(
        &folder.npz("nan.npz", &[("qvel", &[3, 2], &[0.0, 0.0, 0.0, 0.0, 0.0, f64::NAN])]),
        &["qvel", "NaN", "[2, 1]"],
    );
    state(&folder.npz("shape.npz", &[("qpos", &[4], &[0.0; 4])]), &["qpos", "(4,)", "(2,)", "(3, 2)"]);
    state(&folder.npz("envs.npz", &[("qpos", &[2, 2], &[0.0; 4])]), &["qpos", "(2, 2)", "(3, 2)"]);
    state(&folder.npz("name.npz", &[("qpo", &[2], &[0.0; 2])]), &["qpo", "qacc_warmstart"]);
}

#[test]
fn bad_injected_contacts_are_refused_at_input() {
    let folder = Folder::new();
    let forward = |file: &str, words: &[&str]| {
        refuses(&["forward", "assets/ant.xml", "--json", "--contacts", file], 1, words);
    };
    let frame = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
    let contact = |geoms: &[f64; 2], dist: &[f64]| {
        folder.npz(
            "contacts.npz",
            &[
                ("pos", &[1, 3], &[0.0; 3]),
                ("frame", &[1, 9], &frame),
                ("geoms", &[1, 2], geoms),
                ("dist", &[dist.len() as u64], dist),
            ],
        )
    };
    forward(&contact(&[0.0, 99.0], &[0.0]), &["99", "[0, 1]"]);
    forward(&contact(&[0.0, 1.5], &[0.0]), &["1.5"]);
    forward(&contact(&[0.0, 1.0], &[0.0, 0.0]), &["dist", "rows"]);
    forward(&folder.npz("lacking.npz", &[("dist", &[1], &[0.0])]), &["pos"]);
}

#[test]
fn limits_that_no_device_has_are_refused() {
    let folder = Folder::new();
    let plan = |file: &str, words: &[&str]| {
        refuses(&["plan", "assets/ant.xml", "--envs", "1", "--device", file], 1, words);
    };
    plan(&folder.path("none.json"), &["none.json"]);
    plan(&folder.write("broken.json", "{"), &["broken.json"]);
    plan(&folder.write("other.json", "{\"sms\": 3}"), &["other.json", "sms"]);
}

#[test]
fn a_record_that_cannot_be_written_stops_the_run_before_it_starts() {
    let folder = Folder::new();
    run_refuses(&["--record", &folder.path("no/such/folder/record.npz")], 1, &["record.npz"]);
    run_refuses(&["--record", &folder.path("")], 1, &["folder"]);
    run_refuses(&["--hashes", &folder.path("no/hashes")], 1, &["hashes"]);
}

#[test]
fn a_folder_that_takes_no_file_is_named_as_the_user_named_it() {
    let folder = Folder::new();
    for (option, name) in [("--record", "none/record.npz"), ("--hashes", "none/hashes")] {
        let file = folder.path(name);
        let output = phalanx(&["run", "assets/cartpole.xml", "--device", "cpu", option, &file]);
        let message = text(&output.stderr);
        let place = format!("error: {file}: no file can be made in the folder {}", folder.path("none"));
        assert!(message.starts_with(&place), "{message}");
        assert!(message.contains("No such file") && !message.contains(".phalanx-"), "{message}");
    }
}
