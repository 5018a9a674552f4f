// What a checked build looks for: indices outside of their array, and numbers that are not finite.
//
// With PHALANX_CHECKED every index of the generated accessors passes through CHECKED, and the end of a stage looks through the
// workspace. The usual build has nothing of it. Of each environment the first finding is kept; an index that is refused becomes
// 0, so that no memory of others is touched, and what such an environment has computed is not committed.
#pragma once
#include "math/scalar.h"

/// Where an array of the field table lies, and how it is looked at. The host fills a row for each field.
struct CheckedArray {
  int length;       // elements: of a table, of an environment's row, or of the workspace
  int words;        // numbers of an element
  int numbers;      // how many of them, from the first, must be finite: the others are integers
  int slot;         // of the argument block: its pointer, or its offset in the workspace
  int place;        // a CheckedPlace
  int first_stage;  // between these stages it is looked at
  int last_stage;
  int is_whole;     // every number is written in the first stage: one that is not is a finding too
};
enum CheckedPlace { place_table, place_workspace, place_row, place_model };

/// What was found in an environment.
struct Finding {
  uint32_t kind;     // a FindingKind
  uint32_t stage;    // one more than the stage's number; 0 while the stage runs
  uint32_t array;    // row of the table of arrays
  int32_t index;     // of the element
  int32_t word;      // of the element, for a number that is not finite
  int32_t length;    // elements of the array
  uint32_t step;     // steps since the environment's last reset
  uint32_t value;    // the number that is not finite, as a float's bits
};
enum FindingKind { found_nothing, found_index, found_not_finite };

#if defined(PHALANX_CHECKED)
/// Keeps a finding, if it is the environment's first.
template <class Arguments> NOINLINE void keep_finding(const Arguments& a, int64_t environment, Finding found) {
  Finding* kept = a.findings + environment;
  if (!claim(&kept->kind, found.kind)) return;
  kept->array = found.array;
  kept->index = found.index;
  kept->word = found.word;
  kept->length = found.length;
  kept->step = a.step_count[environment];
  kept->value = found.value;
  atomic_add(a.finding_count, 1u);
}

/// The index, if the array has such an element, else 0.
template <class Arguments> INLINE int checked_index(const Arguments& a, int64_t environment, int array, int index) {
  const int length = a.checked_arrays[array].length;
  if ((uint32_t)index < (uint32_t)length) return index;
  keep_finding(a, environment, {found_index, 0, (uint32_t)array, index, 0, length, 0, 0});
  return 0;
}
#define CHECKED(array, environment, index) checked_index(*arguments, environment, array_##array, index)

/// Whether something was found in the environment: then nothing of it is committed any more.
template <class Env> INLINE bool has_finding(const Env& env) { return env.arguments->findings[env.index].kind != found_nothing; }

/// What a workspace array holds until it is written: a signalling NaN. What is computed from it is another NaN.
#if defined(PHALANX_F64)
constexpr uint64_t never_written = 0x7ff4dead0000deadu;
INLINE void mark_never_written(real& x) { memcpy(&x, &never_written, sizeof x); }
INLINE bool is_never_written(const real& x) { return memcmp(&x, &never_written, sizeof x) == 0; }
#else
constexpr uint32_t never_written = 0x7fa0deadu;
INLINE void mark_never_written(real& x) { x = bits_float(never_written); }
INLINE bool is_never_written(const real& x) { return float_bits(x) == never_written; }
#endif

/// The first number of an array that is not finite among every `step`-th from `from` on, or -1.
INLINE int first_not_finite(const CheckedArray& array, const real* numbers, int from, int step) {
  NO_UNROLL for (int i = from; i < array.length * array.words; i += step) {
    const bool finite = numbers[i] - numbers[i] == 0;
    if (i % array.words < array.numbers && !finite && (array.is_whole || !is_never_written(numbers[i]))) return i;
  }
  return -1;
}

/// Where an environment's numbers of an array begin; null for what has no memory.
template <class Env> INLINE real* numbers_of(const Env& env, const CheckedArray& array) {
  const uint64_t* slots = (const uint64_t*)env.arguments;
  if (array.place == place_workspace) return env.base + (int64_t)slots[array.slot];
  real* pointer = (real*)slots[array.slot];
  if (!pointer) return pointer;
  return pointer + env.index * (array.place == place_model ? (int64_t)slots[array.slot + 1] : (int64_t)array.length * array.words);
}

/// Marks the arrays as never written that live from a stage on.
template <class Team, class Env> NOINLINE void begin_stage(Team team, const Env& env, int stage) {
  const auto& a = *env.arguments;
  team.sync();
  NO_UNROLL for (int64_t k = 0; k < a.checked_count; ++k) {
    const CheckedArray array = a.checked_arrays[k];
    if (!env.alive || array.place != place_workspace || array.numbers == 0 || array.first_stage != stage) continue;
    real* numbers = numbers_of(env, array);
    NO_UNROLL for (int i = team.lane; i < array.length * array.words; i += Team::lanes) mark_never_written(numbers[i]);
  }
  team.sync();
}

/// Ends a stage: names it in what was found, and looks through the arrays that it may have written. Every lane of the warp must
/// come here.
template <class Team, class Env> NOINLINE void finish_stage(Team team, const Env& env, int stage) {
  const auto& a = *env.arguments;
  team.sync();
  NO_UNROLL for (int64_t k = 0; k < a.checked_count; ++k) {
    const CheckedArray array = a.checked_arrays[k];
    if (array.numbers == 0 || array.length == 0) continue;
    real* numbers = numbers_of(env, array);
    const bool lives = env.alive && numbers && array.first_stage <= stage && stage <= array.last_stage;
    const bool bad = lives && first_not_finite(array, numbers, team.lane, Team::lanes) >= 0;
    if (team.any(bad) && team.lane == 0) {
      const int i = first_not_finite(array, numbers, 0, 1);
      const Finding found = {found_not_finite, 0, (uint32_t)k, i / array.words, i % array.words, array.length, 0, float_bits((float)numbers[i])};
      keep_finding(a, env.index, found);
    }
  }
  if (env.alive && team.lane == 0 && has_finding(env)) {
    Finding* kept = a.findings + env.index;
    if (kept->stage == 0) kept->stage = (uint32_t)stage + 1;
  }
  team.sync();
}
#else
#define CHECKED(array, environment, index) index
template <class Env> INLINE bool has_finding(const Env&) { return false; }
template <class Team, class Env> INLINE void begin_stage(Team, const Env&, int) {}
template <class Team, class Env> INLINE void finish_stage(Team, const Env&, int) {}
#endif
