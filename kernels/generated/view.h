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
  const int* jnt_bodyid;
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
    pattern_words((int)a.pattern_words),
    friction_row_max((int)a.friction_row_max),
    ball_row_max((int)a.ball_row_max),
    row_max((int)a.row_max),
    opt_integrator((int)a.opt_integrator), opt_disableflags((int)a.opt_disableflags) {}
  INLINE int body_parentid(int i) const { return arguments->body_parentid[i]; }
  INLINE int body_rootid(int i) const { return arguments->body_rootid[i]; }
  INLINE int body_jntnum(int i) const { return arguments->body_jntnum[i]; }
  INLINE int body_jntadr(int i) const { return arguments->body_jntadr[i]; }
  INLINE int body_dofnum(int i) const { return arguments->body_dofnum[i]; }
  INLINE int body_dofadr(int i) const { return arguments->body_dofadr[i]; }
  INLINE int body_mocapid(int i) const { return arguments->body_mocapid[i]; }
  INLINE int body_lastdof(int i) const { return arguments->body_lastdof[i]; }
  INLINE int body_childadr(int i) const { return arguments->body_childadr[i]; }
  INLINE int body_childnum(int i) const { return arguments->body_childnum[i]; }
  INLINE int child_body(int i) const { return arguments->child_body[i]; }
  INLINE int level_adr(int i) const { return arguments->level_adr[i]; }
  INLINE int level_body(int i) const { return arguments->level_body[i]; }
  INLINE int body_subtree_end(int i) const { return arguments->body_subtree_end[i]; }
  INLINE int body_simple(int i) const { return arguments->body_simple[i]; }
  INLINE int body_freeblock(int i) const { return arguments->body_freeblock[i]; }
  INLINE int jnt_type(int i) const { return arguments->jnt_type[i]; }
  INLINE int jnt_qposadr(int i) const { return arguments->jnt_qposadr[i]; }
  INLINE int jnt_dofadr(int i) const { return arguments->jnt_dofadr[i]; }
  INLINE int jnt_bodyid(int i) const { return arguments->jnt_bodyid[i]; }
  INLINE int jnt_limited(int i) const { return arguments->jnt_limited[i]; }
  INLINE int jnt_actfrclimited(int i) const { return arguments->jnt_actfrclimited[i]; }
  INLINE int jnt_actgravcomp(int i) const { return arguments->jnt_actgravcomp[i]; }
  INLINE int dof_bodyid(int i) const { return arguments->dof_bodyid[i]; }
  INLINE int dof_jntid(int i) const { return arguments->dof_jntid[i]; }
  INLINE int dof_parentid(int i) const { return arguments->dof_parentid[i]; }
  INLINE int dof_depth(int i) const { return arguments->dof_depth[i]; }
  INLINE int dof_Madr(int i) const { return arguments->dof_Madr[i]; }
  INLINE int dof_subtree_end(int i) const { return arguments->dof_subtree_end[i]; }
  INLINE int dof_treeid(int i) const { return arguments->dof_treeid[i]; }
  INLINE int tree_dofadr(int i) const { return arguments->tree_dofadr[i]; }
  INLINE int tree_dofnum(int i) const { return arguments->tree_dofnum[i]; }
  INLINE int geom_type(int i) const { return arguments->geom_type[i]; }
  INLINE int geom_bodyid(int i) const { return arguments->geom_bodyid[i]; }
  INLINE int geom_condim(int i) const { return arguments->geom_condim[i]; }
  INLINE int geom_priority(int i) const { return arguments->geom_priority[i]; }
  INLINE int site_bodyid(int i) const { return arguments->site_bodyid[i]; }
  INLINE int pair_dim(int i) const { return arguments->pair_dim[i]; }
  INLINE int collision_geom1(int i) const { return arguments->collision_geom1[i]; }
  INLINE int collision_geom2(int i) const { return arguments->collision_geom2[i]; }
  INLINE int collision_pairid(int i) const { return arguments->collision_pairid[i]; }
  INLINE int collision_typeadr(int i) const { return arguments->collision_typeadr[i]; }
  INLINE int actuator_trnid(int i) const { return arguments->actuator_trnid[i]; }
  INLINE int actuator_trntype(int i) const { return arguments->actuator_trntype[i]; }
  INLINE int actuator_gaintype(int i) const { return arguments->actuator_gaintype[i]; }
  INLINE int actuator_biastype(int i) const { return arguments->actuator_biastype[i]; }
  INLINE int actuator_disabled(int i) const { return arguments->actuator_disabled[i]; }
  INLINE int dof_actuatoradr(int i) const { return arguments->dof_actuatoradr[i]; }
  INLINE int dof_actuatornum(int i) const { return arguments->dof_actuatornum[i]; }
  INLINE int actuator_list(int i) const { return arguments->actuator_list[i]; }
  INLINE int actuator_ctrllimited(int i) const { return arguments->actuator_ctrllimited[i]; }
  INLINE int actuator_forcelimited(int i) const { return arguments->actuator_forcelimited[i]; }
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
  INLINE real qpos0(int i) const { return ((const real*)(arguments->qpos0 + wide_product(env, (int)arguments->qpos0_stride)))[i]; }
  INLINE real qpos_spring(int i) const { return ((const real*)(arguments->qpos_spring + wide_product(env, (int)arguments->qpos_spring_stride)))[i]; }
  INLINE Vec3 body_pos(int i) const { return ((const Vec3*)(arguments->body_pos + wide_product(env, (int)arguments->body_pos_stride)))[i]; }
  INLINE Quat body_quat(int i) const { return ((const Quat*)(arguments->body_quat + wide_product(env, (int)arguments->body_quat_stride)))[i]; }
  INLINE Vec3 body_ipos(int i) const { return ((const Vec3*)(arguments->body_ipos + wide_product(env, (int)arguments->body_ipos_stride)))[i]; }
  INLINE Quat body_iquat(int i) const { return ((const Quat*)(arguments->body_iquat + wide_product(env, (int)arguments->body_iquat_stride)))[i]; }
  INLINE real body_mass(int i) const { return ((const real*)(arguments->body_mass + wide_product(env, (int)arguments->body_mass_stride)))[i]; }
  INLINE real body_subtreemass(int i) const { return ((const real*)(arguments->body_subtreemass + wide_product(env, (int)arguments->body_subtreemass_stride)))[i]; }
  INLINE Vec3 body_inertia(int i) const { return ((const Vec3*)(arguments->body_inertia + wide_product(env, (int)arguments->body_inertia_stride)))[i]; }
  INLINE Vec2 body_invweight0(int i) const { return ((const Vec2*)(arguments->body_invweight0 + wide_product(env, (int)arguments->body_invweight0_stride)))[i]; }
  INLINE real body_gravcomp(int i) const { return ((const real*)(arguments->body_gravcomp + wide_product(env, (int)arguments->body_gravcomp_stride)))[i]; }
  INLINE Vec3 jnt_pos(int i) const { return ((const Vec3*)(arguments->jnt_pos + wide_product(env, (int)arguments->jnt_pos_stride)))[i]; }
  INLINE Vec3 jnt_axis(int i) const { return ((const Vec3*)(arguments->jnt_axis + wide_product(env, (int)arguments->jnt_axis_stride)))[i]; }
  INLINE real jnt_stiffness(int i) const { return ((const real*)(arguments->jnt_stiffness + wide_product(env, (int)arguments->jnt_stiffness_stride)))[i]; }
  INLINE Vec2 jnt_range(int i) const { return ((const Vec2*)(arguments->jnt_range + wide_product(env, (int)arguments->jnt_range_stride)))[i]; }
  INLINE Vec2 jnt_actfrcrange(int i) const { return ((const Vec2*)(arguments->jnt_actfrcrange + wide_product(env, (int)arguments->jnt_actfrcrange_stride)))[i]; }
  INLINE real jnt_margin(int i) const { return ((const real*)(arguments->jnt_margin + wide_product(env, (int)arguments->jnt_margin_stride)))[i]; }
  INLINE Vec2 jnt_solref(int i) const { return ((const Vec2*)(arguments->jnt_solref + wide_product(env, (int)arguments->jnt_solref_stride)))[i]; }
  INLINE Vec5 jnt_solimp(int i) const { return ((const Vec5*)(arguments->jnt_solimp + wide_product(env, (int)arguments->jnt_solimp_stride)))[i]; }
  INLINE real dof_armature(int i) const { return ((const real*)(arguments->dof_armature + wide_product(env, (int)arguments->dof_armature_stride)))[i]; }
  INLINE real dof_damping(int i) const { return ((const real*)(arguments->dof_damping + wide_product(env, (int)arguments->dof_damping_stride)))[i]; }
  INLINE real dof_frictionloss(int i) const { return ((const real*)(arguments->dof_frictionloss + wide_product(env, (int)arguments->dof_frictionloss_stride)))[i]; }
  INLINE real dof_invweight0(int i) const { return ((const real*)(arguments->dof_invweight0 + wide_product(env, (int)arguments->dof_invweight0_stride)))[i]; }
  INLINE Vec2 dof_solref(int i) const { return ((const Vec2*)(arguments->dof_solref + wide_product(env, (int)arguments->dof_solref_stride)))[i]; }
  INLINE Vec5 dof_solimp(int i) const { return ((const Vec5*)(arguments->dof_solimp + wide_product(env, (int)arguments->dof_solimp_stride)))[i]; }
  INLINE Vec3 geom_size(int i) const { return ((const Vec3*)(arguments->geom_size + wide_product(env, (int)arguments->geom_size_stride)))[i]; }
  INLINE real geom_rbound(int i) const { return ((const real*)(arguments->geom_rbound + wide_product(env, (int)arguments->geom_rbound_stride)))[i]; }
  INLINE Vec3 geom_pos(int i) const { return ((const Vec3*)(arguments->geom_pos + wide_product(env, (int)arguments->geom_pos_stride)))[i]; }
  INLINE Quat geom_quat(int i) const { return ((const Quat*)(arguments->geom_quat + wide_product(env, (int)arguments->geom_quat_stride)))[i]; }
  INLINE Vec3 geom_friction(int i) const { return ((const Vec3*)(arguments->geom_friction + wide_product(env, (int)arguments->geom_friction_stride)))[i]; }
  INLINE real geom_margin(int i) const { return ((const real*)(arguments->geom_margin + wide_product(env, (int)arguments->geom_margin_stride)))[i]; }
  INLINE real geom_gap(int i) const { return ((const real*)(arguments->geom_gap + wide_product(env, (int)arguments->geom_gap_stride)))[i]; }
  INLINE real geom_solmix(int i) const { return ((const real*)(arguments->geom_solmix + wide_product(env, (int)arguments->geom_solmix_stride)))[i]; }
  INLINE Vec2 geom_solref(int i) const { return ((const Vec2*)(arguments->geom_solref + wide_product(env, (int)arguments->geom_solref_stride)))[i]; }
  INLINE Vec5 geom_solimp(int i) const { return ((const Vec5*)(arguments->geom_solimp + wide_product(env, (int)arguments->geom_solimp_stride)))[i]; }
  INLINE Vec3 site_pos(int i) const { return ((const Vec3*)(arguments->site_pos + wide_product(env, (int)arguments->site_pos_stride)))[i]; }
  INLINE Quat site_quat(int i) const { return ((const Quat*)(arguments->site_quat + wide_product(env, (int)arguments->site_quat_stride)))[i]; }
  INLINE Vec5 pair_friction(int i) const { return ((const Vec5*)(arguments->pair_friction + wide_product(env, (int)arguments->pair_friction_stride)))[i]; }
  INLINE Vec2 pair_solref(int i) const { return ((const Vec2*)(arguments->pair_solref + wide_product(env, (int)arguments->pair_solref_stride)))[i]; }
  INLINE Vec5 pair_solimp(int i) const { return ((const Vec5*)(arguments->pair_solimp + wide_product(env, (int)arguments->pair_solimp_stride)))[i]; }
  INLINE real pair_margin(int i) const { return ((const real*)(arguments->pair_margin + wide_product(env, (int)arguments->pair_margin_stride)))[i]; }
  INLINE real pair_gap(int i) const { return ((const real*)(arguments->pair_gap + wide_product(env, (int)arguments->pair_gap_stride)))[i]; }
  INLINE Vec2 actuator_ctrlrange(int i) const { return ((const Vec2*)(arguments->actuator_ctrlrange + wide_product(env, (int)arguments->actuator_ctrlrange_stride)))[i]; }
  INLINE Vec2 actuator_forcerange(int i) const { return ((const Vec2*)(arguments->actuator_forcerange + wide_product(env, (int)arguments->actuator_forcerange_stride)))[i]; }
  INLINE SpatialMotion actuator_gear(int i) const { return ((const SpatialMotion*)(arguments->actuator_gear + wide_product(env, (int)arguments->actuator_gear_stride)))[i]; }
  INLINE Vec3 actuator_gainprm(int i) const { return ((const Vec3*)(arguments->actuator_gainprm + wide_product(env, (int)arguments->actuator_gainprm_stride)))[i]; }
  INLINE Vec3 actuator_biasprm(int i) const { return ((const Vec3*)(arguments->actuator_biasprm + wide_product(env, (int)arguments->actuator_biasprm_stride)))[i]; }
};

