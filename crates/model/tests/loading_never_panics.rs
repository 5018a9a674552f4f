//! Whatever the bytes, loading returns: it neither panics nor loops.

use phalanx_model::Model;
use proptest::prelude::*;

/// Models with every supported feature, to be mutated.
const SEEDS: &[&str] = &[
    include_str!("models/defaults.xml"),
    include_str!("models/inertia.xml"),
    include_str!("models/orientations.xml"),
    include_str!("models/replicas.xml"),
    include_str!("models/attached_arm.xml"),
    include_str!("models/discardvisual.xml"),
];

/// Fragments that tend to matter.
const FRAGMENTS: &[&str] = &[
    "",
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "true",
    "auto",
    "2147483647",
    "0 0 0",
    "0 0 0 0",
    "world",
    "main",
    "\"",
    "'",
    "<",
    ">",
    "/>",
    "<body>",
    "</body>",
    "<geom size='1'/>",
    "<joint/>",
    "<freejoint/>",
    "&#0;",
    "&lt;",
    "<!--",
    "-->",
    "<![CDATA[",
    "<attach body='B' prefix='p'/>",
    "<replicate count='1000'>",
    "<include file='.'/>",
    "type=\"mesh\"",
    "type=\"ball\"",
    "fromto=\"0 0 0 1 1 1\"",
    "\u{0}",
    "é",
    " ",
];

/// Replaces a stretch of a seed by a fragment, several times.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(FRAGMENTS));
    (prop::sample::select(SEEDS), prop::collection::vec(edit, 1..6)).prop_map(|(seed, edits)| {
        let mut text: Vec<char> = seed.chars().collect();
        for (at, length, fragment) in edits {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, fragment.chars());
        }
        text.into_iter().collect()
    })
}

/// Replaces whole attribute values, so that the XML stays well-formed and the compiler is reached.
fn revalued() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), prop::sample::select(FRAGMENTS));
    (prop::sample::select(SEEDS), prop::collection::vec(edit, 1..4)).prop_map(|(seed, edits)| {
        let mut parts: Vec<String> = seed.split('"').map(str::to_string).collect();
        for (at, fragment) in edits {
            let values = parts.len() / 2;
            parts[2 * at.index(values) + 1] = fragment.replace(['"', '<', '&'], "");
        }
        parts.join("\"")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_refused_without_a_panic(text in "\\PC{0,300}") {
        let _ = Model::from_xml(&text, "fuzz");
    }

    #[test]
    fn mutated_models_load_or_fail_without_a_panic(text in mutated()) {
        let _ = Model::from_xml(&text, "fuzz");
    }

    #[test]
    fn models_with_odd_values_load_or_fail_without_a_panic(text in revalued()) {
        if let Ok(model) = Model::from_xml(&text, "fuzz") {
            for array in model.arrays() {
                if let phalanx_model::ArrayData::Real(values) = array.data {
                    prop_assert!(values.iter().all(|x| !x.is_nan()), "{} has a NaN in {text}", array.name);
                }
            }
        }
    }
}
