// The model and the workspace as the kernels see them, read from the argument block at run time.
// Generated from the field table by `cargo xtask generate`; do not edit.
#pragma once
#include "view/elements.h"

#define PHALANX_SPECIALISED 0

/// What a launch passes: 8-byte slots only.
struct Arguments {
  int64_t nq;
  int64_t nv;
  int64_t nu;
  int64_t na;
  int64_t nbody;
  int64_t njnt;
  int64_t ngeom;
  int64_t nsite;
  int64_t nmocap;
  int64_t npair;
  int64_t nM;
  int64_t nlower;
  int64_t ntree;
  int64_t tree_dof_max;
  int64_t trees_alike;
  int64_t free_block_count;
  int64_t tree_lower;
  int64_t level_count;
  int64_t level_adr_count;
  int64_t child_count;
  int64_t collision_count;
  int64_t collision_type_adr_count;
  int64_t dof_actuator_count;
  int64_t joint_types;
  int64_t turning_actuators;
  int64_t actuator_gravcomp;
  int64_t disabled_actuators;
  int64_t contact_override;
  int64_t fluid_bodies;
  int64_t fluid_entries;
  int64_t pair_types;
  int64_t pivot_words;
  int64_t pattern_dofs;
  int64_t pattern_bodies;
  int64_t pattern_columns;
  int64_t pattern_words;
  int64_t friction_row_max;
  int64_t ball_row_max;
  int64_t row_max;
  const int* body_parentid;
  const int* body_rootid;
  const int* body_jntnum;
  const int* body_jntadr;
  const int* body_dofnum;
  const int* body_dofadr;
  const int* body_mocapid;
  const int* body_lastdof;
  const int* body_childadr;
  const int* body_childnum;
  const int* child_body;
  const int* level_adr;
  const int* level_body;
  const int* body_subtree_end;
  const int* body_simple;
  const int* body_freeblock;
  const int* jnt_type;
  const int* jnt_qposadr;
  const int* jnt_dofadr;
  const int* jnt_limited;
  const int* jnt_actfrclimited;
  const int* jnt_actgravcomp;
  const int* dof_bodyid;
  const int* dof_jntid;
  const int* dof_parentid;
  const int* dof_depth;
  const int* dof_Madr;
  const int* dof_subtree_end;
  const int* dof_treeid;
  const int* tree_dofadr;
  const int* tree_dofnum;
  const int* geom_type;
  const int* geom_bodyid;
  const int* geom_condim;
  const int* geom_priority;
  const int* site_bodyid;
  const int* pair_dim;
  const int* collision_geom1;
  const int* collision_geom2;
  const int* collision_pairid;
  const int* collision_typeadr;
  const int* actuator_trnid;
  const int* actuator_trntype;
  const int* actuator_gaintype;
  const int* actuator_biastype;
  const int* actuator_disabled;
  const int* dof_actuatoradr;
  const int* dof_actuatornum;
  const int* actuator_list;
  const int* actuator_ctrllimited;
  const int* actuator_forcelimited;
  const real* opt_timestep;
  int64_t opt_timestep_stride;
  const real* opt_gravity;
  int64_t opt_gravity_stride;
  const real* opt_wind;
  int64_t opt_wind_stride;
  const real* opt_density;
  int64_t opt_density_stride;
  const real* opt_viscosity;
  int64_t opt_viscosity_stride;
  const real* opt_impratio;
  int64_t opt_impratio_stride;
  const real* opt_o_margin;
  int64_t opt_o_margin_stride;
  const real* opt_o_solref;
  int64_t opt_o_solref_stride;
  const real* opt_o_solimp;
  int64_t opt_o_solimp_stride;
  const real* opt_o_friction;
  int64_t opt_o_friction_stride;
  const real* opt_tolerance;
  int64_t opt_tolerance_stride;
  const real* opt_ls_tolerance;
  int64_t opt_ls_tolerance_stride;
  const real* stat_meaninertia;
  int64_t stat_meaninertia_stride;
  const real* qpos0;
  int64_t qpos0_stride;
  const real* qpos_spring;
  int64_t qpos_spring_stride;
  const real* body_pos;
  int64_t body_pos_stride;
  const real* body_quat;
  int64_t body_quat_stride;
  const real* body_ipos;
  int64_t body_ipos_stride;
  const real* body_iquat;
  int64_t body_iquat_stride;
  const real* body_mass;
  int64_t body_mass_stride;
  const real* body_subtreemass;
  int64_t body_subtreemass_stride;
  const real* body_inertia;
  int64_t body_inertia_stride;
  const real* body_invweight0;
  int64_t body_invweight0_stride;
  const real* body_gravcomp;
  int64_t body_gravcomp_stride;
  const real* jnt_pos;
  int64_t jnt_pos_stride;
  const real* jnt_axis;
  int64_t jnt_axis_stride;
  const real* jnt_stiffness;
  int64_t jnt_stiffness_stride;
  const real* jnt_range;
  int64_t jnt_range_stride;
  const real* jnt_actfrcrange;
  int64_t jnt_actfrcrange_stride;
  const real* jnt_margin;
  int64_t jnt_margin_stride;
  const real* jnt_solref;
  int64_t jnt_solref_stride;
  const real* jnt_solimp;
  int64_t jnt_solimp_stride;
  const real* dof_armature;
  int64_t dof_armature_stride;
  const real* dof_damping;
  int64_t dof_damping_stride;
  const real* dof_frictionloss;
  int64_t dof_frictionloss_stride;
  const real* dof_invweight0;
  int64_t dof_invweight0_stride;
  const real* dof_solref;
  int64_t dof_solref_stride;
  const real* dof_solimp;
  int64_t dof_solimp_stride;
  const real* geom_size;
  int64_t geom_size_stride;
  const real* geom_rbound;
  int64_t geom_rbound_stride;
  const real* geom_pos;
  int64_t geom_pos_stride;
  const real* geom_quat;
  int64_t geom_quat_stride;
  const real* geom_friction;
  int64_t geom_friction_stride;
  const real* geom_margin;
  int64_t geom_margin_stride;
  const real* geom_gap;
  int64_t geom_gap_stride;
  const real* geom_solmix;
  int64_t geom_solmix_stride;
  const real* geom_solref;
  int64_t geom_solref_stride;
  const real* geom_solimp;
  int64_t geom_solimp_stride;
  const real* site_pos;
  int64_t site_pos_stride;
  const real* site_quat;
  int64_t site_quat_stride;
  const real* pair_friction;
  int64_t pair_friction_stride;
  const real* pair_solref;
  int64_t pair_solref_stride;
  const real* pair_solimp;
  int64_t pair_solimp_stride;
  const real* pair_margin;
  int64_t pair_margin_stride;
  const real* pair_gap;
  int64_t pair_gap_stride;
  const real* actuator_ctrlrange;
  int64_t actuator_ctrlrange_stride;
  const real* actuator_forcerange;
  int64_t actuator_forcerange_stride;
  const real* actuator_gear;
  int64_t actuator_gear_stride;
  const real* actuator_gainprm;
  int64_t actuator_gainprm_stride;
  const real* actuator_biasprm;
  int64_t actuator_biasprm_stride;
  real* qpos;
  real* qvel;
  real* act;
  real* qacc_warmstart;
  real* mocap_pos;
  real* mocap_quat;
  const real* ctrl;
  const real* qfrc_applied;
  const real* xfrc_applied;
  real* xpos;
  real* xquat;
  real* xipos;
  real* geom_xpos;
  real* geom_xmat;
  real* site_xpos;
  real* site_xmat;
  real* subtree_com;
  real* cvel;
  real* qacc;
  real* qacc_smooth;
  real* qfrc_bias;
  real* qfrc_passive;
  real* qfrc_actuator;
  real* qfrc_constraint;
  real* actuator_force;
  int64_t q_offset;
  int64_t v_offset;
  int64_t warmstart_offset;
  int64_t body_position_offset;
  int64_t body_orientation_offset;
  int64_t joint_turn_offset;
  int64_t joint_anchor_offset;
  int64_t joint_axis_offset;
  int64_t tree_com_offset;
  int64_t cinert_offset;
  int64_t cdof_offset;
  int64_t geom_position_offset;
  int64_t geom_orientation_offset;
  int64_t geom_reach_offset;
  int64_t candidate_offset;
  int64_t con_dist_offset;
  int64_t con_pos_offset;
  int64_t con_frame_offset;
  int64_t con_pair_offset;
  int64_t crb_offset;
  int64_t M_offset;
  int64_t L_offset;
  int64_t body_velocity_offset;
  int64_t cdof_dot_offset;
  int64_t body_wrench_offset;
  int64_t fluid_slope_offset;
  int64_t fluid_damping_offset;
  int64_t force_gravcomp_offset;
  int64_t force_passive_offset;
  int64_t force_actuator_offset;
  int64_t actuation_force_offset;
  int64_t actuation_slope_offset;
  int64_t body_acceleration_offset;
  int64_t body_force_offset;
  int64_t force_bias_offset;
  int64_t force_smooth_offset;
  int64_t acc_smooth_offset;
  int64_t row_dof_offset;
  int64_t row_type_offset;
  int64_t row_sign_offset;
  int64_t row_axis_offset;
  int64_t row_pos_offset;
  int64_t row_D_offset;
  int64_t row_floss_offset;
  int64_t row_jar_offset;
  int64_t row_jv_offset;
  int64_t con_dim_offset;
  int64_t con_mu_offset;
  int64_t con_D_offset;
  int64_t con_jar_offset;
  int64_t con_jv_offset;
  int64_t con_force_offset;
  int64_t con_chain_offset;
  int64_t con_adr_offset;
  int64_t con_num_offset;
  int64_t con_J_offset;
  int64_t acc_offset;
  int64_t Ma_offset;
  int64_t Mv_offset;
  int64_t grad_offset;
  int64_t search_offset;
  int64_t force_constraint_offset;
  int64_t H_offset;
  int64_t tree_L_offset;
  int64_t pivot_row_offset;
  int64_t factor_mask_offset;
  int64_t factor_body_offset;
  int64_t factor_degree_offset;
  int64_t factor_place_offset;
  int64_t factor_dof_offset;
  int64_t factor_adr_offset;
  int64_t factor_end_offset;
  int64_t factor_list_offset;
  int64_t step_acc_offset;
  int64_t implicit_L_offset;
  int64_t rk_q_offset;
  int64_t rk_v_offset;
  int64_t rk_warmstart_offset;
  int64_t rk_increment_offset;
  int64_t rk_velocity_sum_offset;
  int64_t rk_acc_sum_offset;
  int64_t num_envs;
  int64_t first_env;
  int64_t substeps;
  int64_t output_level;
  int64_t opt_integrator;
  int64_t opt_disableflags;
  int64_t opt_iterations;
  int64_t opt_ls_iterations;
  int64_t contact_capacity;
  int64_t jacobian_capacity;
  int64_t shared_words;
  int64_t global_words;
  const int* topology;
  const real* values;
  real* workspace;
  uint32_t* fault;
  uint32_t* step_count;
  const uint8_t* mask;
  uint32_t* retry_list;
  Progress* progress;
  int64_t is_retry;
  uint64_t* counters;
  uint32_t* marks;
  uint32_t* news;
  int64_t news_period;
  uint64_t seed;
  uint64_t random_step;
  const real* reset_qpos;
  const real* reset_qvel;
  const real* reset_act;
  const real* reset_ctrl;
  const real* reset_mocap_pos;
  const real* reset_mocap_quat;
  int64_t reset_stride;
  uint64_t* stage_clocks;
  const real* injected_contacts;
  int64_t injected_count;
  const CheckedArray* checked_arrays;
  int64_t checked_count;
  Finding* findings;
  uint32_t* finding_count;
};

