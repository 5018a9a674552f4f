//! Ctrl-C: the run sums up what it has done, keeps what it has recorded, and leaves no file that looks whole.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::{Folder, command};

#[test]
fn ctrl_c_ends_a_run_with_a_summary_and_keeps_its_record_under_a_name_that_says_so() {
    let folder = Folder::new();
    let (record, hashes) = (folder.path("record.npz"), folder.path("hashes"));
    let run = ["run", "assets/cartpole.xml", "--device", "cpu", "--steps", "1000000000", "--json", "--log", "info"];
    let files = ["--record", &record, "--record-every", "1000", "--hashes", &hashes];
    let mut child = command(&[&run[..], &files[..]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let began = log.by_ref().any(|line| line.unwrap().contains("stepping"));
    assert!(began, "the run ended before it began");

    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["interrupted"], true);
    assert!(summary["steps"].as_u64().unwrap() < 1_000_000_000);
    assert_eq!(folder.names(), ["record.interrupted.npz"]);
    let told = log.map(Result::unwrap).find(|line| line.contains("record.interrupted.npz")).expect("a warning");
    let records: u64 = told.split_whitespace().find_map(|word| word.parse().ok()).expect("a number of records");
    assert_eq!(records, summary["steps"].as_u64().unwrap() / 1000 + 1);
    let mut archive = zip::ZipArchive::new(File::open(folder.path("record.interrupted.npz")).unwrap()).unwrap();
    let qpos = npyz::NpyFile::new(archive.by_name("qpos.npy").unwrap()).unwrap();
    assert_eq!(qpos.shape(), [records, 1, 2]);
}
