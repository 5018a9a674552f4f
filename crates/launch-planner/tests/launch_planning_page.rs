//! The worked example of docs/launch-planning.md has the planner's numbers.
//!
//! The humanoid's sizes are kept in a file, so that the example changes with the planner and not with every kernel.

mod page;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use page::humanoids::{
    BLOCKS, DEVICES, LANES, NUM_ENVS, all_shared, answer, best_of_blocks, block_bytes, held, humanoid, humanoid_on,
    humanoids_on, shared_bytes, smallest_of_blocks, taken, warps, with_blocks,
};
use page::{grouped, hundredths, says, table, tenths, text};
use phalanx_launch_planner::{
    Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, Placement, RowChoice, WorkspaceLayout, bank_stride,
    layout, occupancy, plan,
};

/// Every row of the page's table, from a plan.
fn rows(plan: &LaunchPlan) -> Vec<(&'static str, String)> {
    let (device, step, retry, memory) = (&plan.device, plan.step(), plan.retry(), &plan.memory);
    let global = step.layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
    vec![
        ("multiprocessors", device.multiprocessor_count.to_string()),
        ("threads of a multiprocessor", device.max_threads_per_multiprocessor.to_string()),
        ("registers of a multiprocessor", device.registers_per_multiprocessor.to_string()),
        ("shared bytes of a multiprocessor", device.shared_memory_per_multiprocessor.to_string()),
        ("shared bytes reserved per block", device.reserved_shared_memory_per_block.to_string()),
        ("lanes per environment", step.lanes_per_env.to_string()),
        ("environments per block", step.envs_per_block.to_string()),
        ("registers per thread", step.registers_per_thread.to_string()),
        ("shared bytes per environment", (4 * step.layout.shared_words_per_env).to_string()),
        ("global bytes per environment", (4 * step.layout.global_words_per_env).to_string()),
        ("arrays in global memory", global.count().to_string()),
        ("shared bytes of the model's copy", (4 * step.model_words_per_block).to_string()),
        ("shared bytes per block", step.dynamic_shared_bytes.to_string()),
        ("blocks per multiprocessor", step.blocks_per_sm.to_string()),
        ("limited by", step.limiter.to_string()),
        ("blocks of the grid", step.grid_blocks.to_string()),
        ("environments at once", step.resident_envs.to_string()),
        ("waves", step.waves.to_string()),
        ("occupancy in percent", plan.occupancy_percent().to_string()),
        ("retry: shared bytes per block", retry.dynamic_shared_bytes.to_string()),
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
        ("local memory", memory.hidden.local_memory.to_string()),
        ("code", memory.hidden.code.to_string()),
        ("total", memory.total.to_string()),
        ("largest number of environments", plan.max_num_envs.to_string()),
    ]
}

#[test]
fn the_worked_example_has_the_planners_numbers() {
    let mut written = table(&text());
    assert_eq!(written.remove("row"), Some(["T4".to_string(), "H200".to_string()]));
    let plans = DEVICES.map(humanoids_on);
    for (row, (t4, h200)) in rows(&plans[0]).into_iter().zip(rows(&plans[1])).map(|(a, b)| (a.0, (a.1, b.1))) {
        let on_page = written.remove(row).unwrap_or_else(|| panic!("docs/launch-planning.md has no row \"{row}\""));
        assert_eq!(on_page, [t4, h200], "docs/launch-planning.md, row \"{row}\": left is the page, right the planner");
    }
    assert!(written.is_empty(), "docs/launch-planning.md has rows that no plan has: {written:?}");
}