/// The stages of a step in the order in which they run, and what recomputes edited model fields.
enum Stage {
  stage_load,
  stage_forward_kinematics,
  stage_center_of_mass,
  stage_mass_matrix,
  stage_velocities,
  stage_passive_forces,
  stage_actuation,
  stage_bias_forces,
  stage_smooth_forces,
  stage_find_pairs,
  stage_find_contacts,
  stage_build_constraints,
  stage_solve_constraints,
  stage_integrate,
  stage_commit,
  stage_set_constants,
};

/// Fields by their number in the table.
enum Array {
  array_body_parentid,
  array_body_rootid,
  array_body_jntnum,
  array_body_jntadr,
  array_body_dofnum,
  array_body_dofadr,
  array_body_mocapid,
  array_body_lastdof,
  array_body_childadr,
  array_body_childnum,
  array_child_body,
  array_level_adr,
  array_level_body,
  array_body_subtree_end,
  array_body_simple,
  array_body_freeblock,
  array_jnt_type,
  array_jnt_qposadr,
  array_jnt_dofadr,
  array_jnt_limited,
  array_jnt_actfrclimited,
  array_jnt_actgravcomp,
  array_dof_bodyid,
  array_dof_jntid,
  array_dof_parentid,
  array_dof_depth,
  array_dof_Madr,
  array_dof_subtree_end,
  array_dof_treeid,
  array_tree_dofadr,
  array_tree_dofnum,
  array_geom_type,
  array_geom_bodyid,
  array_geom_condim,
  array_geom_priority,
  array_site_bodyid,
  array_pair_dim,
  array_collision_geom1,
  array_collision_geom2,
  array_collision_pairid,
  array_collision_typeadr,
  array_actuator_trnid,
  array_actuator_trntype,
  array_actuator_gaintype,
  array_actuator_biastype,
  array_actuator_disabled,
  array_dof_actuatoradr,
  array_dof_actuatornum,
  array_actuator_list,
  array_actuator_ctrllimited,
  array_actuator_forcelimited,
  array_opt_timestep,
  array_opt_gravity,
  array_opt_wind,
  array_opt_density,
  array_opt_viscosity,
  array_opt_impratio,
  array_opt_o_margin,
  array_opt_o_solref,
  array_opt_o_solimp,
  array_opt_o_friction,
  array_opt_tolerance,
  array_opt_ls_tolerance,
  array_stat_meaninertia,
  array_qpos0,
  array_qpos_spring,
  array_body_pos,
  array_body_quat,
  array_body_ipos,
  array_body_iquat,
  array_body_mass,
  array_body_subtreemass,
  array_body_inertia,
  array_body_invweight0,
  array_body_gravcomp,
  array_jnt_pos,
  array_jnt_axis,
  array_jnt_stiffness,
  array_jnt_range,
  array_jnt_actfrcrange,
  array_jnt_margin,
  array_jnt_solref,
  array_jnt_solimp,
  array_dof_armature,
  array_dof_damping,
  array_dof_frictionloss,
  array_dof_invweight0,
  array_dof_solref,
  array_dof_solimp,
  array_geom_size,
  array_geom_rbound,
  array_geom_pos,
  array_geom_quat,
  array_geom_friction,
  array_geom_margin,
  array_geom_gap,
  array_geom_solmix,
  array_geom_solref,
  array_geom_solimp,
  array_site_pos,
  array_site_quat,
  array_pair_friction,
  array_pair_solref,
  array_pair_solimp,
  array_pair_margin,
  array_pair_gap,
  array_actuator_ctrlrange,
  array_actuator_forcerange,
  array_actuator_gear,
  array_actuator_gainprm,
  array_actuator_biasprm,
  array_qpos,
  array_qvel,
  array_act,
  array_qacc_warmstart,
  array_mocap_pos,
  array_mocap_quat,
  array_ctrl,
  array_qfrc_applied,
  array_xfrc_applied,
  array_xpos,
  array_xquat,
  array_xipos,
  array_geom_xpos,
  array_geom_xmat,
  array_site_xpos,
  array_site_xmat,
  array_subtree_com,
  array_cvel,
  array_qacc,
  array_qacc_smooth,
  array_qfrc_bias,
  array_qfrc_passive,
  array_qfrc_actuator,
  array_qfrc_constraint,
  array_actuator_force,
  array_q,
  array_v,
  array_warmstart,
  array_body_position,
  array_body_orientation,
  array_joint_turn,
  array_joint_anchor,
  array_joint_axis,
  array_tree_com,
  array_cinert,
  array_cdof,
  array_geom_position,
  array_geom_orientation,
  array_geom_reach,
  array_candidate,
  array_con_dist,
  array_con_pos,
  array_con_frame,
  array_con_pair,
  array_crb,
  array_M,
  array_L,
  array_body_velocity,
  array_cdof_dot,
  array_body_wrench,
  array_fluid_slope,
  array_fluid_damping,
  array_force_gravcomp,
  array_force_passive,
  array_force_actuator,
  array_actuation_force,
  array_actuation_slope,
  array_body_acceleration,
  array_body_force,
  array_force_bias,
  array_force_smooth,
  array_acc_smooth,
  array_row_dof,
  array_row_type,
  array_row_sign,
  array_row_axis,
  array_row_pos,
  array_row_D,
  array_row_floss,
  array_row_jar,
  array_row_jv,
  array_con_dim,
  array_con_mu,
  array_con_D,
  array_con_jar,
  array_con_jv,
  array_con_force,
  array_con_chain,
  array_con_adr,
  array_con_num,
  array_con_J,
  array_acc,
  array_Ma,
  array_Mv,
  array_grad,
  array_search,
  array_force_constraint,
  array_H,
  array_tree_L,
  array_pivot_row,
  array_factor_mask,
  array_factor_body,
  array_factor_degree,
  array_factor_place,
  array_factor_dof,
  array_factor_adr,
  array_factor_end,
  array_factor_list,
  array_step_acc,
  array_implicit_L,
  array_rk_q,
  array_rk_v,
  array_rk_warmstart,
  array_rk_increment,
  array_rk_velocity_sum,
  array_rk_acc_sum,
};

