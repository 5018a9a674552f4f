//! The worked example of docs/launch-planning.md has the planner's numbers.
//!
//! The humanoid's sizes are kept in a file, so that the example changes with the planner and not with every kernel.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, Placement, RowChoice, plan};

const NUM_ENVS: u64 = 8192;

/// Environments of the blocks that the page compares: with 32 lanes, as many as warps.
const BLOCKS: [u32; 10] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16];

fn humanoid() -> ModelDims {
    serde_json::from_str(include_str!("models/humanoid_of_the_page.json")).unwrap()
}

/// The page's plan: estimates for what only a compiler knows.
fn humanoids_on(device: &str) -> LaunchPlan {
    planned(device, None)
}

/// A plan of the page's humanoid, of a row that is asked for or of the planner's own.
fn planned(device: &str, row: Option<RowChoice>) -> LaunchPlan {
    let limits = DeviceLimits::preset(device).unwrap();
    plan(&limits, &humanoid(), &KernelNeeds::estimate(), &Demand { row, ..Demand::envs(NUM_ENVS) }).unwrap()
}

/// The page's plan of a row with other blocks, or none if no such block launches.
fn with_blocks(device: &str, row: &RowChoice, envs_per_block: u32) -> Option<LaunchPlan> {
    let plan = planned(device, Some(RowChoice { envs_per_block, ..row.clone() }));
    plan.tuned.then_some(plan)
}

/// The best of a row's blocks as the page chooses: most environments at once, and of equals the largest.
fn best_of_blocks(device: &str, row: &RowChoice) -> LaunchPlan {
    let plans = BLOCKS.iter().filter_map(|&block| with_blocks(device, row, block));
    plans.max_by_key(|plan| (plan.step().resident_envs, plan.step().envs_per_block)).unwrap()
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
        ("retry: environments per block", retry.envs_per_block.to_string()),
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

/// The rows of the worked example's first table: name, T4, H200.
fn table(page: &str) -> BTreeMap<String, [String; 2]> {
    let example = page.split("\n## By hand").nth(1).expect("the page has the example");
    let first_table =
        example.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let lines = first_table.filter(|line| line.starts_with("| "));
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
    let plans = ["t4", "h200"].map(humanoids_on);
    // As the page does it: registers, then shared memory, then what follows.
    let registers = 128;
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
        assert_eq!(number("environments at once") * number("global bytes per environment"), number("workspace"));
        let retry = number("retry: environments at once") * number("retry: global bytes per environment");
        assert_eq!(retry, number("retry"));
        let fixed = ["context", "code", "model", "retry: global bytes per environment"].map(number);
        let each = (number("state") + number("inputs")) / NUM_ENVS;
        assert_eq!((memory - fixed.iter().sum::<u64>()) / each, number("largest number of environments"));
    }
}

