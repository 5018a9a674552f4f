// One environment through a call: load, substeps, commit.
//
// A substep's state is written once, last, when it has succeeded. An environment whose contacts do not fit the workspace
// is noted, with the substep, and taken up from there by the retry launch; one that is no longer finite keeps its last
// finite state and a fault bit. Its neighbours in the warp go on.
#pragma once
#include "step.h"
#include "view/workspace.h"

/// Fault bits of an environment. Above them is where it went bad: four bits of a quantity and twenty of its index.
constexpr uint32_t fault_not_finite = 1;
constexpr int quantity_shift = 8, quantity_index_shift = 12, most_quantity_index = (1 << 20) - 1;
/// Quantities in the order in which one makes the next one bad: what the caller gave, then as a step computes them.
enum Quantity { quantity_ctrl = 1, quantity_qfrc_applied, quantity_xfrc_applied, quantity_qacc, quantity_qvel, quantity_qpos };

/// Sums over the run. They are kept in several banks, since all teams add to them.
enum Counter { count_contacts, count_rows, count_iterations, count_solves, count_retried, count_not_converged, count_steps, counter_count = 8 };
constexpr int counter_banks = 64;

/// What a team adds to the counters when it is done: sums over the steps that it committed.
struct Tally {
  uint64_t contacts = 0, rows = 0, iterations = 0, solves = 0, retried = 0, not_converged = 0, steps = 0;
};

template <class Team> INLINE void load(Team team, const Model& model, Env& env) {
  team.each(model.nq, [&](int i) { env.q(i) = env.qpos(i); });
  team.each(model.nv, [&](int i) {
    env.v(i) = env.qvel(i);
    env.warmstart(i) = env.qacc_warmstart(i);
  });
}

/// True when any number of the new state is not one that MuJoCo would accept. A collective: all teams of the warp take part.
template <class Team> INLINE bool not_finite(Team team, const Model& model, const Env& env) {
  bool bad = false;
  NO_UNROLL for (int i = team.lane; i < model.nq; i += Team::lanes) bad |= !is_good(env.q(i));
  NO_UNROLL for (int i = team.lane; i < model.nv; i += Team::lanes) bad |= !is_good(env.v(i)) || !is_good(env.acc(i));
  return team.any(bad);
}

/// The index of the first number that is not good, or -1. A null pointer has none.
NOINLINE int first_bad(const real* numbers, int count) {
  NO_UNROLL for (int i = 0; numbers && i < count; ++i) {
    if (!is_good(numbers[i])) return i;
  }
  return -1;
}

/// The first quantity of a step that cannot be committed, with the index of its first bad number, as bits of a fault.
INLINE uint32_t bad_quantity(const Model& model, const Env& env) {
  const Arguments& a = *env.arguments;
  uint32_t bits = 0;
  const auto look = [&](Quantity quantity, const real* numbers, int count) {
    const int index = bits == 0 ? first_bad(numbers, count) : -1;
    if (index >= 0) bits = (uint32_t)quantity << quantity_shift | (uint32_t)min(index, most_quantity_index) << quantity_index_shift;
  };
  const auto row = [&](const real* input, int count) { return input ? input + env.index * count : input; };
  look(quantity_ctrl, row(a.ctrl, model.nu), model.nu);
  look(quantity_qfrc_applied, row(a.qfrc_applied, model.nv), model.nv);
  look(quantity_xfrc_applied, row(a.xfrc_applied, 6 * model.nbody), 6 * model.nbody);
  look(quantity_qacc, &env.acc(0), model.nv);
  look(quantity_qvel, &env.v(0), model.nv);
  look(quantity_qpos, &env.q(0), model.nq);
  return bits;
}

template <class Team> INLINE void commit(Team team, const Model& model, const Env& env) {
  NO_UNROLL for (int i = team.lane; i < model.nq; i += Team::lanes) env.qpos(i) = env.q(i);
  NO_UNROLL for (int i = team.lane; i < model.nv; i += Team::lanes) {
    env.qvel(i) = env.v(i);
    env.qacc_warmstart(i) = env.warmstart(i);
  }
  if (team.lane == 0) env.arguments->step_count[env.index] += 1;
}

/// Words of the marks. The first three are raised by the teams; the host moves them to the next three when it counts anew. The
/// rest is the ledger of the calls, kept by one lane of a call's last launch.
enum Mark {
  mark_contacts, mark_entries, mark_rows,
  mark_before = 4,
  mark_calls = 8, mark_retried_calls, mark_retried, mark_retried_last, mark_retried_most,
  mark_count = 16
};

/// Raises the high-water marks; the marks are read first, since they seldom rise.
template <class Team> INLINE void raise_marks(Team team, const Env& env) {
  uint32_t* marks = env.arguments->marks;
  if (team.lane != 0) return;
  if (marks[mark_contacts] < (uint32_t)env.contact_need) atomic_max(marks + mark_contacts, (uint32_t)env.contact_need);
  if (marks[mark_entries] < (uint32_t)env.jacobian_need) atomic_max(marks + mark_entries, (uint32_t)env.jacobian_need);
  if (marks[mark_rows] < (uint32_t)env.row_count) atomic_max(marks + mark_rows, (uint32_t)env.row_count);
}

