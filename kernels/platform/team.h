// A team: the lanes that step one environment together.
//
// Two kinds with one interface. `SingleLane` is a plain loop, for the CPU. `WarpTeam<T>` is T lanes of a warp; the teams of a
// warp run in lock step with full masks, so every lane of the warp must reach every collective: each, each_if, rounds, triangle,
// sum, sums, scan, rank, least, any, any_in_warp, sync, meet and broadcast. A team that has nothing to do takes part with a count
// of zero.
//
// A sum has one definition whatever T is, so that its bits do not depend on T: 32 partials, partial j adds the items
// j, j + 32, j + 64, ... in order, then the partials are added by the tree 16, 8, 4, 2, 1. Partials start at +0 and are
// never -0, so adding a partial that holds no item changes nothing and may be left out.
#pragma once
#include "math/scalar.h"
#include "platform/lanes.h"

/// N sums that are taken together.
template <int N> struct Sums {
  real value[N];
  INLINE real operator[](int i) const { return value[i]; }
};
template <int N> INLINE void add_to(Sums<N>& a, const Sums<N>& b) {
  UNROLL for (int i = 0; i < N; ++i) a.value[i] = a.value[i] + b.value[i];
}

/// A team of one lane: plain loops.
struct SingleLane {
  static constexpr int lanes = 1;
  int lane = 0;