#[test]
fn the_words_of_the_worked_example_have_the_numbers() {
    let plans = ["t4", "h200"].map(humanoids_on);

    // Registers, and the block that is too large for them.
    let registers = u64::from(plans[0].step().registers_per_thread);
    let warp = registers * 32;
    let (warps, too_many) = (16_384 / warp, 24);
    says(&format!(
        "A warp takes {registers} x 32 = {warp}; a partition has 65,536 / 4 = 16,384, so {warps} warps; {} on the four",
        4 * warps
    ));
    let larger = too_many * warp;
    assert!(larger > 65_536);
    says(&format!("one of {too_many} warps would take {too_many} x {warp} = {} registers", grouped(larger)));
    for (device, plan) in ["t4", "h200"].iter().zip(&plans) {
        assert!(with_blocks(device, &RowChoice::of(plan), 24).is_none());
    }

    // The H200's block, and what each number allows.
    let step = plans[1].step();
    let (each, block, warps_of_block) =
        (4 * step.layout.shared_words_per_env, u64::from(step.dynamic_shared_bytes), u64::from(step.envs_per_block));
    says(&format!(
        "The whole workspace takes {} bytes, and {warps_of_block} of them, one a warp, {}.",
        grouped(each),
        grouped(block)
    ));
    let threads = step.threads_per_block;
    says(&format!("- threads: 2048 / {threads} = {} blocks;", 2048 / threads));
    says(&format!("- registers: {} / {warps_of_block} = {} block;", 4 * warps, 4 * warps / warps_of_block));
    let taken = (block + 1024).next_multiple_of(128);
    says(&format!(
        "{} + 1024 = {}, rounded up to 128: {}; 233,472 / {} = {}: {} block;",
        grouped(block),
        grouped(block + 1024),
        grouped(taken),
        grouped(taken),
        tenths(233_472, taken),
        233_472 / taken
    ));

    // The T4's blocks with everything in shared memory: of one, and the largest that holds as many environments.
    let all_shared = RowChoice { global: Vec::new(), ..RowChoice::of(&plans[0]) };
    let one = with_blocks("t4", &all_shared, 1).unwrap();
    let (step, taken) = (one.step(), each.next_multiple_of(256));
    assert_eq!(u64::from(step.dynamic_shared_bytes), each);
    let fit = tenths(65_536, taken);
    let told = format!("{}; 65,536 / {} = {fit}: {} blocks", grouped(taken), grouped(taken), step.blocks_per_sm);
    says(&format!(
        "{} bytes, rounded up to 256: {told}, {} environments at once, {} waves",
        grouped(each),
        step.resident_envs,
        step.waves
    ));
    let best = best_of_blocks("t4", &all_shared);
    assert_eq!((best.step().envs_per_block, best.step().resident_envs), (5, step.resident_envs));
    says(&format!(
        "A block of five takes {}, rounded up {}, and {} fits: as many, and no other block holds more.",
        grouped(5 * each),
        grouped((5 * each).next_multiple_of(256)),
        best.step().blocks_per_sm
    ));
    assert_eq!(u64::from(best.step().dynamic_shared_bytes), 5 * each);

    // Grid and waves.
    for plan in &plans {
        let (step, multiprocessors) = (plan.step(), plan.device.multiprocessor_count);
        let (at_once, of_block) = (step.resident_envs, u64::from(step.envs_per_block));
        assert_eq!(at_once, of_block * u64::from(step.grid_blocks));
        says(&format!(
            "{} x {multiprocessors} = {} blocks with {of_block} x {} = {at_once} environments at once, and {NUM_ENVS} / \
             {at_once} = {}: {} waves",
            step.blocks_per_sm,
            step.grid_blocks,
            step.grid_blocks,
            tenths(NUM_ENVS, at_once),
            step.waves
        ));
    }
    let step = plans[1].step();
    says(&format!("Occupancy: {} x 32 threads of 2048.", step.envs_per_block * step.blocks_per_sm));
    let (step, retry, each) = (plans[0].step(), plans[0].retry(), plans[0].memory.state / NUM_ENVS);
    let inputs = plans[0].memory.inputs / NUM_ENVS;
    let (workspace, proven) = (4 * step.layout.global_words_per_env, 4 * retry.layout.global_words_per_env);
    says(&format!(
        "T4: {NUM_ENVS} x {each} bytes of state, {NUM_ENVS} x {inputs} of inputs, {} x {workspace} of workspace, \
         {} x {} of retry workspace",
        step.resident_envs,
        retry.resident_envs,
        grouped(proven)
    ));
    says(&format!("would pay for {}.", (15_000u64 << 20) / 64 / proven));
    let memory = &plans[0].memory;
    let left = memory.limit - memory.hidden.context - memory.hidden.code - memory.model - proven;
    says(&format!("leave {}; by {} that is {}.", grouped(left), each + inputs, grouped(left / (each + inputs))));

    // Other blocks on the H200, as the page has them.
    let chosen = RowChoice::of(&plans[1]);
    let one = with_blocks("h200", &chosen, 1).unwrap();
    let block = u64::from(one.step().dynamic_shared_bytes);
    says(&format!(
        "a block of one takes {} + 1024 = {} bytes, rounded up {}, and {} of them fit.",
        grouped(block),
        grouped(block + 1024),
        grouped((block + 1024).next_multiple_of(128)),
        one.step().blocks_per_sm
    ));
    let at_once = |block: &u32| with_blocks("h200", &chosen, *block).unwrap().step().resident_envs;
    let (as_many, fewer): (Vec<u32>, Vec<u32>) =
        BLOCKS.iter().partition(|&block| at_once(block) == plans[1].step().resident_envs);
    assert!(fewer.iter().all(|block| at_once(block) < plans[1].step().resident_envs));
    assert_eq!((as_many, fewer), (vec![1, 2, 4, 8, 16], vec![3, 5, 6, 10, 12]));
    says("Blocks of 2, 4 and 8 hold 16 environments as well, those of 3, 5, 6, 10 and 12 hold fewer;");
    for (device, plan) in ["t4", "h200"].iter().zip(&plans) {
        assert_eq!(RowChoice::of(&best_of_blocks(device, &RowChoice::of(plan))), RowChoice::of(plan));
    }
}

/// A move of the ladder: the fullest stage, its words, and the array that leaves it.
struct Move {
    stage: u32,
    words_alive: u64,
    array: String,
    words: u64,
    accesses: u64,
}

