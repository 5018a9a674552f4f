//! The worked example of docs/launch-planning.md has the planner's numbers.
//!
//! The humanoid's sizes are kept in a file, so that the example changes with the planner and not with every kernel.

use std::collections::BTreeMap;
use std::path::Path;

use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, Placement, plan};

const NUM_ENVS: u64 = 8192;

/// The page's plan: estimates for what only a compiler knows.
fn humanoids_on(device: &str) -> LaunchPlan {
    let dims: ModelDims = serde_json::from_str(include_str!("models/humanoid_of_the_page.json")).unwrap();
    let limits = DeviceLimits::preset(device).unwrap();
    plan(&limits, &dims, &KernelNeeds::estimate(), &Demand::envs(NUM_ENVS)).unwrap()
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
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/launch-planning.md");
    std::fs::read_to_string(page).unwrap()
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
    let plans = ["t4", "h200"].map(humanoids_on);
    // As the page does it: registers, then shared memory, then what follows.
    let registers = (66 + 27u64).next_multiple_of(8);
    let warps_by_registers = 65_536 / 4 / (registers * 32) * 4;
    for (plan, reserved, unit, memory) in [(&plans[0], 0, 256, 15_000u64 << 20), (&plans[1], 1024, 128, 143_000 << 20)]
    {
        let rows: BTreeMap<_, _> = rows(plan).into_iter().collect();
        let number = |name: &str| rows[name].parse::<u64>().unwrap();
        assert_eq!(number("registers per thread"), registers);
        let by_registers = warps_by_registers / number("environments per block");
        let block = number("shared bytes per environment") * number("environments per block");
        assert_eq!(block, number("shared bytes per block"));
        let by_shared = number("shared bytes of a multiprocessor") / (block + reserved).next_multiple_of(unit);
        let limiter = if by_registers <= by_shared { "registers" } else { "shared memory" };
        assert_eq!((by_registers.min(by_shared), limiter), (number("blocks per multiprocessor"), &*rows["limited by"]));
        let grid = number("blocks per multiprocessor") * number("multiprocessors");
        assert_eq!(grid, number("blocks of the grid"));
        assert_eq!(NUM_ENVS.div_ceil(grid * number("environments per block")), number("waves"));

        let parts = ["state", "inputs", "model", "workspace", "retry", "context", "code"].map(number);
        assert_eq!(parts.iter().sum::<u64>(), number("total"));
        let fixed = ["context", "code", "model", "retry: global bytes per environment"].map(number);
        let each = (number("state") + number("inputs")) / NUM_ENVS;
        assert_eq!((memory - fixed.iter().sum::<u64>()) / each, number("largest number of environments"));
    }

    // What the text quotes.
    let all_shared = "32 lanes, 1 environment per block, all arrays in shared memory";
    let quoted = plans[0].rejected.iter().find(|row| row.row == all_shared).expect("the T4 has such a row");
    assert!(page.contains(&format!("    {all_shared}\n        {}\n", quoted.reason)), "{quoted:?}");
}