#[test]
fn the_arithmetic_of_the_worked_example_is_right() {
    let plans = DEVICES.map(humanoids_on);
    // As the page does it: registers, then shared memory, then what follows.
    let registers = 128;
    let warps_by_registers = 65_536 / 4 / (registers * 32) * 4;
    for (plan, reserved, unit, memory) in [(&plans[0], 0, 256, 15_000u64 << 20), (&plans[1], 1024, 128, 143_000 << 20)]
    {
        let rows: BTreeMap<_, _> = rows(plan).into_iter().collect();
        let number = |name: &str| rows[name].parse::<u64>().unwrap();
        assert_eq!(number("registers per thread"), registers);
        let warps_of_block = number("environments per block") * number("lanes per environment") / 32;
        let by_registers = warps_by_registers / warps_of_block;
        let copy = number("shared bytes of the model's copy");
        let shared = number("shared bytes of a multiprocessor");
        assert_eq!(copy, (shared / 16).min(4 * humanoid().model_words_per_block));
        let block = number("shared bytes per environment") * number("environments per block") + copy;
        assert_eq!(block, number("shared bytes per block"));
        let by_shared = shared / (block + reserved).next_multiple_of(unit);
        let limiter = if by_registers <= by_shared { "registers" } else { "shared memory" };
        assert_eq!((by_registers.min(by_shared), limiter), (number("blocks per multiprocessor"), &*rows["limited by"]));
        let grid = number("blocks per multiprocessor") * number("multiprocessors");
        assert_eq!(grid, number("blocks of the grid"));
        assert_eq!(grid * number("environments per block"), number("environments at once"));
        assert_eq!(NUM_ENVS.div_ceil(number("environments at once")), number("waves"));
        let threads = 32 * warps_of_block * number("blocks per multiprocessor");
        assert_eq!(100 * threads / number("threads of a multiprocessor"), number("occupancy in percent"));

        let parts = ["state", "inputs", "model", "workspace", "retry", "context", "local memory", "code"].map(number);
        assert_eq!(parts.iter().sum::<u64>(), number("total"));
        assert_eq!(number("environments at once") * number("global bytes per environment"), number("workspace"));
        let retry = number("retry: environments at once") * number("retry: global bytes per environment");
        assert_eq!(retry, number("retry"));
        assert_eq!(1024 * number("threads of a multiprocessor") * number("multiprocessors"), number("local memory"));
        let fixed = ["context", "local memory", "code", "model", "retry: global bytes per environment"].map(number);
        let each = (number("state") + number("inputs")) / NUM_ENVS;
        assert_eq!((memory - fixed.iter().sum::<u64>()) / each, number("largest number of environments"));
    }
}

#[test]
fn the_words_of_the_worked_example_have_the_numbers() {
    let plans = DEVICES.map(humanoids_on);
    let dims = humanoid();
    assert_eq!(dims.preferred_lanes, Some(LANES));
    says(&format!("has nv {}; for a batch of this size {LANES} lanes are preferred: two environments a warp", dims.nv));

    // Registers, and the block that is too large for them.
    let registers = u64::from(plans[0].step().registers_per_thread);
    let warp = registers * 32;
    let (warps, too_many) = (16_384 / warp, 24);
    says(&format!(
        "The launch bound: {registers}. A warp takes {registers} x 32 = {warp}; a partition has 65,536 / 4 = 16,384, so \
         {warps} warps; {} on the four partitions, which are {} environments",
        4 * warps,
        4 * warps * 32 / u64::from(LANES)
    ));
    let larger = too_many * warp;
    assert!(larger > 65_536);
    says(&format!("one of {too_many} warps would take {too_many} x {warp} = {} registers", grouped(larger)));
    for (device, plan) in DEVICES.iter().zip(&plans) {
        assert!(with_blocks(device, &RowChoice::of(plan), 48).is_none());
    }

    // The model's copy.
    let copy = dims.model_words_per_block;
    says(&format!(
        "A block copies the model without its collision table, which is read once a step: {copy} words, \
         {} bytes.",
        grouped(4 * copy)
    ));
    let sixteenths = plans.each_ref().map(|plan| u64::from(plan.device.shared_memory_per_multiprocessor) / 16);
    assert_eq!(plans.each_ref().map(|plan| plan.step().model_words_per_block), [sixteenths[0] / 4, copy]);
    says(&format!(
        "A sixteenth of the H200's 233,472 bytes is {}, so its blocks copy all of them.",
        grouped(sixteenths[1])
    ));
    says(&format!("A sixteenth of the T4's 65,536 is {}, and so much is copied there.", sixteenths[0]));

    // Grid and waves. Of equal blocks the largest is the plan's.
    for (device, plan) in DEVICES.iter().zip(&plans) {
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
        assert_eq!(RowChoice::of(&best_of_blocks(device, &RowChoice::of(plan))), RowChoice::of(plan));
    }
}

