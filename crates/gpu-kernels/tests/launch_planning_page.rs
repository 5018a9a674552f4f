//! The worked example of docs/launch-planning.md has the planner's numbers.

use std::collections::BTreeMap;
use std::path::Path;

use phalanx_gpu_kernels::planning::{model_dims, preferred_lanes};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, Placement, plan};
use phalanx_model::Model;

const NUM_ENVS: u64 = 8192;

fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The page's plan: estimates for what only a compiler knows.
fn humanoids_on(device: &str) -> LaunchPlan {
    let model = Model::from_file(repository("assets/humanoid.xml")).unwrap();
    let mut dims = model_dims(&Shape::of(&model).unwrap(), &[], &[]);
    dims.preferred_lanes = preferred_lanes(dims.nv, NUM_ENVS);
    let limits = DeviceLimits::preset(device).unwrap();
    plan(&limits, &dims, &KernelNeeds::estimate(dims.nv), &Demand::envs(NUM_ENVS)).unwrap()
}

/// Every row of the page's table, from a plan.
fn rows(plan: &LaunchPlan) -> Vec<(&'static str, String)> {
    let (device, step, retry, memory) = (&plan.device, plan.step(), plan.retry(), &plan.memory);
    let global = step.layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
    vec![
        ("multiprocessors", device.multiprocessor_count.to_string()),
        ("registers of a multiprocessor", device.registers_per_multiprocessor.to_string()),
        ("shared bytes of a multiprocessor", device.shared_memory_per_multiprocessor.to_string()),
        ("shared bytes reserved per block", device.reserved_shared_memory_per_block.to_string()),
        ("lanes per environment", step.lanes_per_env.to_string()),
        ("environments per block", step.envs_per_block.to_string()),
        ("registers per thread", step.registers_per_thread.to_string()),
        ("shared bytes per environment", (4 * step.layout.shared_words_per_env).to_string()),
        ("global bytes per environment", (4 * step.layout.global_words_per_env).to_string()),
        ("arrays in global memory", global.count().to_string()),
        ("shared bytes per block", step.dynamic_shared_bytes.to_string()),
        ("blocks per multiprocessor", step.blocks_per_sm.to_string()),
        ("limited by", step.limiter.to_string()),
        ("blocks of the grid", step.grid_blocks.to_string()),
        ("environments at once", step.resident_envs.to_string()),
        ("waves", step.waves.to_string()),
        ("occupancy in percent", plan.occupancy_percent().to_string()),
        ("retry: global bytes per environment", (4 * retry.layout.global_words_per_env).to_string()),
        ("retry: blocks per multiprocessor", retry.blocks_per_sm.to_string()),
        ("retry: environments at once", retry.resident_envs.to_string()),
        ("state", memory.state.to_string()),
        ("inputs", memory.inputs.to_string()),
        ("model", memory.model.to_string()),
        ("workspace", memory.workspace.to_string()),
        ("retry", memory.retry.to_string()),
        ("context", memory.hidden.context.to_string()),
        ("code", memory.hidden.code.to_string()),
        ("total", memory.total.to_string()),
        ("largest number of environments", plan.max_num_envs.to_string()),
    ]
}

fn page() -> String {
    std::fs::read_to_string(repository("docs/launch-planning.md")).unwrap()
}

/// The rows of the worked example's table: name, T4, H200.
fn table(page: &str) -> BTreeMap<String, [String; 2]> {
    let example = page.split("\n## By hand").nth(1).expect("the page has the example");
    let lines = example.lines().filter(|line| line.starts_with("| "));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace(',', "")).collect::<Vec<_>>();
    lines.map(cells).map(|cells| (cells[1].clone(), [cells[2].clone(), cells[3].clone()])).collect()
}

#[test]
fn the_worked_example_has_the_planners_numbers() {
    let mut written = table(&page());
    assert_eq!(written.remove("row"), Some(["T4".to_string(), "H200".to_string()]));
    let plans = ["t4", "h200"].map(humanoids_on);
    for (row, (t4, h200)) in rows(&plans[0]).into_iter().zip(rows(&plans[1])).map(|(a, b)| (a.0, (a.1, b.1))) {
        let on_page = written.remove(row).unwrap_or_else(|| panic!("docs/launch-planning.md has no row \"{row}\""));
        assert_eq!(on_page, [t4, h200], "docs/launch-planning.md, row \"{row}\": left is the page, right the planner");
    }
    assert!(written.is_empty(), "docs/launch-planning.md has rows that no plan has: {written:?}");
}

#[test]
fn the_arithmetic_of_the_worked_example_is_right() {
    let page = page();
    let [t4, h200] = ["t4", "h200"].map(|device| rows(&humanoids_on(device)).into_iter().collect::<BTreeMap<_, _>>());
    let number = |rows: &BTreeMap<&str, String>, name: &str| rows[name].parse::<u64>().unwrap();

    // As the page does it: registers, then shared memory, then what follows.
    let registers = (66 + 27u64).next_multiple_of(8);
    assert_eq!(number(&h200, "registers per thread"), registers);
    let by_registers = 65_536 / 4 / (registers * 32) * 4 / 2;
    let by_shared = |held: u64, bytes: u64, unit: u64| held / bytes.next_multiple_of(unit);
    let on_h200 = by_shared(233_472, number(&h200, "shared bytes per block") + 1024, 128);
    let on_t4 = by_shared(65_536, number(&t4, "shared bytes per block"), 256);
    assert_eq!((by_registers.min(on_h200), on_h200 < by_registers), (number(&h200, "blocks per multiprocessor"), true));
    assert_eq!((by_registers.min(on_t4), by_registers < on_t4), (number(&t4, "blocks per multiprocessor"), true));
    for (rows, multiprocessors) in [(&t4, 40), (&h200, 132)] {
        let blocks = number(rows, "blocks per multiprocessor") * multiprocessors;
        assert_eq!(blocks, number(rows, "blocks of the grid"));
        assert_eq!(NUM_ENVS.div_ceil(2 * blocks), number(rows, "waves"));
        let each = (number(rows, "state") + number(rows, "inputs")) / NUM_ENVS;
        let parts =
            ["state", "inputs", "model", "workspace", "retry", "context", "code"].map(|part| number(rows, part));
        assert_eq!(parts.iter().sum::<u64>(), number(rows, "total"));
        let memory = if multiprocessors == 40 { 15_000u64 } else { 143_000 } << 20;
        let fixed = ["context", "code", "model", "retry: global bytes per environment"].map(|part| number(rows, part));
        let largest = (memory - fixed.iter().sum::<u64>()) / each;
        assert_eq!(largest, number(rows, "largest number of environments"));
    }

    // What the text quotes.
    let rejected = humanoids_on("t4").rejected;
    let quoted =
        rejected.iter().find(|row| row.row == "32 lanes, 1 environment per block, all arrays in shared memory");
    assert!(page.contains(&quoted.expect("the T4 has such a row").reason), "{quoted:?}");
}