/// One environment's workspace and the team's own counts.
struct Env : EnvState {
  const Arguments* arguments;
  int first_shared;
  real* global;
  real* base;
  INLINE real& q(int i) const { return (base + (int)arguments->q_offset)[i]; }
  INLINE real& v(int i) const { return (base + (int)arguments->v_offset)[i]; }
  INLINE real& warmstart(int i) const { return (base + (int)arguments->warmstart_offset)[i]; }
  INLINE Vec3& body_position(int i) const { return *(Vec3*)((base + (int)arguments->body_position_offset) + 3 * i); }
  INLINE Quat& body_orientation(int i) const { return *(Quat*)((base + (int)arguments->body_orientation_offset) + 4 * i); }
  INLINE Quat& joint_turn(int i) const { return *(Quat*)((base + (int)arguments->joint_turn_offset) + 4 * i); }
  INLINE Vec3& joint_anchor(int i) const { return *(Vec3*)((base + (int)arguments->joint_anchor_offset) + 3 * i); }
  INLINE Vec3& joint_axis(int i) const { return *(Vec3*)((base + (int)arguments->joint_axis_offset) + 3 * i); }
  INLINE Vec3& tree_com(int i) const { return *(Vec3*)((base + (int)arguments->tree_com_offset) + 3 * i); }
  INLINE SpatialInertia& cinert(int i) const { return *(SpatialInertia*)((base + (int)arguments->cinert_offset) + 10 * i); }
  INLINE SpatialMotion& cdof(int i) const { return *(SpatialMotion*)((base + (int)arguments->cdof_offset) + 6 * i); }
  INLINE Vec3& geom_position(int i) const { return *(Vec3*)((base + (int)arguments->geom_position_offset) + 3 * i); }
  INLINE Quat& geom_orientation(int i) const { return *(Quat*)((base + (int)arguments->geom_orientation_offset) + 4 * i); }
  INLINE real& geom_reach(int i) const { return (base + (int)arguments->geom_reach_offset)[i]; }
  INLINE int& candidate(int i) const { return *(int*)((base + (int)arguments->candidate_offset) + i); }
  INLINE real& con_dist(int i) const { return (base + (int)arguments->con_dist_offset)[i]; }
  INLINE Vec3& con_pos(int i) const { return *(Vec3*)((base + (int)arguments->con_pos_offset) + 3 * i); }
  INLINE Mat3& con_frame(int i) const { return *(Mat3*)((base + (int)arguments->con_frame_offset) + 9 * i); }
  INLINE int& con_pair(int i) const { return *(int*)((base + (int)arguments->con_pair_offset) + i); }
  INLINE SpatialInertia& crb(int i) const { return *(SpatialInertia*)((base + (int)arguments->crb_offset) + 10 * i); }
  INLINE real& M(int i) const { return (base + (int)arguments->M_offset)[i]; }
  INLINE real& L(int i) const { return (base + (int)arguments->L_offset)[i]; }
  INLINE SpatialMotion& body_velocity(int i) const { return *(SpatialMotion*)((base + (int)arguments->body_velocity_offset) + 6 * i); }
  INLINE SpatialMotion& cdof_dot(int i) const { return *(SpatialMotion*)((base + (int)arguments->cdof_dot_offset) + 6 * i); }
  INLINE SpatialForce& body_wrench(int i) const { return *(SpatialForce*)((base + (int)arguments->body_wrench_offset) + 6 * i); }
  INLINE SpatialForce& fluid_slope(int i) const { return *(SpatialForce*)((base + (int)arguments->fluid_slope_offset) + 6 * i); }
  INLINE real& fluid_damping(int i) const { return (base + (int)arguments->fluid_damping_offset)[i]; }
  INLINE real& force_gravcomp(int i) const { return (base + (int)arguments->force_gravcomp_offset)[i]; }
  INLINE real& force_passive(int i) const { return (base + (int)arguments->force_passive_offset)[i]; }
  INLINE real& force_actuator(int i) const { return (base + (int)arguments->force_actuator_offset)[i]; }
  INLINE real& actuation_force(int i) const { return (base + (int)arguments->actuation_force_offset)[i]; }
  INLINE real& actuation_slope(int i) const { return (base + (int)arguments->actuation_slope_offset)[i]; }
  INLINE SpatialMotion& body_acceleration(int i) const { return *(SpatialMotion*)((base + (int)arguments->body_acceleration_offset) + 6 * i); }
  INLINE SpatialForce& body_force(int i) const { return *(SpatialForce*)((base + (int)arguments->body_force_offset) + 6 * i); }
  INLINE real& force_bias(int i) const { return (base + (int)arguments->force_bias_offset)[i]; }
  INLINE real& force_smooth(int i) const { return (base + (int)arguments->force_smooth_offset)[i]; }
  INLINE real& acc_smooth(int i) const { return (base + (int)arguments->acc_smooth_offset)[i]; }
  INLINE int& row_dof(int i) const { return *(int*)((base + (int)arguments->row_dof_offset) + i); }
  INLINE int& row_type(int i) const { return *(int*)((base + (int)arguments->row_type_offset) + i); }
  INLINE real& row_sign(int i) const { return (base + (int)arguments->row_sign_offset)[i]; }
  INLINE Vec3& row_axis(int i) const { return *(Vec3*)((base + (int)arguments->row_axis_offset) + 3 * i); }
  INLINE real& row_pos(int i) const { return (base + (int)arguments->row_pos_offset)[i]; }
  INLINE real& row_D(int i) const { return (base + (int)arguments->row_D_offset)[i]; }
  INLINE real& row_floss(int i) const { return (base + (int)arguments->row_floss_offset)[i]; }
  INLINE real& row_jar(int i) const { return (base + (int)arguments->row_jar_offset)[i]; }
  INLINE real& row_jv(int i) const { return (base + (int)arguments->row_jv_offset)[i]; }
  INLINE int& con_dim(int i) const { return *(int*)((base + (int)arguments->con_dim_offset) + i); }
  INLINE Vec2& con_mu(int i) const { return *(Vec2*)((base + (int)arguments->con_mu_offset) + 2 * i); }
  INLINE real& con_D(int i) const { return (base + (int)arguments->con_D_offset)[i]; }
  INLINE Vec3& con_jar(int i) const { return *(Vec3*)((base + (int)arguments->con_jar_offset) + 3 * i); }
  INLINE Vec3& con_jv(int i) const { return *(Vec3*)((base + (int)arguments->con_jv_offset) + 3 * i); }
  INLINE ContactForce& con_force(int i) const { return *(ContactForce*)((base + (int)arguments->con_force_offset) + 8 * i); }
  INLINE int& con_chain(int i) const { return *(int*)((base + (int)arguments->con_chain_offset) + i); }
  INLINE int& con_adr(int i) const { return *(int*)((base + (int)arguments->con_adr_offset) + i); }
  INLINE int& con_num(int i) const { return *(int*)((base + (int)arguments->con_num_offset) + i); }
  INLINE JacobianEntry& con_J(int i) const { return *(JacobianEntry*)((base + (int)arguments->con_J_offset) + 4 * i); }
  INLINE real& acc(int i) const { return (base + (int)arguments->acc_offset)[i]; }
  INLINE real& Ma(int i) const { return (base + (int)arguments->Ma_offset)[i]; }
  INLINE real& Mv(int i) const { return (base + (int)arguments->Mv_offset)[i]; }
  INLINE real& grad(int i) const { return (base + (int)arguments->grad_offset)[i]; }
  INLINE real& search(int i) const { return (base + (int)arguments->search_offset)[i]; }
  INLINE real& force_constraint(int i) const { return (base + (int)arguments->force_constraint_offset)[i]; }
  INLINE real& H(int i) const { return (base + (int)arguments->H_offset)[i]; }
  INLINE real& tree_L(int i) const { return (base + (int)arguments->tree_L_offset)[i]; }
  INLINE real& pivot_row(int i) const { return (base + (int)arguments->pivot_row_offset)[i]; }
  INLINE int& factor_mask(int i) const { return *(int*)((base + (int)arguments->factor_mask_offset) + i); }
  INLINE int& factor_list(int i) const { return *(int*)((base + (int)arguments->factor_list_offset) + i); }
  INLINE real& step_acc(int i) const { return (base + (int)arguments->step_acc_offset)[i]; }
  INLINE real& implicit_L(int i) const { return (base + (int)arguments->implicit_L_offset)[i]; }
  INLINE real& rk_q(int i) const { return (base + (int)arguments->rk_q_offset)[i]; }
  INLINE real& rk_v(int i) const { return (base + (int)arguments->rk_v_offset)[i]; }
  INLINE real& rk_warmstart(int i) const { return (base + (int)arguments->rk_warmstart_offset)[i]; }
  INLINE real& rk_increment(int i) const { return (base + (int)arguments->rk_increment_offset)[i]; }
  INLINE real& rk_velocity_sum(int i) const { return (base + (int)arguments->rk_velocity_sum_offset)[i]; }
  INLINE real& rk_acc_sum(int i) const { return (base + (int)arguments->rk_acc_sum_offset)[i]; }
};