#[test]
fn the_h200s_blocks_are_the_planners() {
    // With everything in shared memory: the smallest of the blocks that hold most.
    let plan = smallest_of_blocks("h200", &all_shared());
    let block = u64::from(plan.step().envs_per_block);
    let (bytes, each) = (block_bytes(&plan, block), shared_bytes(&plan));
    let units = taken(&plan.device, bytes);
    assert_eq!(u64::from(plan.step().dynamic_shared_bytes), bytes);
    says(&format!(
        "a block of {block} takes {block} x {} + 12,112 = {} bytes, with the driver's 1024 {}, rounded up to 128: {}; \
         233,472 / {} = {}: {} blocks, {} environments, and no other block holds more. Registers would let 32 in.",
        grouped(each),
        grouped(bytes),
        grouped(bytes + 1024),
        grouped(units),
        grouped(units),
        tenths(233_472, units),
        plan.step().blocks_per_sm,
        held(&plan)
    ));

    // The plan's block, and what each number allows.
    let plan = humanoids_on("h200");
    let step = plan.step();
    let block = u64::from(step.envs_per_block);
    let (bytes, each) = (block_bytes(&plan, block), shared_bytes(&plan));
    let units = taken(&plan.device, bytes);
    assert_eq!(u64::from(step.dynamic_shared_bytes), bytes);
    says(&format!("a block of {block} takes {block} x {each} + 12,112 = {}:", grouped(bytes)));
    let (threads, warps_of_block) = (step.threads_per_block, step.threads_per_block / 32);
    says(&format!("- threads: 2048 / {threads} = {} blocks;", 2048 / threads));
    says(&format!("- registers: 16 / {warps_of_block} = {} block;", 16 / warps_of_block));
    says(&format!(
        "{} + 1024 = {}, rounded up to 128: {}; 233,472 / {} = {}: {} block;",
        grouped(bytes),
        grouped(bytes + 1024),
        grouped(units),
        grouped(units),
        tenths(233_472, units),
        233_472 / units
    ));
    says(&format!("- blocks: {}.", plan.device.max_blocks_per_multiprocessor));
    assert_eq!((16 / warps_of_block, 233_472 / units), (step.blocks_per_sm, step.blocks_per_sm.into()));
    says(&format!("The least is {}, by registers, and by shared memory just as well.", step.blocks_per_sm));
    says(&format!("Occupancy: {warps_of_block} x 32 threads of 2048."));

    // Other blocks.
    let other = |envs: u32| with_blocks("h200", &RowChoice::of(&plan), envs).unwrap();
    let (as_many, fewer): (Vec<u32>, Vec<u32>) = BLOCKS.iter().partition(|&&envs| held(&other(envs)) == held(&plan));
    assert!(fewer.iter().all(|&envs| held(&other(envs)) < held(&plan)));
    assert_eq!((as_many, fewer), (vec![16, 32], vec![2, 4, 6, 8, 10, 12, 20, 24]));
    says("Blocks of 2, 4, 6, 8, 10, 12, 20 and 24 hold fewer:");
    let bytes_of = |envs: u32| {
        let bytes = block_bytes(&plan, envs.into());
        assert_eq!(bytes, u64::from(other(envs).step().dynamic_shared_bytes));
        bytes
    };
    assert_eq!(other(16).step().blocks_per_sm, 2);
    says(&format!(
        "Two of 16 hold {} environments as well: each takes 16 x {each} + 12,112 + 1024 = {} bytes, rounded up {}.",
        held(&other(16)),
        grouped(bytes_of(16) + 1024),
        grouped(taken(&plan.device, bytes_of(16)))
    ));
    says(&format!(
        "One of 8 takes {} bytes, rounded up {}, and {} fit.",
        grouped(bytes_of(8) + 1024),
        grouped(taken(&plan.device, bytes_of(8))),
        other(8).step().blocks_per_sm
    ));

    // The two arrays in global memory.
    let moved: Vec<u64> = moves()[..2].iter().map(|step| step.words).collect();
    let words = moved.iter().sum::<u64>();
    assert_eq!((4 * words).next_multiple_of(128), 4 * step.layout.global_words_per_env);
    says(&format!(
        "In global memory the two arrays take {} + {} = {words} words, {} bytes, rounded up to 128: {}.",
        moved[0],
        moved[1],
        4 * words,
        4 * step.layout.global_words_per_env
    ));
}