/// The ladder by the page's rule, over arrays that have words.
fn moves() -> Vec<Move> {
    let dims = humanoid();
    let words = |i: usize| dims.arrays[i].words_at(dims.usual);
    let lives = |i: usize, stage: u32| dims.arrays[i].first_stage <= stage && stage <= dims.arrays[i].last_stage;
    let mut shared: Vec<usize> = (0..dims.arrays.len()).filter(|&i| words(i) > 0).collect();
    let mut moves = Vec::new();
    while !shared.is_empty() {
        let alive = |stage| shared.iter().filter(|&&i| lives(i, stage)).map(|&i| words(i)).sum::<u64>();
        let (words_alive, Reverse(stage)) = (0..=14).map(|stage| (alive(stage), Reverse(stage))).max().unwrap();
        // In thousandths; of equals the first.
        let worth = |i: usize| (words(i) * 1000 / (dims.arrays[i].traffic + 1), Reverse(i));
        let next = shared.iter().copied().filter(|&i| lives(i, stage)).max_by_key(|&i| worth(i)).unwrap();
        shared.retain(|&i| i != next);
        let (array, accesses) = (dims.arrays[next].name.clone(), dims.arrays[next].traffic);
        moves.push(Move { stage, words_alive, array, words: words(next), accesses });
    }
    moves
}

#[test]
fn the_ladder_of_the_worked_example_is_the_planners() {
    let moves = moves();
    let dims = humanoid();
    // The row with the first arrays of the ladder in global memory.
    let row = |count: usize| {
        let moved = |name: &&String| moves[..count].iter().any(|step| step.array == **name);
        let global = dims.arrays.iter().map(|array| &array.name).filter(moved).cloned().collect();
        RowChoice { lanes_per_env: 32, envs_per_block: 16, global, never_retries: false }
    };
    let chosen = RowChoice::of(&humanoids_on("t4"));
    let count = chosen.global.len();
    assert_eq!(chosen, row(count));

    let names = ["the solver, ", "", "the bias forces, ", ""];
    for (number, (step, name)) in moves.iter().zip(names).enumerate() {
        let Move { stage, words_alive, array, words, accesses } = step;
        let comma = if name.is_empty() { "" } else { "," };
        let thousandths = (words * 1000 / (accesses + 1)).to_string();
        let (whole, rest) = thousandths.split_at(thousandths.len() - 3);
        let worth = format!("{whole}.{rest}").trim_end_matches('0').trim_end_matches('.').to_string();
        let has = if number == 0 { " has the most for its accesses" } else { "" };
        says(&format!(
            "{}. stage {stage}{comma} {name}takes most, {words_alive} words; `{array}`{has}: {words} / ({accesses} + 1) = \
             {worth}",
            number + 1
        ));
    }

    // The last rungs: on the one before, the same block is too large, and the best of the others holds fewer. A move that makes the
    // workspace no smaller is no rung.
    let earlier = (0..count).rev().find(|&count| with_blocks("t4", &row(count), 1).is_some()).unwrap();
    assert_eq!(count - earlier, 2, "the page says that one move between them makes the workspace no smaller");
    assert!(with_blocks("t4", &row(earlier), 16).is_none());
    let before = best_of_blocks("t4", &row(earlier));
    let (step, each) = (before.step(), 4 * before.step().layout.shared_words_per_env);
    let at_once = step.envs_per_block * step.blocks_per_sm;
    assert!(16 * each > 65_536);
    says(&format!(
        "With {earlier} arrays in global memory an environment takes {each} bytes; 16 of them, {}, are more than there is, \
         and {at_once} are the most, in {} blocks of {}: {} each, rounded up {}. The next alone makes it no smaller.",
        grouped(16 * each),
        step.blocks_per_sm,
        step.envs_per_block,
        grouped(step.dynamic_shared_bytes.into()),
        grouped(step.dynamic_shared_bytes.next_multiple_of(256).into())
    ));
    let after = with_blocks("t4", &row(count), 16).unwrap();
    let (step, each) = (after.step(), 4 * after.step().layout.shared_words_per_env);
    let (block, taken) = (u64::from(step.dynamic_shared_bytes), step.dynamic_shared_bytes.next_multiple_of(256).into());
    assert_eq!(block, 16 * each);
    says(&format!(
        "With {count} it takes {each}, and a block of 16 takes {}, rounded up {}; 65,536 / {} = {}: {} block,",
        grouped(block),
        grouped(taken),
        grouped(taken),
        tenths(65_536, taken),
        step.blocks_per_sm
    ));
}