/// The model as one environment sees it.
struct Model {
  const Arguments* arguments;
  int env;
  // Words of topology and values that every block keeps in shared memory, before its workspaces.
  static constexpr int copied_topology = 0, copied_values = 0;
  int nq;
  int nv;
  int nu;
  int na;
  int nbody;
  int njnt;
  int ngeom;
  int nsite;
  int nmocap;
  int npair;
  int nM;
  int nlower;
  int ntree;
  int tree_dof_max;
  int trees_alike;
  int free_block_count;
  int tree_lower;
  int level_count;
  int level_adr_count;
  int child_count;
  int collision_count;
  int collision_type_adr_count;
  int dof_actuator_count;
  int joint_types;
  int turning_actuators;
  int actuator_gravcomp;
  int disabled_actuators;
  int contact_override;
  int fluid_bodies;
  int fluid_entries;
  int pair_types;
  int pivot_words;
  int pattern_dofs;
  int pattern_bodies;
  int pattern_columns;
  int pattern_words;
  int friction_row_max;
  int ball_row_max;
  int row_max;
  int opt_integrator;
  int opt_disableflags;
  INLINE Model(const Arguments& a, int64_t environment) : arguments(&a), env((int)environment),
    nq((int)a.nq),
    nv((int)a.nv),
    nu((int)a.nu),
    na((int)a.na),
    nbody((int)a.nbody),
    njnt((int)a.njnt),
    ngeom((int)a.ngeom),
    nsite((int)a.nsite),
    nmocap((int)a.nmocap),
    npair((int)a.npair),
    nM((int)a.nM),
    nlower((int)a.nlower),
    ntree((int)a.ntree),
    tree_dof_max((int)a.tree_dof_max),
    trees_alike((int)a.trees_alike),
    free_block_count((int)a.free_block_count),
    tree_lower((int)a.tree_lower),
    level_count((int)a.level_count),
    level_adr_count((int)a.level_adr_count),
    child_count((int)a.child_count),
    collision_count((int)a.collision_count),
    collision_type_adr_count((int)a.collision_type_adr_count),
    dof_actuator_count((int)a.dof_actuator_count),
    joint_types((int)a.joint_types),
    turning_actuators((int)a.turning_actuators),
    actuator_gravcomp((int)a.actuator_gravcomp),
    disabled_actuators((int)a.disabled_actuators),
    contact_override((int)a.contact_override),
    fluid_bodies((int)a.fluid_bodies),
    fluid_entries((int)a.fluid_entries),
    pair_types((int)a.pair_types),
    pivot_words((int)a.pivot_words),
    pattern_dofs((int)a.pattern_dofs),
    pattern_bodies((int)a.pattern_bodies),
    pattern_columns((int)a.pattern_columns),
    pattern_words((int)a.pattern_words),
    friction_row_max((int)a.friction_row_max),
    ball_row_max((int)a.ball_row_max),
    row_max((int)a.row_max),
    opt_integrator((int)a.opt_integrator), opt_disableflags((int)a.opt_disableflags) {}
  INLINE int body_parentid(int i) const { return arguments->body_parentid[CHECKED(body_parentid, env, i)]; }
  INLINE int body_rootid(int i) const { return arguments->body_rootid[CHECKED(body_rootid, env, i)]; }
  INLINE int body_jntnum(int i) const { return arguments->body_jntnum[CHECKED(body_jntnum, env, i)]; }
  INLINE int body_jntadr(int i) const { return arguments->body_jntadr[CHECKED(body_jntadr, env, i)]; }
  INLINE int body_dofnum(int i) const { return arguments->body_dofnum[CHECKED(body_dofnum, env, i)]; }
  INLINE int body_dofadr(int i) const { return arguments->body_dofadr[CHECKED(body_dofadr, env, i)]; }
  INLINE int body_mocapid(int i) const { return arguments->body_mocapid[CHECKED(body_mocapid, env, i)]; }
  INLINE int body_lastdof(int i) const { return arguments->body_lastdof[CHECKED(body_lastdof, env, i)]; }
  INLINE int body_childadr(int i) const { return arguments->body_childadr[CHECKED(body_childadr, env, i)]; }
  INLINE int body_childnum(int i) const { return arguments->body_childnum[CHECKED(body_childnum, env, i)]; }
  INLINE int child_body(int i) const { return arguments->child_body[CHECKED(child_body, env, i)]; }
  INLINE int level_adr(int i) const { return arguments->level_adr[CHECKED(level_adr, env, i)]; }
  INLINE int level_body(int i) const { return arguments->level_body[CHECKED(level_body, env, i)]; }
  INLINE int body_subtree_end(int i) const { return arguments->body_subtree_end[CHECKED(body_subtree_end, env, i)]; }
  INLINE int body_simple(int i) const { return arguments->body_simple[CHECKED(body_simple, env, i)]; }
  INLINE int body_freeblock(int i) const { return arguments->body_freeblock[CHECKED(body_freeblock, env, i)]; }
  INLINE int jnt_type(int i) const { return arguments->jnt_type[CHECKED(jnt_type, env, i)]; }
  INLINE int jnt_qposadr(int i) const { return arguments->jnt_qposadr[CHECKED(jnt_qposadr, env, i)]; }
  INLINE int jnt_dofadr(int i) const { return arguments->jnt_dofadr[CHECKED(jnt_dofadr, env, i)]; }
  INLINE int jnt_limited(int i) const { return arguments->jnt_limited[CHECKED(jnt_limited, env, i)]; }
  INLINE int jnt_actfrclimited(int i) const { return arguments->jnt_actfrclimited[CHECKED(jnt_actfrclimited, env, i)]; }
  INLINE int jnt_actgravcomp(int i) const { return arguments->jnt_actgravcomp[CHECKED(jnt_actgravcomp, env, i)]; }
  INLINE int dof_bodyid(int i) const { return arguments->dof_bodyid[CHECKED(dof_bodyid, env, i)]; }
  INLINE int dof_jntid(int i) const { return arguments->dof_jntid[CHECKED(dof_jntid, env, i)]; }
  INLINE int dof_parentid(int i) const { return arguments->dof_parentid[CHECKED(dof_parentid, env, i)]; }
  INLINE int dof_depth(int i) const { return arguments->dof_depth[CHECKED(dof_depth, env, i)]; }
  INLINE int dof_Madr(int i) const { return arguments->dof_Madr[CHECKED(dof_Madr, env, i)]; }
  INLINE int dof_subtree_end(int i) const { return arguments->dof_subtree_end[CHECKED(dof_subtree_end, env, i)]; }
  INLINE int dof_treeid(int i) const { return arguments->dof_treeid[CHECKED(dof_treeid, env, i)]; }
  INLINE int tree_dofadr(int i) const { return arguments->tree_dofadr[CHECKED(tree_dofadr, env, i)]; }
  INLINE int tree_dofnum(int i) const { return arguments->tree_dofnum[CHECKED(tree_dofnum, env, i)]; }
  INLINE int geom_type(int i) const { return arguments->geom_type[CHECKED(geom_type, env, i)]; }
  INLINE int geom_bodyid(int i) const { return arguments->geom_bodyid[CHECKED(geom_bodyid, env, i)]; }
  INLINE int geom_condim(int i) const { return arguments->geom_condim[CHECKED(geom_condim, env, i)]; }
  INLINE int geom_priority(int i) const { return arguments->geom_priority[CHECKED(geom_priority, env, i)]; }
  INLINE int site_bodyid(int i) const { return arguments->site_bodyid[CHECKED(site_bodyid, env, i)]; }
  INLINE int pair_dim(int i) const { return arguments->pair_dim[CHECKED(pair_dim, env, i)]; }
  INLINE int collision_geom1(int i) const { return arguments->collision_geom1[CHECKED(collision_geom1, env, i)]; }
  INLINE int collision_geom2(int i) const { return arguments->collision_geom2[CHECKED(collision_geom2, env, i)]; }
  INLINE int collision_pairid(int i) const { return arguments->collision_pairid[CHECKED(collision_pairid, env, i)]; }
  INLINE int collision_typeadr(int i) const { return arguments->collision_typeadr[CHECKED(collision_typeadr, env, i)]; }
  INLINE int actuator_trnid(int i) const { return arguments->actuator_trnid[CHECKED(actuator_trnid, env, i)]; }
  INLINE int actuator_trntype(int i) const { return arguments->actuator_trntype[CHECKED(actuator_trntype, env, i)]; }
  INLINE int actuator_gaintype(int i) const { return arguments->actuator_gaintype[CHECKED(actuator_gaintype, env, i)]; }
  INLINE int actuator_biastype(int i) const { return arguments->actuator_biastype[CHECKED(actuator_biastype, env, i)]; }
  INLINE int actuator_disabled(int i) const { return arguments->actuator_disabled[CHECKED(actuator_disabled, env, i)]; }
  INLINE int dof_actuatoradr(int i) const { return arguments->dof_actuatoradr[CHECKED(dof_actuatoradr, env, i)]; }
  INLINE int dof_actuatornum(int i) const { return arguments->dof_actuatornum[CHECKED(dof_actuatornum, env, i)]; }
  INLINE int actuator_list(int i) const { return arguments->actuator_list[CHECKED(actuator_list, env, i)]; }
  INLINE int actuator_ctrllimited(int i) const { return arguments->actuator_ctrllimited[CHECKED(actuator_ctrllimited, env, i)]; }
  INLINE int actuator_forcelimited(int i) const { return arguments->actuator_forcelimited[CHECKED(actuator_forcelimited, env, i)]; }
  INLINE real opt_timestep() const { return ((const real*)(arguments->opt_timestep + wide_product(env, (int)arguments->opt_timestep_stride)))[0]; }
  INLINE Vec3 opt_gravity() const { return ((const Vec3*)(arguments->opt_gravity + wide_product(env, (int)arguments->opt_gravity_stride)))[0]; }
  INLINE Vec3 opt_wind() const { return ((const Vec3*)(arguments->opt_wind + wide_product(env, (int)arguments->opt_wind_stride)))[0]; }
  INLINE real opt_density() const { return ((const real*)(arguments->opt_density + wide_product(env, (int)arguments->opt_density_stride)))[0]; }
  INLINE real opt_viscosity() const { return ((const real*)(arguments->opt_viscosity + wide_product(env, (int)arguments->opt_viscosity_stride)))[0]; }
  INLINE real opt_impratio() const { return ((const real*)(arguments->opt_impratio + wide_product(env, (int)arguments->opt_impratio_stride)))[0]; }
  INLINE real opt_o_margin() const { return ((const real*)(arguments->opt_o_margin + wide_product(env, (int)arguments->opt_o_margin_stride)))[0]; }
  INLINE Vec2 opt_o_solref() const { return ((const Vec2*)(arguments->opt_o_solref + wide_product(env, (int)arguments->opt_o_solref_stride)))[0]; }
  INLINE Vec5 opt_o_solimp() const { return ((const Vec5*)(arguments->opt_o_solimp + wide_product(env, (int)arguments->opt_o_solimp_stride)))[0]; }
  INLINE Vec5 opt_o_friction() const { return ((const Vec5*)(arguments->opt_o_friction + wide_product(env, (int)arguments->opt_o_friction_stride)))[0]; }
  INLINE real opt_tolerance() const { return ((const real*)(arguments->opt_tolerance + wide_product(env, (int)arguments->opt_tolerance_stride)))[0]; }
  INLINE real opt_ls_tolerance() const { return ((const real*)(arguments->opt_ls_tolerance + wide_product(env, (int)arguments->opt_ls_tolerance_stride)))[0]; }
  INLINE real stat_meaninertia() const { return ((const real*)(arguments->stat_meaninertia + wide_product(env, (int)arguments->stat_meaninertia_stride)))[0]; }
  INLINE real qpos0(int i) const { return ((const real*)(arguments->qpos0 + wide_product(env, (int)arguments->qpos0_stride)))[CHECKED(qpos0, env, i)]; }
  INLINE real qpos_spring(int i) const { return ((const real*)(arguments->qpos_spring + wide_product(env, (int)arguments->qpos_spring_stride)))[CHECKED(qpos_spring, env, i)]; }
  INLINE Vec3 body_pos(int i) const { return ((const Vec3*)(arguments->body_pos + wide_product(env, (int)arguments->body_pos_stride)))[CHECKED(body_pos, env, i)]; }
  INLINE Quat body_quat(int i) const { return ((const Quat*)(arguments->body_quat + wide_product(env, (int)arguments->body_quat_stride)))[CHECKED(body_quat, env, i)]; }
  INLINE Vec3 body_ipos(int i) const { return ((const Vec3*)(arguments->body_ipos + wide_product(env, (int)arguments->body_ipos_stride)))[CHECKED(body_ipos, env, i)]; }
  INLINE Quat body_iquat(int i) const { return ((const Quat*)(arguments->body_iquat + wide_product(env, (int)arguments->body_iquat_stride)))[CHECKED(body_iquat, env, i)]; }
  INLINE real body_mass(int i) const { return ((const real*)(arguments->body_mass + wide_product(env, (int)arguments->body_mass_stride)))[CHECKED(body_mass, env, i)]; }
  INLINE real body_subtreemass(int i) const { return ((const real*)(arguments->body_subtreemass + wide_product(env, (int)arguments->body_subtreemass_stride)))[CHECKED(body_subtreemass, env, i)]; }
  INLINE Vec3 body_inertia(int i) const { return ((const Vec3*)(arguments->body_inertia + wide_product(env, (int)arguments->body_inertia_stride)))[CHECKED(body_inertia, env, i)]; }
  INLINE Vec2 body_invweight0(int i) const { return ((const Vec2*)(arguments->body_invweight0 + wide_product(env, (int)arguments->body_invweight0_stride)))[CHECKED(body_invweight0, env, i)]; }
  INLINE real body_gravcomp(int i) const { return ((const real*)(arguments->body_gravcomp + wide_product(env, (int)arguments->body_gravcomp_stride)))[CHECKED(body_gravcomp, env, i)]; }
  INLINE Vec3 jnt_pos(int i) const { return ((const Vec3*)(arguments->jnt_pos + wide_product(env, (int)arguments->jnt_pos_stride)))[CHECKED(jnt_pos, env, i)]; }
  INLINE Vec3 jnt_axis(int i) const { return ((const Vec3*)(arguments->jnt_axis + wide_product(env, (int)arguments->jnt_axis_stride)))[CHECKED(jnt_axis, env, i)]; }
  INLINE real jnt_stiffness(int i) const { return ((const real*)(arguments->jnt_stiffness + wide_product(env, (int)arguments->jnt_stiffness_stride)))[CHECKED(jnt_stiffness, env, i)]; }
  INLINE Vec2 jnt_range(int i) const { return ((const Vec2*)(arguments->jnt_range + wide_product(env, (int)arguments->jnt_range_stride)))[CHECKED(jnt_range, env, i)]; }
  INLINE Vec2 jnt_actfrcrange(int i) const { return ((const Vec2*)(arguments->jnt_actfrcrange + wide_product(env, (int)arguments->jnt_actfrcrange_stride)))[CHECKED(jnt_actfrcrange, env, i)]; }
  INLINE real jnt_margin(int i) const { return ((const real*)(arguments->jnt_margin + wide_product(env, (int)arguments->jnt_margin_stride)))[CHECKED(jnt_margin, env, i)]; }
  INLINE Vec2 jnt_solref(int i) const { return ((const Vec2*)(arguments->jnt_solref + wide_product(env, (int)arguments->jnt_solref_stride)))[CHECKED(jnt_solref, env, i)]; }
  INLINE Vec5 jnt_solimp(int i) const { return ((const Vec5*)(arguments->jnt_solimp + wide_product(env, (int)arguments->jnt_solimp_stride)))[CHECKED(jnt_solimp, env, i)]; }
  INLINE real dof_armature(int i) const { return ((const real*)(arguments->dof_armature + wide_product(env, (int)arguments->dof_armature_stride)))[CHECKED(dof_armature, env, i)]; }
  INLINE real dof_damping(int i) const { return ((const real*)(arguments->dof_damping + wide_product(env, (int)arguments->dof_damping_stride)))[CHECKED(dof_damping, env, i)]; }
  INLINE real dof_frictionloss(int i) const { return ((const real*)(arguments->dof_frictionloss + wide_product(env, (int)arguments->dof_frictionloss_stride)))[CHECKED(dof_frictionloss, env, i)]; }
  INLINE real dof_invweight0(int i) const { return ((const real*)(arguments->dof_invweight0 + wide_product(env, (int)arguments->dof_invweight0_stride)))[CHECKED(dof_invweight0, env, i)]; }
  INLINE Vec2 dof_solref(int i) const { return ((const Vec2*)(arguments->dof_solref + wide_product(env, (int)arguments->dof_solref_stride)))[CHECKED(dof_solref, env, i)]; }
  INLINE Vec5 dof_solimp(int i) const { return ((const Vec5*)(arguments->dof_solimp + wide_product(env, (int)arguments->dof_solimp_stride)))[CHECKED(dof_solimp, env, i)]; }
  INLINE Vec3 geom_size(int i) const { return ((const Vec3*)(arguments->geom_size + wide_product(env, (int)arguments->geom_size_stride)))[CHECKED(geom_size, env, i)]; }
  INLINE real geom_rbound(int i) const { return ((const real*)(arguments->geom_rbound + wide_product(env, (int)arguments->geom_rbound_stride)))[CHECKED(geom_rbound, env, i)]; }
  INLINE Vec3 geom_pos(int i) const { return ((const Vec3*)(arguments->geom_pos + wide_product(env, (int)arguments->geom_pos_stride)))[CHECKED(geom_pos, env, i)]; }
  INLINE Quat geom_quat(int i) const { return ((const Quat*)(arguments->geom_quat + wide_product(env, (int)arguments->geom_quat_stride)))[CHECKED(geom_quat, env, i)]; }
  INLINE Vec3 geom_friction(int i) const { return ((const Vec3*)(arguments->geom_friction + wide_product(env, (int)arguments->geom_friction_stride)))[CHECKED(geom_friction, env, i)]; }
  INLINE real geom_margin(int i) const { return ((const real*)(arguments->geom_margin + wide_product(env, (int)arguments->geom_margin_stride)))[CHECKED(geom_margin, env, i)]; }
  INLINE real geom_gap(int i) const { return ((const real*)(arguments->geom_gap + wide_product(env, (int)arguments->geom_gap_stride)))[CHECKED(geom_gap, env, i)]; }
  INLINE real geom_solmix(int i) const { return ((const real*)(arguments->geom_solmix + wide_product(env, (int)arguments->geom_solmix_stride)))[CHECKED(geom_solmix, env, i)]; }
  INLINE Vec2 geom_solref(int i) const { return ((const Vec2*)(arguments->geom_solref + wide_product(env, (int)arguments->geom_solref_stride)))[CHECKED(geom_solref, env, i)]; }
  INLINE Vec5 geom_solimp(int i) const { return ((const Vec5*)(arguments->geom_solimp + wide_product(env, (int)arguments->geom_solimp_stride)))[CHECKED(geom_solimp, env, i)]; }
  INLINE Vec3 site_pos(int i) const { return ((const Vec3*)(arguments->site_pos + wide_product(env, (int)arguments->site_pos_stride)))[CHECKED(site_pos, env, i)]; }
  INLINE Quat site_quat(int i) const { return ((const Quat*)(arguments->site_quat + wide_product(env, (int)arguments->site_quat_stride)))[CHECKED(site_quat, env, i)]; }
  INLINE Vec5 pair_friction(int i) const { return ((const Vec5*)(arguments->pair_friction + wide_product(env, (int)arguments->pair_friction_stride)))[CHECKED(pair_friction, env, i)]; }
  INLINE Vec2 pair_solref(int i) const { return ((const Vec2*)(arguments->pair_solref + wide_product(env, (int)arguments->pair_solref_stride)))[CHECKED(pair_solref, env, i)]; }
  INLINE Vec5 pair_solimp(int i) const { return ((const Vec5*)(arguments->pair_solimp + wide_product(env, (int)arguments->pair_solimp_stride)))[CHECKED(pair_solimp, env, i)]; }
  INLINE real pair_margin(int i) const { return ((const real*)(arguments->pair_margin + wide_product(env, (int)arguments->pair_margin_stride)))[CHECKED(pair_margin, env, i)]; }
  INLINE real pair_gap(int i) const { return ((const real*)(arguments->pair_gap + wide_product(env, (int)arguments->pair_gap_stride)))[CHECKED(pair_gap, env, i)]; }
  INLINE Vec2 actuator_ctrlrange(int i) const { return ((const Vec2*)(arguments->actuator_ctrlrange + wide_product(env, (int)arguments->actuator_ctrlrange_stride)))[CHECKED(actuator_ctrlrange, env, i)]; }
  INLINE Vec2 actuator_forcerange(int i) const { return ((const Vec2*)(arguments->actuator_forcerange + wide_product(env, (int)arguments->actuator_forcerange_stride)))[CHECKED(actuator_forcerange, env, i)]; }
  INLINE SpatialMotion actuator_gear(int i) const { return ((const SpatialMotion*)(arguments->actuator_gear + wide_product(env, (int)arguments->actuator_gear_stride)))[CHECKED(actuator_gear, env, i)]; }
  INLINE Vec3 actuator_gainprm(int i) const { return ((const Vec3*)(arguments->actuator_gainprm + wide_product(env, (int)arguments->actuator_gainprm_stride)))[CHECKED(actuator_gainprm, env, i)]; }
  INLINE Vec3 actuator_biasprm(int i) const { return ((const Vec3*)(arguments->actuator_biasprm + wide_product(env, (int)arguments->actuator_biasprm_stride)))[CHECKED(actuator_biasprm, env, i)]; }
};