#[test]
fn the_t4s_blocks_are_the_planners() {
    // With everything in shared memory: the smallest of the blocks that hold most, and the largest.
    let (smallest, largest) = (smallest_of_blocks("t4", &all_shared()), best_of_blocks("t4", &all_shared()));
    assert_eq!([&smallest, &largest].map(|plan| plan.step().envs_per_block), [2, 4]);
    let bytes = [2, 4].map(|envs| block_bytes(&smallest, envs));
    assert_eq!([&smallest, &largest].map(|plan| u64::from(plan.step().dynamic_shared_bytes)), bytes);
    let units = bytes.map(|bytes| taken(&smallest.device, bytes));
    let step = smallest.step();
    says(&format!(
        "a block of two, one warp, takes 2 x {} + 4096 = {} bytes, rounded up to 256: {}; 65,536 / {} = {}: {} blocks, \
         {} environments at once, {} waves.",
        grouped(shared_bytes(&smallest)),
        grouped(bytes[0]),
        grouped(units[0]),
        grouped(units[0]),
        tenths(65_536, units[0]),
        step.blocks_per_sm,
        step.resident_envs,
        step.waves
    ));
    says(&format!(
        "A block of four takes {}, rounded up {}, and {} fits: as many, and no other block holds more.",
        grouped(bytes[1]),
        grouped(units[1]),
        largest.step().blocks_per_sm
    ));
    let room = (65_536 - 4096) / 32;
    assert!(shared_bytes(&humanoids_on("t4")) <= room);
    says(&format!("Registers would let 32 environments in, with (65,536 - 4096) / 32 = {room} bytes each."));
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

/// The row after so many moves.
fn after(count: usize) -> RowChoice {
    let moves = moves();
    let moved = |name: &&String| moves[..count].iter().any(|step| step.array == **name);
    let global = humanoid().arrays.iter().map(|array| &array.name).filter(moved).cloned().collect();
    RowChoice { global, ..all_shared() }
}

/// The packed workspace after so many moves.
fn packed(count: usize) -> WorkspaceLayout {
    let (dims, row) = (humanoid(), after(count));
    let place = |name: &str| match row.global.iter().any(|moved| moved == name) {
        true => Placement::Global,
        false => Placement::Shared,
    };
    layout(&dims.arrays, dims.usual, dims.usual, place)
}

#[test]
fn the_ladder_of_the_worked_example_is_the_planners() {
    let moves = moves();
    let plans = DEVICES.map(humanoids_on);
    let [count, of_h200] = plans.each_ref().map(|plan| RowChoice::of(plan).global.len());
    assert_eq!(plans.each_ref().map(RowChoice::of), [after(count), after(of_h200)]);

    let words = packed(0).shared_words_per_env;
    let stride = bank_stride(words, LANES);
    says(&format!(
        "a workspace takes {words} words, and {stride} = {} x {LANES} from one to the next: {} bytes.",
        stride / u64::from(LANES),
        grouped(4 * stride)
    ));
    let mut before = words;
    for (number, Move { stage, words_alive, array, words, accesses }) in (1..=count).zip(&moves) {
        let thousandths = format!("{:04}", words * 1000 / (accesses + 1));
        let (whole, rest) = thousandths.split_at(thousandths.len() - 3);
        let worth = format!("{whole}.{rest}").trim_end_matches('0').trim_end_matches('.').to_string();
        let left = packed(number).shared_words_per_env;
        assert!(left < before, "move {number} makes the workspace smaller, so it is a row");
        before = left;
        let bytes = 4 * bank_stride(left, LANES);
        assert_eq!(shared_bytes(&with_blocks("t4", &after(number), 2).expect("a row of the planner")), bytes);
        says(&format!(
            "| {number} | {stage} | {words_alive} | `{array}` | {words} / ({accesses} + 1) = {worth} | {left} | {bytes} |"
        ));
    }
    let of_table = |line: &&str| line.starts_with("| ") && line.contains(" + 1) = ");
    assert_eq!(text().lines().filter(of_table).count(), count, "the page has the moves of the plans and no more");
    let stages: Vec<u32> = (0..=14).filter(|&stage| moves[..count].iter().any(|step| step.stage == stage)).collect();
    assert_eq!(stages, [7, 8, 10, 11, 12]);
    says(
        "Stage 7 is the bias forces, 8 the smooth forces; 10 finds contacts, 11 builds the constraints, 12 solves them.",
    );

    // The H200's row before the plan's: a block of 32 is too large, and the best of the others holds fewer.
    assert_eq!(of_h200, 2);
    assert!(with_blocks("h200", &after(1), 32).is_none());
    let best = best_of_blocks("h200", &after(1));
    assert!(block_bytes(&best, 32) > 233_472);
    says(&format!(
        "After move 1 the most are {}, since 32 would take 32 x {} + 12,112 = {}. After move 2 a block",
        held(&best),
        shared_bytes(&best),
        grouped(block_bytes(&best, 32))
    ));

    // The T4's last rows.
    assert!(with_blocks("t4", &after(count - 1), 32).is_none());
    let [first, second, third] = [3, 2, 1].map(|moves| best_of_blocks("t4", &after(count - moves)));
    assert!(block_bytes(&third, 32) > 65_536);
    assert_eq!(held(&second), held(&third));
    says(&format!(
        "after move {} the most on a multiprocessor are {}, after move {} they are {}, and after move {} as many, since 32 \
         would take 32 x {} + 4096 = {}.",
        count - 3,
        held(&first),
        count - 2,
        held(&second),
        count - 1,
        shared_bytes(&third),
        grouped(block_bytes(&third, 32))
    ));
    let (plan, step) = (&plans[0], plans[0].step());
    let bytes = block_bytes(plan, 32);
    let units = taken(&plan.device, bytes);
    assert_eq!(u64::from(step.dynamic_shared_bytes), bytes);
    says(&format!(
        "After move {count} a block of 32 takes 32 x {} + 4096 = {}, rounded up {}; 65,536 / {} = {}: {} block,",
        shared_bytes(plan),
        grouped(bytes),
        grouped(units),
        grouped(units),
        tenths(65_536, units),
        step.blocks_per_sm
    ));
}

/// A row of a full grid by the page's factors.
struct Factors {
    one_env: u64,
    sixteenths: u64,
    neighbours: u64,
    /// Accesses to global memory, and thousandths of all.
    accesses: u64,
    thousandths: u64,
    memory: u64,
}

fn one_env(lanes: u64) -> u64 {
    27 * (100 * 27u64.div_ceil(lanes) + 320 / lanes)
}

/// Accesses of those arrays that have words and a name of that kind.
fn accesses(of: impl Fn(&String) -> bool) -> u64 {
    let dims = humanoid();
    let counted = dims.arrays.iter().filter(|array| array.words_at(dims.usual) > 0 && of(&array.name));
    counted.map(|array| array.traffic).sum()
}

impl Factors {
    fn of(plan: &LaunchPlan) -> Factors {
        let row = RowChoice::of(plan);
        let to_global = accesses(|name| row.global.contains(name));
        let thousandths = to_global * 1000 / accesses(|_| true);
        let lanes = u64::from(row.lanes_per_env);
        assert!(2 * lanes >= 27, "the matrix is 10");
        Factors {
            one_env: one_env(lanes),
            sixteenths: (16 * NUM_ENVS).div_ceil(plan.step().resident_envs),
            neighbours: 800 + warps(plan) * warps(plan),
            accesses: to_global,
            thousandths,
            memory: 10_000 + 3 * thousandths,
        }
    }

    /// The product without the environment and the matrix, which are the same for all rows of a team size.
    fn told(&self) -> String {
        format!("{} x {} x {}", self.sixteenths, self.neighbours, grouped(self.memory))
    }

    fn product(&self) -> u64 {
        self.one_env * self.sixteenths * self.neighbours * self.memory * 10
    }

    fn times(&self, other: &Factors) -> String {
        let hundredths = self.product() * 100 / other.product();
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

#[test]
fn the_estimate_of_the_worked_example_is_right() {
    let chosen = DEVICES.map(humanoids_on);
    // Of equal blocks the plan names the smallest.
    let shared = DEVICES.map(|device| smallest_of_blocks(device, &all_shared()));
    let columns = [&chosen[0], &shared[0], &chosen[1], &shared[1]];
    let factors = columns.map(Factors::of);
    let in_row = |name: &str, cell: &dyn Fn(usize) -> String| {
        says(&format!("| {name} | {} | {} | {} | {} |", cell(0), cell(1), cell(2), cell(3)));
    };

    says(&format!(
        "One environment with 16 lanes is 27 x (100 x 2 + 320 / 16) = {}: 27 dofs are two turns of 16 lanes.",
        one_env(16)
    ));
    says("The matrix is 10 in every row here, since 16 is more than half of 27.");
    let [moved, of_h200] = chosen.each_ref().map(|plan| RowChoice::of(plan).global.len());
    let names =
        [format!("T4, {moved} arrays"), "T4, none".into(), format!("H200, {of_h200} arrays"), "H200, none".into()];
    in_row("factor, by arrays in global memory", &|i| names[i].clone());
    in_row("turns, in sixteenths", &|i| {
        let at_once = columns[i].step().resident_envs;
        format!("16 x {NUM_ENVS} / {at_once} = {}: {}", hundredths(16 * NUM_ENVS, at_once), factors[i].sixteenths)
    });
    in_row("neighbours", &|i| format!("800 + {}² = {}", warps(columns[i]), factors[i].neighbours));
    let all = accesses(|_| true);
    in_row(&format!("accesses that go there, of {all}"), &|i| match &factors[i] {
        Factors { accesses: 0, .. } => "0".into(),
        Factors { accesses, thousandths, .. } => format!("{accesses}, {thousandths} thousandths"),
    });
    in_row("global memory", &|i| grouped(factors[i].memory));

    for (name, i) in [("T4", 0), ("H200", 2)] {
        let [taken, not_taken] = [&factors[i], &factors[i + 1]];
        let times = not_taken.times(taken);
        says(&format!("{name}: ({}) / ({}) = {times}.", not_taken.told(), taken.told()));

        // The memory that all share.
        let envs = NUM_ENVS.div_ceil(columns[i].device.multiprocessor_count.into());
        let all_share = one_env(1) * envs * 6_400 * taken.thousandths;
        let percent = all_share * 100 / taken.product();
        assert!(percent < 100, "the page says that it does not decide");
        says(&format!(
            "27 x (100 x 27 + 320) x {envs} x 6,400 x {} is {percent} % of {} x {} x 10",
            taken.thousandths,
            taken.one_env,
            taken.told()
        ));

        // What the plan says of the other row is what the arithmetic says, and what the page quotes.
        let other = columns[i + 1];
        let label =
            format!("16 lanes, {} environments per block, all arrays in shared memory", other.step().envs_per_block);
        let quoted = columns[i].rejected.iter().find(|row| row.row == label).expect("the device has such a row");
        let reason = format!(
            "estimated {times} times as long a step: {} waves with {} warps per multiprocessor",
            other.step().waves,
            warps(other)
        );
        assert_eq!(quoted.reason, reason);
        assert!(text().contains(&format!("    {label}\n        {reason}\n")), "{quoted:?}");
    }

    // The best rows of 32 lanes, which the estimate alone would choose.
    let wide = DEVICES.map(|device| answer(device, &Demand { lanes: Some(32), ..Demand::envs(NUM_ENVS) }));
    let of_wide = wide.each_ref().map(Factors::of);
    assert_eq!(2 * one_env(32), one_env(16));
    says(&format!("With 32 lanes one environment is 27 x (100 x 1 + 320 / 32) = {}, half as much", one_env(32)));
    for (wide, chosen) in wide.iter().zip(&chosen) {
        assert_eq!(2 * wide.step().resident_envs, chosen.step().resident_envs);
    }
    says("but half as many are stepped at once.");
    for (device, wide) in DEVICES.iter().zip(&wide) {
        let limits = DeviceLimits::preset(device).unwrap();
        let model = ModelDims { preferred_lanes: None, ..humanoid_on(&limits) };
        let cheapest = plan(&limits, &model, &KernelNeeds::estimate(), &Demand::envs(NUM_ENVS)).unwrap();
        assert_eq!(RowChoice::of(&cheapest), RowChoice::of(wide));
    }
    says("The estimate alone would choose it.");
    assert!(RowChoice::of(&wide[1]).global.is_empty());
    says(&format!(
        "The best such row has {} arrays in global memory on the T4, with {} of the accesses, {} thousandths, and none on \
         the H200:",
        RowChoice::of(&wide[0]).global.len(),
        of_wide[0].accesses,
        of_wide[0].thousandths
    ));
    let told = [0, 1].map(|i| {
        let (wide, taken) = (&of_wide[i], &factors[2 * i]);
        let times = wide.times(taken);
        let of_32 = chosen[i].rejected.iter().find(|row| row.row.starts_with("32 lanes")).expect("a row of 32 lanes");
        assert!(of_32.reason.starts_with(&format!("estimated {times} times as long a step: ")), "{of_32:?}");
        assert!(of_32.reason.ends_with("; 16 lanes measured best for models of this size"), "{of_32:?}");
        format!("({} x {}) / ({} x {}) = {times}", wide.one_env, wide.told(), taken.one_env, taken.told())
    });
    says(&format!("{} and {}.", told[0], told[1]));
}

#[test]
fn the_retry_pools_of_the_worked_example_are_the_planners() {
    let plans = DEVICES.map(humanoids_on);
    let each = 4 * plans[0].retry().layout.shared_words_per_env;
    let bytes = |plan: &LaunchPlan, envs: u32| u64::from(envs) * each + 4 * plan.retry().model_words_per_block;
    let fit = |plan: &LaunchPlan, envs: u32| {
        let registers = plan.retry().registers_per_thread;
        occupancy(&plan.device, 32 * envs, registers, bytes(plan, envs)).blocks_per_sm
    };
    for plan in &plans {
        let retry = plan.retry();
        assert_eq!(u64::from(retry.dynamic_shared_bytes), bytes(plan, retry.envs_per_block));
        let best = [1, 2, 4, 8, 16].into_iter().max_by_key(|&envs| (fit(plan, envs) * envs, envs)).unwrap();
        assert_eq!((best, fit(plan, best)), (retry.envs_per_block, retry.blocks_per_sm));
        says(&format!(
            "{} x {} x {} = {} workspaces",
            retry.blocks_per_sm, retry.envs_per_block, plan.device.multiprocessor_count, retry.resident_envs
        ));
    }

    let [t4, h200] = &plans;
    let units = |plan: &LaunchPlan, envs: u32| taken(&plan.device, bytes(plan, envs));
    let warps = 65_536 / (t4.retry().registers_per_thread * 32);
    says(&format!("{} registers would allow {warps} warps on a multiprocessor.", t4.retry().registers_per_thread));
    says(&format!("Arrays that do not grow with contacts take {each} bytes of shared memory"));
    assert_eq!(fit(t4, 16), 0);
    says(&format!(
        "a block of one takes {each} + 4096 = {}, in steps of 256 {}, and {} fit; of two {}, and {} fit; of four {}, and {} \
         fit; of eight {}, and {} fits; of sixteen none. So {} is the most,",
        bytes(t4, 1),
        units(t4, 1),
        fit(t4, 1),
        grouped(units(t4, 2)),
        fit(t4, 2),
        grouped(units(t4, 4)),
        fit(t4, 4),
        grouped(units(t4, 8)),
        fit(t4, 8),
        8 * fit(t4, 8)
    ));
    let proven = 4 * t4.retry().layout.global_words_per_env;
    says(&format!("a 64th of {} bytes would pay for {}.", grouped(t4.memory.limit), t4.memory.limit / 64 / proven));
    assert_eq!(fit(h200, 16), 1);
    says(&format!(
        "a block of sixteen takes 16 x {each} + 12,112 + 1024 = {}, rounded up {}: {} would fit, registers allow one.",
        grouped(bytes(h200, 16) + 1024),
        grouped(units(h200, 16)),
        233_472 / units(h200, 16)
    ));
}

#[test]
fn the_memory_of_the_worked_example_is_right() {
    let plans = DEVICES.map(humanoids_on);
    let [t4, h200] = &plans;

    // Upper bounds before compilation.
    let needs = KernelNeeds::estimate();
    let (local, own) = (needs.retry.local_bytes_per_thread, needs.fast[&LANES].code_bytes);
    let between = needs.retry.code_bytes - own;
    assert!(needs.fast.values().all(|fast| fast.code_bytes == own && fast.local_bytes_per_thread <= local));
    let [own, between] = [own, between].map(|bytes| bytes / 1024);
    says(&format!(
        "{local} bytes a thread; {own} KiB of code for each of a model's own two kernels, step and retry, and {between} KiB for what \
         is done between steps."
    ));

    // What is counted.
    let workspaces = |plan: &LaunchPlan| {
        let kernels = [plan.step(), plan.retry()];
        let [step, retry] = kernels
            .map(|kernel| format!("{} x {}", kernel.resident_envs, grouped(4 * kernel.layout.global_words_per_env)));
        format!("{step} of workspace, {retry} of retry workspace, {} MiB of context", plan.memory.hidden.context >> 20)
    };
    let threads = |plan: &LaunchPlan| {
        format!("{} x {} threads", plan.device.multiprocessor_count, plan.device.max_threads_per_multiprocessor)
    };
    let [state, inputs] = [t4.memory.state, t4.memory.inputs].map(|bytes| bytes / NUM_ENVS);
    assert_eq!(t4.memory.hidden.code, (2 * own + between) * 1024);
    says(&format!(
        "T4: {NUM_ENVS} x {state} bytes of state, {NUM_ENVS} x {inputs} of inputs, {}, {local} bytes of local memory for each \
         of {}, {own} + {own} + {between} = {} KiB of code. H200: {}, local memory for {}.",
        workspaces(t4),
        threads(t4),
        2 * own + between,
        workspaces(h200),
        threads(h200)
    ));

    // The largest number: the row that needs least has no workspace in global memory.
    for device in DEVICES {
        assert_eq!(smallest_of_blocks(device, &all_shared()).step().layout.global_words_per_env, 0);
    }
    let each = state + inputs;
    says(&format!("An environment takes {state} + {inputs} = {each} bytes."));
    let largest = |plan: &LaunchPlan| {
        let (memory, hidden) = (&plan.memory, &plan.memory.hidden);
        let retry = 4 * plan.retry().layout.global_words_per_env;
        let left = memory.limit - hidden.context - hidden.local_memory - hidden.code - memory.model - retry;
        assert_eq!(left / each, plan.max_num_envs);
        format!("leave {}; by {each} that is {}.", grouped(left), grouped(plan.max_num_envs))
    };
    let t4_limit = grouped(t4.memory.limit);
    let less = format!("T4: {t4_limit} bytes less context, local memory, code, model and one retry workspace");
    says(&format!("{less} {} H200: {} less the same {}", largest(t4), grouped(h200.memory.limit), largest(h200)));
}
