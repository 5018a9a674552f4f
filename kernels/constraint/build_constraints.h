// Which constraints act now, and how: joint rows first, then contacts.
#pragma once
#include "constraint/contact_rows.h"
#include "constraint/joint_rows.h"

template <class Team> INLINE void build_constraints(Team team, const Model& model, Env& env) {
  joint_rows(team, model, env);
  contact_rows(team, model, env);
}