#[test]
fn the_estimate_of_the_worked_example_is_right() {
    let chosen = humanoids_on("t4");
    let label = "32 lanes, 1 environment per block, all arrays in shared memory";
    let all_shared = RowChoice { global: Vec::new(), ..RowChoice::of(&chosen) };
    let shared = with_blocks("t4", &all_shared, 1).unwrap();

    let with_lanes = |lanes: u64| 27 * (100 * 27u64.div_ceil(lanes) + 320 / lanes);
    let one_env = with_lanes(32);
    says(&format!("is 27 x (100 x 1 + 320 / 32) = {one_env} in every row"));

    let sixteenths = |plan: &LaunchPlan| (16 * NUM_ENVS).div_ceil(plan.step().resident_envs);
    let turns = |plan: &LaunchPlan| {
        let at_once = plan.step().resident_envs;
        format!("16 x {NUM_ENVS} / {at_once} = {}: {}", tenths(16 * NUM_ENVS, at_once), sixteenths(plan))
    };
    says(&format!("| turns, in sixteenths | {} | {} |", turns(&chosen), turns(&shared)));

    // The grid is full, and an environment is a warp's. Larger blocks change nothing where they hold as many.
    let warps = |plan: &LaunchPlan| u64::from(plan.step().blocks_per_sm * plan.step().envs_per_block);
    let largest = best_of_blocks("t4", &all_shared);
    assert_eq!((warps(&largest), largest.step().resident_envs), (warps(&shared), shared.step().resident_envs));
    let neighbours = |plan: &LaunchPlan| 800 + warps(plan) * warps(plan);
    let told = |plan: &LaunchPlan| format!("800 + {}² = {}", warps(plan), neighbours(plan));
    says(&format!("| neighbours | {} | {} |", told(&chosen), told(&shared)));

    let dims = humanoid();
    let with_words = || dims.arrays.iter().filter(|array| array.words_at(dims.usual) > 0);
    let accesses: u64 = with_words().map(|array| array.traffic).sum();
    let row = RowChoice::of(&chosen);
    let global: u64 = with_words().filter(|array| row.global.contains(&array.name)).map(|array| array.traffic).sum();
    let thousandths = global * 1000 / accesses;
    let memory = 10_000 + 3 * thousandths;
    says(&format!(
        "| global memory | {global} of {accesses} accesses, {thousandths} thousandths: {} | 10,000 |",
        grouped(memory)
    ));
    says(&format!("| factor | {} arrays in global memory | all arrays in shared memory |", row.global.len()));

    let busiest = |plan: &LaunchPlan, memory: u64| sixteenths(plan) * neighbours(plan) * memory;
    let hundredths = busiest(&shared, 10_000) * 100 / busiest(&chosen, memory);
    let product =
        |plan: &LaunchPlan, memory: u64| format!("{} x {} x {}", sixteenths(plan), neighbours(plan), grouped(memory));
    let times = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    says(&format!("({}) / ({}) = {times}.", product(&shared, 10_000), product(&chosen, memory)));

    let envs = NUM_ENVS.div_ceil(chosen.device.multiprocessor_count.into());
    let all_share = with_lanes(1) * envs * 6_400 * thousandths;
    let percent = all_share * 100 / (one_env * busiest(&chosen, memory) * 10);
    says(&format!(
        "27 x (100 x 27 + 320) x {envs} x 6,400 x {thousandths} is {percent} % of {one_env} x {} x 10.",
        product(&chosen, memory)
    ));

    // What the plan says of the other row is what the arithmetic says, and what the page quotes.
    let quoted = chosen.rejected.iter().find(|row| row.row == label).expect("the T4 has such a row");
    let waves = shared.step().waves;
    let reason = format!(
        "estimated {times} times as long a step: {waves} waves with {} warps per multiprocessor",
        warps(&shared)
    );
    assert_eq!(quoted.reason, reason);
    assert!(page().contains(&format!("    {label}\n        {reason}\n")), "{quoted:?}");
}

/// The page has this sentence, wherever its lines break.
#[track_caller]
fn says(sentence: &str) {
    let page = page().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(sentence), "docs/launch-planning.md does not say: {sentence}");
}

/// A quotient to the nearest tenth.
fn tenths(dividend: u64, divisor: u64) -> String {
    let tenths = (10 * dividend + divisor / 2) / divisor;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A number as the page writes it: commas from five digits on.
fn grouped(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        _ => with_commas(number),
    }
}

fn with_commas(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", with_commas(number / 1000), number % 1000),
    }
}