/// Commits a pass, or notes why it cannot be: no room, or no longer finite. No collective: only living teams come here.
template <class Team>
INLINE void finish_pass(Team team, const Model& model, Env& env, int pass, bool advancing, bool bad, Tally& tally) {
  const Arguments& a = *env.arguments;
  if (has_finding(env)) {
    env.alive = false;
    return;
  }
  raise_marks(team, env);
  if (!env.fits) {
    if (team.lane == 0) {
      Progress& progress = *a.progress;
      const uint32_t slot = atomic_add(progress.retry_count + progress.step_turn, 1u);
      a.retry_list[2 * slot] = (uint32_t)env.index;
      a.retry_list[2 * slot + 1] = (uint32_t)pass;
    }
    env.alive = false;
  } else if (advancing && bad) {
    if (team.lane == 0) a.fault[env.index] |= fault_not_finite | bad_quantity(model, env);
    env.alive = false;
  } else if (advancing) {
    commit(team, model, env);
    tally.contacts += env.contact_count;
    tally.rows += env.efc_count;
    tally.iterations += env.solved ? env.iteration_count : 0;
    tally.solves += env.solved ? 1 : 0;
    tally.retried += a.is_retry ? 1 : 0;
    tally.not_converged += env.converged ? 0 : 1;
    tally.steps += 1;
  }
}

/// Runs environment `index` from pass `first` on; an absent team runs along. Passes are the substeps, then one that only
/// computes outputs.
template <class Team>
INLINE void run_environment(Team team, const Arguments& a, Workspace workspace, int64_t index, int first, bool present, Tally& tally) {
  const Model model(a, index);
  const bool frozen = a.fault[index] & fault_not_finite, masked = a.mask && !a.mask[index];
  Env env = open_environment(a, workspace, index, present && !frozen && !masked);
  if (!team.any_in_warp(env.alive)) return;
  StageClock clock(a.stage_clocks);
  begin_stage(team, env, stage_load);
  load(team, model, env);
  clock.stage(team, env, stage_load);
  const int substeps = (int)a.substeps, passes = substeps + (a.output_level > 0 ? 1 : 0);
  // Lanes of a warp must leave this loop and its branches together: what decides them is the same for all, since the teams of a
  // warp start at the same pass; the retry launch, whose teams do not, has one team a warp.
  NO_UNROLL for (int pass = first; team.any_in_warp(env.alive && pass < passes); ++pass) {
    team.meet();
    const bool advancing = team.any_in_warp(pass < substeps);
    env.fits = true;
    step(team, model, env, clock, advancing, (int)a.output_level);
    const bool bad = not_finite(team, model, env);
    if (env.alive) finish_pass(team, model, env, pass, advancing, bad, tally);
    team.sync();
  }
  clock.stage(team, env, stage_commit);
  team.sync();
}

/// Tells the host what a call needed, in memory that it reads without waiting: one lane of the call's last launch does. What
/// teams of that launch raise later is told with the next call.
INLINE void publish_marks(const Arguments& a) {
  uint32_t* marks = a.marks;
  const Progress& progress = *a.progress;
  const uint32_t retried = progress.retry_count[a.is_retry ? progress.retry_turn : progress.step_turn];
  marks[mark_calls] += 1;
  marks[mark_retried_calls] += retried > 0 ? 1 : 0;
  marks[mark_retried] += retried;
  marks[mark_retried_last] = retried;
  if (marks[mark_retried_most] < retried) marks[mark_retried_most] = retried;
  // Writing to the host takes longer than the rest of what ends a call.
  if (retried == 0 && marks[mark_calls] % (uint32_t)a.news_period != 0) return;
  NO_UNROLL for (int i = 0; i < mark_count; ++i) a.news[i] = marks[i];
}

/// Adds a team's tally to its bank of the counters, if it has stepped anything; the first team of the last launch also
/// publishes the marks.
template <class Team> INLINE void add_tally(Team team, const Arguments& a, int64_t bank, const Tally& tally) {
  if (team.lane != 0) return;
  if (a.news && bank == 0) publish_marks(a);
  if (tally.steps == 0) return;
  uint64_t* counters = a.counters + (bank % counter_banks) * counter_count;
  atomic_add(counters + count_contacts, tally.contacts);
  atomic_add(counters + count_rows, tally.rows);
  atomic_add(counters + count_iterations, tally.iterations);
  atomic_add(counters + count_solves, tally.solves);
  if (tally.retried > 0) atomic_add(counters + count_retried, tally.retried);
  if (tally.not_converged > 0) atomic_add(counters + count_not_converged, tally.not_converged);
  atomic_add(counters + count_steps, tally.steps);
}
