// What a contact takes from its geoms: margin, friction, reference and impedance, mixed as MuJoCo mixes them.
//
// Margins and gaps add up. The geom of higher priority decides; at equal priority friction is the larger, solref and solimp are
// mixed by solmix. A pair that the model names has values of its own. Options may override all but dimension and gap. MuJoCo
// documentation, computation, "Contact parameters"; modeling, "Contact override".
#pragma once
#include "generated/view.h"

constexpr int geom_plane = 0;
/// MuJoCo's mjMINMU: friction is kept above it.
constexpr real least_friction = real(1e-5);

/// The distance below which a pair's contacts push.
INLINE real collision_margin(const Model& model, int pair) {
  if (model.contact_override) return model.opt_o_margin();
  const int named = model.collision_pairid(pair);
  if (model.npair > 0 && named >= 0) return model.pair_margin(named);
  return model.geom_margin(model.collision_geom1(pair)) + model.geom_margin(model.collision_geom2(pair));
}

/// The distance below which a pair's contacts are found: the margin and, beyond it, the gap in which they do not push yet.
INLINE real detection_distance(const Model& model, int pair) {
  const int named = model.collision_pairid(pair);
  if (model.npair > 0 && named >= 0) return collision_margin(model, pair) + model.pair_gap(named);
  return collision_margin(model, pair) + (model.geom_gap(model.collision_geom1(pair)) + model.geom_gap(model.collision_geom2(pair)));
}

struct ContactParameters {
  int dim;
  Vec2 friction;  // along the two tangents
  Vec2 solref;
  Vec5 solimp;
};

INLINE real mix(real share, real a, real b) { return fused(share, a, (1 - share) * b); }

/// What the contact takes from its geoms or its pair.
INLINE ContactParameters own_contact_parameters(const Model& model, int pair) {
  const int named = model.collision_pairid(pair);
  if (model.npair > 0 && named >= 0) {
    const Vec5 f = model.pair_friction(named);
    return {model.pair_dim(named), {max(f.a, least_friction), max(f.b, least_friction)}, model.pair_solref(named), model.pair_solimp(named)};
  }
  const int a = model.collision_geom1(pair), b = model.collision_geom2(pair);
  const int pa = model.geom_priority(a), pb = model.geom_priority(b);
  if (pa != pb) {
    const int g = pa > pb ? a : b;
    const real f = max(model.geom_friction(g).x, least_friction);
    return {model.geom_condim(g), {f, f}, model.geom_solref(g), model.geom_solimp(g)};
  }
  const real ma = model.geom_solmix(a), mb = model.geom_solmix(b);
  real share = real(0.5);
  if (ma >= smallest_length && mb >= smallest_length) share = ma / (ma + mb);
  else if (ma >= smallest_length) share = 1;
  else if (mb >= smallest_length) share = 0;
  const Vec2 ra = model.geom_solref(a), rb = model.geom_solref(b);
  const bool standard = ra.x > 0 && rb.x > 0;
  const Vec2 solref = standard ? Vec2{mix(share, ra.x, rb.x), mix(share, ra.y, rb.y)} : Vec2{min(ra.x, rb.x), min(ra.y, rb.y)};
  const Vec5 ia = model.geom_solimp(a), ib = model.geom_solimp(b);
  const Vec5 solimp = {mix(share, ia.a, ib.a), mix(share, ia.b, ib.b), mix(share, ia.c, ib.c), mix(share, ia.d, ib.d), mix(share, ia.e, ib.e)};
  const real f = max(max(model.geom_friction(a).x, model.geom_friction(b).x), least_friction);
  return {max(model.geom_condim(a), model.geom_condim(b)), {f, f}, solref, solimp};
}

INLINE ContactParameters contact_parameters(const Model& model, int pair) {
  ContactParameters p = own_contact_parameters(model, pair);
  if (model.contact_override) {
    const Vec5 f = model.opt_o_friction();
    p = {p.dim, {max(f.a, least_friction), max(f.b, least_friction)}, model.opt_o_solref(), model.opt_o_solimp()};
  }
  return p;
}