/// One environment's workspace and the team's own counts.
struct Env : EnvState {
  const Arguments* arguments;
  int first_shared;
  real* global;
  real* base;
  INLINE real& qpos(int i) const { return arguments->qpos[this->index * arguments->nq + CHECKED(qpos, index, i)]; }
  INLINE real& qvel(int i) const { return arguments->qvel[this->index * arguments->nv + CHECKED(qvel, index, i)]; }
  INLINE real& act(int i) const { return arguments->act[this->index * arguments->na + CHECKED(act, index, i)]; }
  INLINE real& qacc_warmstart(int i) const { return arguments->qacc_warmstart[this->index * arguments->nv + CHECKED(qacc_warmstart, index, i)]; }
  INLINE Vec3& mocap_pos(int i) const { return ((Vec3*)arguments->mocap_pos)[this->index * arguments->nmocap + CHECKED(mocap_pos, index, i)]; }
  INLINE Quat& mocap_quat(int i) const { return ((Quat*)arguments->mocap_quat)[this->index * arguments->nmocap + CHECKED(mocap_quat, index, i)]; }
  INLINE const real& ctrl(int i) const { return arguments->ctrl[this->index * arguments->nu + CHECKED(ctrl, index, i)]; }
  INLINE const real& qfrc_applied(int i) const { return arguments->qfrc_applied[this->index * arguments->nv + CHECKED(qfrc_applied, index, i)]; }
  INLINE const real& xfrc_applied(int i) const { return arguments->xfrc_applied[this->index * (arguments->nbody * 6) + CHECKED(xfrc_applied, index, i)]; }
  INLINE Vec3& xpos(int i) const { return ((Vec3*)arguments->xpos)[this->index * arguments->nbody + CHECKED(xpos, index, i)]; }
  INLINE Quat& xquat(int i) const { return ((Quat*)arguments->xquat)[this->index * arguments->nbody + CHECKED(xquat, index, i)]; }
  INLINE Vec3& xipos(int i) const { return ((Vec3*)arguments->xipos)[this->index * arguments->nbody + CHECKED(xipos, index, i)]; }
  INLINE Vec3& geom_xpos(int i) const { return ((Vec3*)arguments->geom_xpos)[this->index * arguments->ngeom + CHECKED(geom_xpos, index, i)]; }
  INLINE Mat3& geom_xmat(int i) const { return ((Mat3*)arguments->geom_xmat)[this->index * arguments->ngeom + CHECKED(geom_xmat, index, i)]; }
  INLINE Vec3& site_xpos(int i) const { return ((Vec3*)arguments->site_xpos)[this->index * arguments->nsite + CHECKED(site_xpos, index, i)]; }
  INLINE Mat3& site_xmat(int i) const { return ((Mat3*)arguments->site_xmat)[this->index * arguments->nsite + CHECKED(site_xmat, index, i)]; }
  INLINE Vec3& subtree_com(int i) const { return ((Vec3*)arguments->subtree_com)[this->index * arguments->nbody + CHECKED(subtree_com, index, i)]; }
  INLINE SpatialMotion& cvel(int i) const { return ((SpatialMotion*)arguments->cvel)[this->index * arguments->nbody + CHECKED(cvel, index, i)]; }
  INLINE real& qacc(int i) const { return arguments->qacc[this->index * arguments->nv + CHECKED(qacc, index, i)]; }
  INLINE real& qacc_smooth(int i) const { return arguments->qacc_smooth[this->index * arguments->nv + CHECKED(qacc_smooth, index, i)]; }
  INLINE real& qfrc_bias(int i) const { return arguments->qfrc_bias[this->index * arguments->nv + CHECKED(qfrc_bias, index, i)]; }
  INLINE real& qfrc_passive(int i) const { return arguments->qfrc_passive[this->index * arguments->nv + CHECKED(qfrc_passive, index, i)]; }
  INLINE real& qfrc_actuator(int i) const { return arguments->qfrc_actuator[this->index * arguments->nv + CHECKED(qfrc_actuator, index, i)]; }
  INLINE real& qfrc_constraint(int i) const { return arguments->qfrc_constraint[this->index * arguments->nv + CHECKED(qfrc_constraint, index, i)]; }
  INLINE real& actuator_force(int i) const { return arguments->actuator_force[this->index * arguments->nu + CHECKED(actuator_force, index, i)]; }
  INLINE real& q(int i) const { return (base + (int)arguments->q_offset)[CHECKED(q, index, i)]; }
  INLINE real& v(int i) const { return (base + (int)arguments->v_offset)[CHECKED(v, index, i)]; }
  INLINE real& warmstart(int i) const { return (base + (int)arguments->warmstart_offset)[CHECKED(warmstart, index, i)]; }
  INLINE Vec3& body_position(int i) const { return *(Vec3*)((base + (int)arguments->body_position_offset) + 3 * CHECKED(body_position, index, i)); }
  INLINE Quat& body_orientation(int i) const { return *(Quat*)((base + (int)arguments->body_orientation_offset) + 4 * CHECKED(body_orientation, index, i)); }
  INLINE Quat& joint_turn(int i) const { return *(Quat*)((base + (int)arguments->joint_turn_offset) + 4 * CHECKED(joint_turn, index, i)); }
  INLINE Vec3& joint_anchor(int i) const { return *(Vec3*)((base + (int)arguments->joint_anchor_offset) + 3 * CHECKED(joint_anchor, index, i)); }
  INLINE Vec3& joint_axis(int i) const { return *(Vec3*)((base + (int)arguments->joint_axis_offset) + 3 * CHECKED(joint_axis, index, i)); }
  INLINE Vec3& tree_com(int i) const { return *(Vec3*)((base + (int)arguments->tree_com_offset) + 3 * CHECKED(tree_com, index, i)); }
  INLINE SpatialInertia& cinert(int i) const { return *(SpatialInertia*)((base + (int)arguments->cinert_offset) + 10 * CHECKED(cinert, index, i)); }
  INLINE SpatialMotion& cdof(int i) const { return *(SpatialMotion*)((base + (int)arguments->cdof_offset) + 6 * CHECKED(cdof, index, i)); }
  INLINE Vec3& geom_position(int i) const { return *(Vec3*)((base + (int)arguments->geom_position_offset) + 3 * CHECKED(geom_position, index, i)); }
  INLINE Quat& geom_orientation(int i) const { return *(Quat*)((base + (int)arguments->geom_orientation_offset) + 4 * CHECKED(geom_orientation, index, i)); }
  INLINE real& geom_reach(int i) const { return (base + (int)arguments->geom_reach_offset)[CHECKED(geom_reach, index, i)]; }
  INLINE int& candidate(int i) const { return *(int*)((base + (int)arguments->candidate_offset) + CHECKED(candidate, index, i)); }
  INLINE real& con_dist(int i) const { return (base + (int)arguments->con_dist_offset)[CHECKED(con_dist, index, i)]; }
  INLINE Vec3& con_pos(int i) const { return *(Vec3*)((base + (int)arguments->con_pos_offset) + 3 * CHECKED(con_pos, index, i)); }
  INLINE Mat3& con_frame(int i) const { return *(Mat3*)((base + (int)arguments->con_frame_offset) + 9 * CHECKED(con_frame, index, i)); }
  INLINE int& con_pair(int i) const { return *(int*)((base + (int)arguments->con_pair_offset) + CHECKED(con_pair, index, i)); }
  INLINE SpatialInertia& crb(int i) const { return *(SpatialInertia*)((base + (int)arguments->crb_offset) + 10 * CHECKED(crb, index, i)); }
  INLINE real& M(int i) const { return (base + (int)arguments->M_offset)[CHECKED(M, index, i)]; }
  INLINE real& L(int i) const { return (base + (int)arguments->L_offset)[CHECKED(L, index, i)]; }
  INLINE SpatialMotion& body_velocity(int i) const { return *(SpatialMotion*)((base + (int)arguments->body_velocity_offset) + 6 * CHECKED(body_velocity, index, i)); }
  INLINE SpatialMotion& cdof_dot(int i) const { return *(SpatialMotion*)((base + (int)arguments->cdof_dot_offset) + 6 * CHECKED(cdof_dot, index, i)); }
  INLINE SpatialForce& body_wrench(int i) const { return *(SpatialForce*)((base + (int)arguments->body_wrench_offset) + 6 * CHECKED(body_wrench, index, i)); }
  INLINE SpatialForce& fluid_slope(int i) const { return *(SpatialForce*)((base + (int)arguments->fluid_slope_offset) + 6 * CHECKED(fluid_slope, index, i)); }
  INLINE real& fluid_damping(int i) const { return (base + (int)arguments->fluid_damping_offset)[CHECKED(fluid_damping, index, i)]; }
  INLINE real& force_gravcomp(int i) const { return (base + (int)arguments->force_gravcomp_offset)[CHECKED(force_gravcomp, index, i)]; }
  INLINE real& force_passive(int i) const { return (base + (int)arguments->force_passive_offset)[CHECKED(force_passive, index, i)]; }
  INLINE real& force_actuator(int i) const { return (base + (int)arguments->force_actuator_offset)[CHECKED(force_actuator, index, i)]; }
  INLINE real& actuation_force(int i) const { return (base + (int)arguments->actuation_force_offset)[CHECKED(actuation_force, index, i)]; }
  INLINE real& actuation_slope(int i) const { return (base + (int)arguments->actuation_slope_offset)[CHECKED(actuation_slope, index, i)]; }
  INLINE SpatialMotion& body_acceleration(int i) const { return *(SpatialMotion*)((base + (int)arguments->body_acceleration_offset) + 6 * CHECKED(body_acceleration, index, i)); }
  INLINE SpatialForce& body_force(int i) const { return *(SpatialForce*)((base + (int)arguments->body_force_offset) + 6 * CHECKED(body_force, index, i)); }
  INLINE real& force_bias(int i) const { return (base + (int)arguments->force_bias_offset)[CHECKED(force_bias, index, i)]; }
  INLINE real& force_smooth(int i) const { return (base + (int)arguments->force_smooth_offset)[CHECKED(force_smooth, index, i)]; }
  INLINE real& acc_smooth(int i) const { return (base + (int)arguments->acc_smooth_offset)[CHECKED(acc_smooth, index, i)]; }
  INLINE int& row_dof(int i) const { return *(int*)((base + (int)arguments->row_dof_offset) + CHECKED(row_dof, index, i)); }
  INLINE int& row_type(int i) const { return *(int*)((base + (int)arguments->row_type_offset) + CHECKED(row_type, index, i)); }
  INLINE real& row_sign(int i) const { return (base + (int)arguments->row_sign_offset)[CHECKED(row_sign, index, i)]; }
  INLINE Vec3& row_axis(int i) const { return *(Vec3*)((base + (int)arguments->row_axis_offset) + 3 * CHECKED(row_axis, index, i)); }
  INLINE real& row_pos(int i) const { return (base + (int)arguments->row_pos_offset)[CHECKED(row_pos, index, i)]; }
  INLINE real& row_D(int i) const { return (base + (int)arguments->row_D_offset)[CHECKED(row_D, index, i)]; }
  INLINE real& row_floss(int i) const { return (base + (int)arguments->row_floss_offset)[CHECKED(row_floss, index, i)]; }
  INLINE real& row_jar(int i) const { return (base + (int)arguments->row_jar_offset)[CHECKED(row_jar, index, i)]; }
  INLINE real& row_jv(int i) const { return (base + (int)arguments->row_jv_offset)[CHECKED(row_jv, index, i)]; }
  INLINE int& con_dim(int i) const { return *(int*)((base + (int)arguments->con_dim_offset) + CHECKED(con_dim, index, i)); }
  INLINE Vec2& con_mu(int i) const { return *(Vec2*)((base + (int)arguments->con_mu_offset) + 2 * CHECKED(con_mu, index, i)); }
  INLINE real& con_D(int i) const { return (base + (int)arguments->con_D_offset)[CHECKED(con_D, index, i)]; }
  INLINE Vec3& con_jar(int i) const { return *(Vec3*)((base + (int)arguments->con_jar_offset) + 3 * CHECKED(con_jar, index, i)); }
  INLINE Vec3& con_jv(int i) const { return *(Vec3*)((base + (int)arguments->con_jv_offset) + 3 * CHECKED(con_jv, index, i)); }
  INLINE ContactForce& con_force(int i) const { return *(ContactForce*)((base + (int)arguments->con_force_offset) + 8 * CHECKED(con_force, index, i)); }
  INLINE int& con_chain(int i) const { return *(int*)((base + (int)arguments->con_chain_offset) + CHECKED(con_chain, index, i)); }
  INLINE int& con_adr(int i) const { return *(int*)((base + (int)arguments->con_adr_offset) + CHECKED(con_adr, index, i)); }
  INLINE int& con_num(int i) const { return *(int*)((base + (int)arguments->con_num_offset) + CHECKED(con_num, index, i)); }
  INLINE JacobianEntry& con_J(int i) const { return *(JacobianEntry*)((base + (int)arguments->con_J_offset) + 4 * CHECKED(con_J, index, i)); }
  INLINE real& acc(int i) const { return (base + (int)arguments->acc_offset)[CHECKED(acc, index, i)]; }
  INLINE real& Ma(int i) const { return (base + (int)arguments->Ma_offset)[CHECKED(Ma, index, i)]; }
  INLINE real& Mv(int i) const { return (base + (int)arguments->Mv_offset)[CHECKED(Mv, index, i)]; }
  INLINE real& grad(int i) const { return (base + (int)arguments->grad_offset)[CHECKED(grad, index, i)]; }
  INLINE real& search(int i) const { return (base + (int)arguments->search_offset)[CHECKED(search, index, i)]; }
  INLINE real& force_constraint(int i) const { return (base + (int)arguments->force_constraint_offset)[CHECKED(force_constraint, index, i)]; }
  INLINE real& H(int i) const { return (base + (int)arguments->H_offset)[CHECKED(H, index, i)]; }
  INLINE real& tree_L(int i) const { return (base + (int)arguments->tree_L_offset)[CHECKED(tree_L, index, i)]; }
  INLINE real& pivot_row(int i) const { return (base + (int)arguments->pivot_row_offset)[CHECKED(pivot_row, index, i)]; }
  INLINE int& factor_mask(int i) const { return *(int*)((base + (int)arguments->factor_mask_offset) + CHECKED(factor_mask, index, i)); }
  INLINE int& factor_body(int i) const { return *(int*)((base + (int)arguments->factor_body_offset) + CHECKED(factor_body, index, i)); }
  INLINE int& factor_degree(int i) const { return *(int*)((base + (int)arguments->factor_degree_offset) + CHECKED(factor_degree, index, i)); }
  INLINE int& factor_place(int i) const { return *(int*)((base + (int)arguments->factor_place_offset) + CHECKED(factor_place, index, i)); }
  INLINE int& factor_dof(int i) const { return *(int*)((base + (int)arguments->factor_dof_offset) + CHECKED(factor_dof, index, i)); }
  INLINE int& factor_adr(int i) const { return *(int*)((base + (int)arguments->factor_adr_offset) + CHECKED(factor_adr, index, i)); }
  INLINE int& factor_end(int i) const { return *(int*)((base + (int)arguments->factor_end_offset) + CHECKED(factor_end, index, i)); }
  INLINE int& factor_list(int i) const { return *(int*)((base + (int)arguments->factor_list_offset) + CHECKED(factor_list, index, i)); }
  INLINE real& step_acc(int i) const { return (base + (int)arguments->step_acc_offset)[CHECKED(step_acc, index, i)]; }
  INLINE real& implicit_L(int i) const { return (base + (int)arguments->implicit_L_offset)[CHECKED(implicit_L, index, i)]; }
  INLINE real& rk_q(int i) const { return (base + (int)arguments->rk_q_offset)[CHECKED(rk_q, index, i)]; }
  INLINE real& rk_v(int i) const { return (base + (int)arguments->rk_v_offset)[CHECKED(rk_v, index, i)]; }
  INLINE real& rk_warmstart(int i) const { return (base + (int)arguments->rk_warmstart_offset)[CHECKED(rk_warmstart, index, i)]; }
  INLINE real& rk_increment(int i) const { return (base + (int)arguments->rk_increment_offset)[CHECKED(rk_increment, index, i)]; }
  INLINE real& rk_velocity_sum(int i) const { return (base + (int)arguments->rk_velocity_sum_offset)[CHECKED(rk_velocity_sum, index, i)]; }
  INLINE real& rk_acc_sum(int i) const { return (base + (int)arguments->rk_acc_sum_offset)[CHECKED(rk_acc_sum, index, i)]; }
};