  INLINE void sync() const {}
  template <class F> INLINE void each(int n, F f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  /// As each, of no items unless `wanted`.
  template <class F> INLINE void each_if(bool wanted, int n, F f) const { each(wanted ? n : 0, f); }
  /// Calls f(i, i < n) in rounds: every lane of the warp calls it the same number of times, so f may use collectives.
  template <class F> INLINE void rounds(int n, F f) const {
    for (int i = 0; i < n; ++i) f(i, true);
  }
  /// Calls f(s, t) for all 0 <= s <= t < n.
  template <class F> INLINE void triangle(int n, F f) const {
    for (int s = 0; s < n; ++s) {
      for (int t = s; t < n; ++t) f(s, t);
    }
  }
  template <int N, class F> INLINE Sums<N> sums(int n, F f) const {
    Sums<N> part[32];
    const int used = n < 32 ? n : 32;
    for (int j = 0; j < used; ++j) {
      part[j] = Sums<N>{};
      for (int i = j; i < n; i += 32) add_to(part[j], f(i));
    }
    if (used <= 0) return Sums<N>{};
    for (int width = 16; width > 0; width /= 2) {
      for (int j = 0; j < width && j + width < used; ++j) add_to(part[j], part[j + width]);
    }
    return part[0];
  }
  template <class F> INLINE real sum(int n, F f) const {
    return sums<1>(n, [&](int i) { return Sums<1>{{f(i)}}; })[0];
  }
  /// The sum of `value` over the lanes before this one; `total` becomes that over all lanes.
  INLINE int scan(int value, int& total) const {
    total = value;
    return 0;
  }
  /// As scan, of one for each lane where p is true.
  INLINE int rank(bool p, int& total) const {
    total = p ? 1 : 0;
    return 0;
  }
  /// The least of the lanes' values.
  INLINE int least(int value) const { return value; }
  INLINE bool any(bool p) const { return p; }
  /// True while a team of the same warp still works.
  INLINE bool any_in_warp(bool p) const { return p; }
  INLINE void meet() const {}
  INLINE real broadcast(real value, int) const { return value; }
  INLINE int broadcast(int value, int) const { return value; }
};

#if PHALANX_LANE_PRIMITIVES
/// T lanes of a warp.
template <int T> struct WarpTeam {
  static constexpr int lanes = T;
  static constexpr int parts = 32 / T;  // partials of a sum that one lane folds
  int lane;   // in the team
  int first;  // the team's first lane in the warp

  INLINE void sync() const { lane_sync(); }
  template <class Count, class F> INLINE void each(Count n, F f) const { each_if(true, n, f); }
  /// As each, of no items unless `wanted`; a known count of one round needs no loop.
  template <class Count, class F> INLINE void each_if(bool wanted, Count n, F f) const {
    if constexpr (Known<Count>::is && Known<Count>::number <= T) {
      if (wanted && lane < n) f(lane);
    } else {
      const int end = wanted ? n : 0;
      NO_UNROLL for (int i = lane; i < end; i += T) f(i);
    }
    sync();
  }
  template <class Count, class F> INLINE void rounds(Count n, F f) const {
    if constexpr (Known<Count>::is && Known<Count>::number <= T) {
      if (n > 0) f(lane, lane < n);
    } else if constexpr (Known<Count>::is) {
      NO_UNROLL for (int base = 0; base < n; base += T) f(base + lane, base + lane < n);
    } else {
      NO_UNROLL for (int base = 0; lane_any(base < n); base += T) f(base + lane, base + lane < n);
    }
    sync();
  }
  template <class F> INLINE void triangle(int n, F f) const {
    constexpr int across = T < 4 ? T : 4, down = T / across;  // the lanes as a small rectangle
    NO_UNROLL for (int s = lane / across; s < n; s += down) {
      NO_UNROLL for (int t = s + lane % across; t < n; t += across) f(s, t);
    }
    sync();
  }
  template <int N, class Count, class F> INLINE Sums<N> sums(Count n, F f) const {
    Sums<N> part[parts];
    UNROLL for (int k = 0; k < parts; ++k) {
      part[k] = Sums<N>{};
    }
    const auto round = [&](int base) {
      UNROLL for (int k = 0; k < parts; ++k) {
        const int i = base + k * T;
        if (i < n) add_to(part[k], f(i));
      }
    };
    if constexpr (Known<Count>::is && Known<Count>::number <= 32) {
      round(lane);
    } else {
      NO_UNROLL for (int base = lane; base < n; base += 32) round(base);
    }
    UNROLL for (int width = 16; width >= T; width /= 2) {
      UNROLL for (int k = 0; k < width / T; ++k) add_to(part[k], part[k + width / T]);
    }
    UNROLL for (int width = (T < 32 ? T / 2 : 16); width > 0; width /= 2) {
      Sums<N> other;
      UNROLL for (int i = 0; i < N; ++i) other.value[i] = lane_shuffle_xor(part[0].value[i], width);
      add_to(part[0], other);
    }
    return part[0];
  }
  template <class Count, class F> INLINE real sum(Count n, F f) const {
    return sums<1>(n, [&](int i) { return Sums<1>{{f(i)}}; })[0];
  }
  INLINE int scan(int value, int& total) const {
    int sum = value;
    UNROLL for (int width = 1; width < T; width *= 2) {
      const int other = lane_shuffle(sum, first + ((lane - width) & (T - 1)));
      if (lane >= width) sum += other;
    }
    total = lane_shuffle(sum, first + T - 1);
    return sum - value;
  }
  /// A single exchange, where scan takes one after the other.
  INLINE int rank(bool p, int& total) const {
    const uint32_t votes = votes_of_team(p);
    total = count_ones(votes);
    return count_ones(votes & ((1u << lane) - 1u));
  }
  INLINE int least(int value) const {
    UNROLL for (int width = T / 2; width > 0; width /= 2) value = min(value, lane_shuffle(value, first + (lane ^ width)));
    return value;
  }
  INLINE bool any(bool p) const { return votes_of_team(p) != 0; }
  INLINE bool any_in_warp(bool p) const { return lane_any(p); }
  /// Waits for the block's other warps to come to a meeting or to their end, so that all of them run through the same code at the
  /// same time: a kernel is larger than the instruction cache. Nothing else depends on it; warps may come differently often.
  INLINE void meet() const { block_meet(); }
  INLINE real broadcast(real value, int source) const { return lane_shuffle(value, first + source); }
  INLINE int broadcast(int value, int source) const { return lane_shuffle(value, first + source); }

 private:
  /// Bit k is lane k's.
  INLINE uint32_t votes_of_team(bool p) const {
    const uint32_t votes = lane_ballot(p) >> first;
    return T == 32 ? votes : votes & ((1u << (T & 31)) - 1u);
  }
};
#endif
