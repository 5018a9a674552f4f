//! The rows of the field table.
use super::Dim::{Contacts, Fixed, JacobianEntries, Of};
use super::Element::*;
use super::Owner::{Input, Model, Output, State, Topology, Work};
use super::Size::*;
use super::{Dim, Element, Field, Owner};

/// The stages of one step, in the order in which they run. A stage has one name everywhere.
pub const STAGES: &[&str] = &[
    "load",
    "forward_kinematics",
    "center_of_mass",
    "mass_matrix",
    "velocities",
    "passive_forces",
    "actuation",
    "bias_forces",
    "smooth_forces",
    "find_pairs",
    "find_contacts",
    "build_constraints",
    "solve_constraints",
    "integrate",
    "commit",
];

const LOAD: usize = 0;
const KINEMATICS: usize = 1;
const COM: usize = 2;
const MASS: usize = 3;
const VELOCITIES: usize = 4;
const PASSIVE: usize = 5;
const ACTUATION: usize = 6;
const BIAS: usize = 7;
const SMOOTH: usize = 8;
const PAIRS: usize = 9;
const CONTACTS: usize = 10;
const BUILD: usize = 11;
const SOLVE: usize = 12;
const INTEGRATE: usize = 13;
const COMMIT: usize = 14;

const fn f(
    name: &'static str,
    element: Element,
    dims: &'static [Dim],
    unit: &'static str,
    owner: Owner,
    meaning: &'static str,
) -> Field {
    Field { name, element, dims, unit, owner, meaning }
}

const fn work(first: usize, last: usize) -> Owner {
    Work { first, last }
}

/// Every field, grouped by owner.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    // Topology: bodies.
    f("body_parentid", Int, &[Of(Nbody)], "", Topology, "the body's parent"),
    f("body_rootid", Int, &[Of(Nbody)], "", Topology, "the body's ancestor under the world"),
    f("body_jntnum", Int, &[Of(Nbody)], "", Topology, "number of joints"),
    f("body_jntadr", Int, &[Of(Nbody)], "", Topology, "first joint, or -1"),
    f("body_dofnum", Int, &[Of(Nbody)], "", Topology, "number of dofs"),
    f("body_dofadr", Int, &[Of(Nbody)], "", Topology, "first dof, or -1"),
    f("body_mocapid", Int, &[Of(Nbody)], "", Topology, "motion-capture index, or -1"),
    f("body_lastdof", Int, &[Of(Nbody)], "", Topology, "last dof that moves the body, or -1"),
    f("body_childadr", Int, &[Of(Nbody)], "", Topology, "first entry in child_body"),
    f("body_childnum", Int, &[Of(Nbody)], "", Topology, "number of children"),
    f("child_body", Int, &[Of(ChildCount)], "", Topology, "children, grouped by parent"),
    f("level_adr", Int, &[Of(LevelAdrCount)], "", Topology, "first entry of each level in level_body"),
    f("level_body", Int, &[Of(Nbody)], "", Topology, "bodies by depth in the tree"),
    f("body_subtree_end", Int, &[Of(Nbody)], "", Topology, "one past the last body of the subtree"),
    f("body_simple", Int, &[Of(Nbody)], "", Topology, "MuJoCo's body_simple"),
    f("body_freeblock", Int, &[Of(Nbody)], "", Topology, "1 for a free body without jointed descendants"),
    // Topology: joints and dofs.
    f("jnt_type", Int, &[Of(Njnt)], "", Topology, "0 free, 1 ball, 2 slide, 3 hinge"),
    f("jnt_qposadr", Int, &[Of(Njnt)], "", Topology, "first entry in qpos"),
    f("jnt_dofadr", Int, &[Of(Njnt)], "", Topology, "first dof"),
    f("jnt_limited", Int, &[Of(Njnt)], "", Topology, "1 if the joint has a range"),
    f("jnt_actfrclimited", Int, &[Of(Njnt)], "", Topology, "1 if the actuators' force on the joint is limited"),
    f("jnt_actgravcomp", Int, &[Of(Njnt)], "", Topology, "1 if gravity compensation goes through the actuators"),
    f("dof_bodyid", Int, &[Of(Nv)], "", Topology, "the dof's body"),
    f("dof_jntid", Int, &[Of(Nv)], "", Topology, "the dof's joint"),
    f("dof_parentid", Int, &[Of(Nv)], "", Topology, "the dof above, or -1"),
    f("dof_depth", Int, &[Of(Nv)], "", Topology, "number of dofs above"),
    f("dof_Madr", Int, &[Of(Nv)], "", Topology, "first entry of the dof's row in M: itself, its parent, ..."),
    f("dof_subtree_end", Int, &[Of(Nv)], "", Topology, "one past the last dof below"),
    f("dof_treeid", Int, &[Of(Nv)], "", Topology, "the dof's kinematic tree"),
    f("tree_dofadr", Int, &[Of(Ntree)], "", Topology, "first dof of each tree"),
    f("tree_dofnum", Int, &[Of(Ntree)], "", Topology, "number of dofs of each tree"),
    // Topology: geoms, sites, pairs.
    f("geom_type", Int, &[Of(Ngeom)], "", Topology, "MuJoCo's mjtGeom"),
    f("geom_bodyid", Int, &[Of(Ngeom)], "", Topology, "the geom's body"),
    f("geom_condim", Int, &[Of(Ngeom)], "", Topology, "contact dimension"),
    f("geom_priority", Int, &[Of(Ngeom)], "", Topology, "contact priority"),
    f("site_bodyid", Int, &[Of(Nsite)], "", Topology, "the site's body"),
    f("pair_dim", Int, &[Of(Npair)], "", Topology, "contact dimension of a named pair"),
    f("collision_geom1", Int, &[Of(CollisionCount)], "", Topology, "first geom, the lower type"),
    f("collision_geom2", Int, &[Of(CollisionCount)], "", Topology, "second geom"),
    f("collision_pairid", Int, &[Of(CollisionCount)], "", Topology, "named pair, or -1"),
    f("collision_typeadr", Int, &[Of(CollisionTypeAdrCount)], "", Topology, "first pair of each pair type"),
    // Topology: actuators.
    f("actuator_trnid", Int, &[Of(Nu)], "", Topology, "the joint that the actuator drives"),
    f("actuator_trntype", Int, &[Of(Nu)], "", Topology, "0 joint, 1 joint in the parent's frame"),
    f("actuator_gaintype", Int, &[Of(Nu)], "", Topology, "0 fixed, 1 affine"),
    f("actuator_biastype", Int, &[Of(Nu)], "", Topology, "0 none, 1 affine"),
    f("actuator_disabled", Int, &[Of(Nu)], "", Topology, "1 if the options disable the actuator's group"),
    f("dof_actuatoradr", Int, &[Of(Nv)], "", Topology, "first entry in actuator_list"),
    f("dof_actuatornum", Int, &[Of(Nv)], "", Topology, "number of actuators that drive the dof"),
    f("actuator_list", Int, &[Of(DofActuatorCount)], "", Topology, "actuators, grouped by dof"),
    f("actuator_ctrllimited", Int, &[Of(Nu)], "", Topology, "1 if ctrl is clamped"),
    f("actuator_forcelimited", Int, &[Of(Nu)], "", Topology, "1 if the force is clamped"),
    // Model values: options.
    f("opt_timestep", Real, &[Fixed(1)], "s", Model, "time step"),
    f("opt_gravity", Vec3, &[Fixed(1)], "m/s2", Model, "gravity"),
    f("opt_wind", Vec3, &[Fixed(1)], "m/s", Model, "velocity of the medium"),
    f("opt_density", Real, &[Fixed(1)], "kg/m3", Model, "density of the medium"),
    f("opt_viscosity", Real, &[Fixed(1)], "Pa s", Model, "viscosity of the medium"),
    f("opt_impratio", Real, &[Fixed(1)], "", Model, "ratio of frictional to normal impedance"),
    f("opt_o_margin", Real, &[Fixed(1)], "m", Model, "margin of all contacts, where the options override them"),
    f("opt_o_solref", Vec2, &[Fixed(1)], "s, 1", Model, "reference of all contacts, where the options override them"),
    f("opt_o_solimp", Vec5, &[Fixed(1)], "", Model, "impedance of all contacts, where the options override them"),
    f("opt_o_friction", Vec5, &[Fixed(1)], "1, 1, m, m, m", Model, "friction of all contacts, where the options override them"),
    f("opt_tolerance", Real, &[Fixed(1)], "", Model, "the solver stops below this scaled improvement"),
    f("opt_ls_tolerance", Real, &[Fixed(1)], "", Model, "the line search stops below this fraction of the slope"),
    f("stat_meaninertia", Real, &[Fixed(1)], "kg", Model, "mean diagonal of the mass matrix at qpos0"),
    // Model values: bodies.
    f("qpos0", Real, &[Of(Nq)], "m | rad", Model, "reference positions"),
    f("qpos_spring", Real, &[Of(Nq)], "m | rad", Model, "positions at which springs rest"),
    f("body_pos", Vec3, &[Of(Nbody)], "m", Model, "position in the parent's frame"),
    f("body_quat", Quat, &[Of(Nbody)], "", Model, "orientation in the parent's frame"),
    f("body_ipos", Vec3, &[Of(Nbody)], "m", Model, "centre of mass in the body's frame"),
    f("body_iquat", Quat, &[Of(Nbody)], "", Model, "orientation of the inertia's principal axes"),
    f("body_mass", Real, &[Of(Nbody)], "kg", Model, "mass"),
    f("body_subtreemass", Real, &[Of(Nbody)], "kg", Model, "mass of the body and all below"),
    f("body_inertia", Vec3, &[Of(Nbody)], "kg m2", Model, "principal moments of inertia"),
    f("body_invweight0", Vec2, &[Of(Nbody)], "1/kg | 1/(kg m2)", Model, "mean inverse inertia at qpos0"),
    f("body_gravcomp", Real, &[Of(Nbody)], "", Model, "fraction of the weight that is cancelled"),
    // Model values: joints and dofs.
    f("jnt_pos", Vec3, &[Of(Njnt)], "m", Model, "anchor in the body's frame"),
    f("jnt_axis", Vec3, &[Of(Njnt)], "", Model, "axis in the body's frame"),
    f("jnt_stiffness", Real, &[Of(Njnt)], "N/m | N m/rad", Model, "spring stiffness"),
    f("jnt_range", Vec2, &[Of(Njnt)], "m | rad", Model, "lower and upper limit"),
    f("jnt_actfrcrange", Vec2, &[Of(Njnt)], "N | N m", Model, "limits of the actuators' force on the joint"),
    f("jnt_margin", Real, &[Of(Njnt)], "m | rad", Model, "distance at which a limit becomes active"),
    f("jnt_solref", Vec2, &[Of(Njnt)], "s, 1", Model, "limit reference"),
    f("jnt_solimp", Vec5, &[Of(Njnt)], "", Model, "limit impedance"),
    f("dof_armature", Real, &[Of(Nv)], "kg | kg m2", Model, "added inertia"),
    f("dof_damping", Real, &[Of(Nv)], "N s/m | N m s/rad", Model, "damping"),
    f("dof_frictionloss", Real, &[Of(Nv)], "N | N m", Model, "dry friction"),
    f("dof_invweight0", Real, &[Of(Nv)], "1/kg | 1/(kg m2)", Model, "inverse inertia at qpos0"),
    f("dof_solref", Vec2, &[Of(Nv)], "s, 1", Model, "friction-loss reference"),
    f("dof_solimp", Vec5, &[Of(Nv)], "", Model, "friction-loss impedance"),
    // Model values: geoms, sites, pairs, actuators.
    f("geom_size", Vec3, &[Of(Ngeom)], "m", Model, "MuJoCo's geom sizes"),
    f("geom_rbound", Real, &[Of(Ngeom)], "m", Model, "radius of the bounding sphere, 0 for a plane"),
    f("geom_pos", Vec3, &[Of(Ngeom)], "m", Model, "position in the body's frame"),
    f("geom_quat", Quat, &[Of(Ngeom)], "", Model, "orientation in the body's frame"),
    f("geom_friction", Vec3, &[Of(Ngeom)], "1, m, m", Model, "sliding, torsional and rolling friction"),
    f("geom_margin", Real, &[Of(Ngeom)], "m", Model, "distance at which contacts are found"),
    f("geom_gap", Real, &[Of(Ngeom)], "m", Model, "distance at which contacts are found but push not yet"),
    f("geom_solmix", Real, &[Of(Ngeom)], "", Model, "weight when parameters are mixed"),
    f("geom_solref", Vec2, &[Of(Ngeom)], "s, 1", Model, "contact reference"),
    f("geom_solimp", Vec5, &[Of(Ngeom)], "", Model, "contact impedance"),
    f("site_pos", Vec3, &[Of(Nsite)], "m", Model, "position in the body's frame"),
    f("site_quat", Quat, &[Of(Nsite)], "", Model, "orientation in the body's frame"),
    f("pair_friction", Vec5, &[Of(Npair)], "1, 1, m, m, m", Model, "friction of a named pair"),
    f("pair_solref", Vec2, &[Of(Npair)], "s, 1", Model, "reference of a named pair"),
    f("pair_solimp", Vec5, &[Of(Npair)], "", Model, "impedance of a named pair"),
    f("pair_margin", Real, &[Of(Npair)], "m", Model, "margin of a named pair"),
    f("pair_gap", Real, &[Of(Npair)], "m", Model, "gap of a named pair"),
    f("actuator_ctrlrange", Vec2, &[Of(Nu)], "", Model, "range of ctrl"),
    f("actuator_forcerange", Vec2, &[Of(Nu)], "N | N m", Model, "range of the actuator's force"),
    f("actuator_gear", SpatialMotion, &[Of(Nu)], "", Model, "gear"),
    f("actuator_gainprm", Vec3, &[Of(Nu)], "", Model, "gain: constant, per length, per velocity"),
    f("actuator_biasprm", Vec3, &[Of(Nu)], "", Model, "bias: constant, per length, per velocity"),
    // State.
    f("qpos", Real, &[Of(Nq)], "m | rad", State, "generalized position"),
    f("qvel", Real, &[Of(Nv)], "m/s | rad/s", State, "generalized velocity"),
    f("act", Real, &[Of(Na)], "", State, "actuator activation"),
    f("qacc_warmstart", Real, &[Of(Nv)], "m/s2 | rad/s2", State, "acceleration that the solver starts from"),
    f("mocap_pos", Vec3, &[Of(Nmocap)], "m", State, "position of motion-capture bodies"),
    f("mocap_quat", Quat, &[Of(Nmocap)], "", State, "orientation of motion-capture bodies"),
    // Inputs.
    f("ctrl", Real, &[Of(Nu)], "", Input, "control"),
    f("qfrc_applied", Real, &[Of(Nv)], "N | N m", Input, "force applied to the dofs"),
    f("xfrc_applied", Real, &[Of(Nbody), Fixed(6)], "N, N m", Input, "force and torque applied at the bodies' centres of mass"),
    // Outputs.
    f("xpos", Vec3, &[Of(Nbody)], "m", Output, "body origin in the world frame"),
    f("xquat", Quat, &[Of(Nbody)], "", Output, "body orientation in the world frame"),
    f("xipos", Vec3, &[Of(Nbody)], "m", Output, "body centre of mass in the world frame"),
    f("geom_xpos", Vec3, &[Of(Ngeom)], "m", Output, "geom position in the world frame"),
    f("geom_xmat", Mat3, &[Of(Ngeom)], "", Output, "geom orientation in the world frame"),
    f("site_xpos", Vec3, &[Of(Nsite)], "m", Output, "site position in the world frame"),
    f("site_xmat", Mat3, &[Of(Nsite)], "", Output, "site orientation in the world frame"),
    f("subtree_com", Vec3, &[Of(Nbody)], "m", Output, "centre of mass of the body and all below"),
    f("cvel", SpatialMotion, &[Of(Nbody)], "rad/s, m/s", Output, "body velocity about the tree's centre of mass"),
    f("qacc", Real, &[Of(Nv)], "m/s2 | rad/s2", Output, "acceleration"),
    f("qacc_smooth", Real, &[Of(Nv)], "m/s2 | rad/s2", Output, "acceleration without constraints"),
    f("qfrc_bias", Real, &[Of(Nv)], "N | N m", Output, "Coriolis, centrifugal and gravity forces"),
    f("qfrc_passive", Real, &[Of(Nv)], "N | N m", Output, "springs, dampers and the medium"),
    f("qfrc_actuator", Real, &[Of(Nv)], "N | N m", Output, "forces of the actuators"),
    f("qfrc_constraint", Real, &[Of(Nv)], "N | N m", Output, "forces of the constraints"),
    f("actuator_force", Real, &[Of(Nu)], "N | N m", Output, "force of each actuator"),
    // Workspace: the state as the stages see it.
    f("q", Real, &[Of(Nq)], "", work(LOAD, COMMIT), "generalized position"),
    f("v", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "generalized velocity"),
    f("warmstart", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "acceleration that the solver starts from, then its result"),
    // Workspace: kinematics.
    f("body_position", Vec3, &[Of(Nbody)], "", work(KINEMATICS, PAIRS), "xpos"),
    f("body_orientation", Quat, &[Of(Nbody)], "", work(KINEMATICS, PAIRS), "xquat"),
    f("joint_turn", Quat, &[Of(Njnt)], "", work(KINEMATICS, KINEMATICS), "how the joint's position turns its body"),
    f("joint_anchor", Vec3, &[Of(Njnt)], "", work(KINEMATICS, COM), "xanchor"),
    f("joint_axis", Vec3, &[Of(Njnt)], "", work(KINEMATICS, COM), "xaxis"),
    f("tree_com", Vec3, &[Of(Nbody)], "", work(COM, BUILD), "subtree_com"),
    f("cinert", SpatialInertia, &[Of(Nbody)], "", work(COM, BIAS), "inertia about the tree's centre of mass"),
    f("cdof", SpatialMotion, &[Of(Nv)], "", work(COM, BUILD), "motion axis about the tree's centre of mass"),
    f("geom_position", Vec3, &[Of(Ngeom)], "", work(PAIRS, CONTACTS), "geom_xpos"),
    f("geom_orientation", Quat, &[Of(Ngeom)], "", work(PAIRS, CONTACTS), "geom_xquat"),
    f("geom_reach", Real, &[Of(Ngeom)], "", work(PAIRS, PAIRS), "radius of the bounding sphere, margin and gap"),
    f("candidate", Int, &[Of(CollisionCount)], "", work(PAIRS, CONTACTS), "pairs that the broad phase kept, in order"),
    // Workspace: contacts.
    f("con_dist", Real, &[Contacts], "", work(CONTACTS, BUILD), "distance, negative inside"),
    f("con_pos", Vec3, &[Contacts], "", work(CONTACTS, BUILD), "contact point"),
    f("con_frame", Mat3, &[Contacts], "", work(CONTACTS, BUILD), "normal and two tangents"),
    f("con_pair", Int, &[Contacts], "", work(CONTACTS, BUILD), "index in the collision table"),
    // Workspace: dynamics.
    f("crb", SpatialInertia, &[Of(Nbody)], "", work(MASS, MASS), "composite inertia"),
    f("M", Real, &[Of(NM)], "", work(MASS, INTEGRATE), "mass matrix, each dof's row from itself to its root"),
    f("L", Real, &[Of(NM)], "", work(SMOOTH, SMOOTH), "factor of the mass matrix, M = L' L"),
    f("body_velocity", SpatialMotion, &[Of(Nbody)], "", work(VELOCITIES, BIAS), "cvel"),
    f("cdof_dot", SpatialMotion, &[Of(Nv)], "", work(VELOCITIES, BIAS), "rate of cdof"),
    f("body_wrench", SpatialForce, &[Of(Nbody)], "", work(PASSIVE, SMOOTH), "torque and force about the tree's centre of mass"),
    f("fluid_slope", SpatialForce, &[Of(FluidBodies)], "", work(PASSIVE, PASSIVE), "minus the derivative of the medium's torque and force by the velocity of the inertia box, in its axes"),
    f("fluid_damping", Real, &[Of(FluidEntries)], "", work(PASSIVE, INTEGRATE), "minus the derivative of the medium's forces by the velocity, in M's order"),
    f("force_gravcomp", Real, &[Of(Nv)], "", work(PASSIVE, ACTUATION), "gravity compensation that the actuators give"),
    f("force_passive", Real, &[Of(Nv)], "", work(PASSIVE, SMOOTH), "qfrc_passive"),
    f("force_actuator", Real, &[Of(Nv)], "", work(ACTUATION, SMOOTH), "qfrc_actuator"),
    f("actuation_force", Real, &[Of(Nu)], "", work(ACTUATION, SMOOTH), "actuator_force"),
    f("actuation_slope", Real, &[Of(Nu)], "", work(ACTUATION, INTEGRATE), "derivative of the actuator's force by its velocity"),
    f("body_acceleration", SpatialMotion, &[Of(Nbody)], "", work(BIAS, BIAS), "cacc without the accelerations of the dofs"),
    f("body_force", SpatialForce, &[Of(Nbody)], "", work(BIAS, BIAS), "force that the parent transmits"),
    f("force_bias", Real, &[Of(Nv)], "", work(BIAS, SMOOTH), "qfrc_bias"),
    f("force_smooth", Real, &[Of(Nv)], "", work(SMOOTH, INTEGRATE), "qfrc_smooth"),
    f("acc_smooth", Real, &[Of(Nv)], "", work(SMOOTH, SMOOTH), "qacc_smooth"),
    // Workspace: constraints.
    f("row_dof", Int, &[Of(RowMax)], "", work(BUILD, SOLVE), "first dof of a friction-loss or limit row"),
    f("row_type", Int, &[Of(RowMax)], "", work(BUILD, SOLVE), "0 friction loss, 1 limit, 2 limit of a ball joint"),
    f("row_sign", Real, &[Of(RowMax)], "", work(BUILD, SOLVE), "the row's Jacobian on its one dof: 1 or -1"),
    f("row_axis", Vec3, &[Of(BallRowMax)], "", work(BUILD, SOLVE), "the Jacobian of a ball joint's limit on its three dofs"),
    f("row_pos", Real, &[Of(RowMax)], "", work(BUILD, BUILD), "distance past the edge where the row pushes"),
    f("row_D", Real, &[Of(RowMax)], "", work(BUILD, SOLVE), "inverse regularizer"),
    f("row_floss", Real, &[Of(FrictionRowMax)], "", work(BUILD, SOLVE), "friction loss"),
    f("row_jar", Real, &[Of(RowMax)], "", work(BUILD, SOLVE), "J a - aref, from a = 0 on"),
    f("row_jv", Real, &[Of(RowMax)], "", work(SOLVE, SOLVE), "J times the search direction"),
    f("con_dim", Int, &[Contacts], "", work(BUILD, SOLVE), "contact dimension: 1 or 3"),
    f("con_mu", Vec2, &[Contacts], "", work(BUILD, SOLVE), "friction in the two tangents"),
    f("con_D", Real, &[Contacts], "", work(BUILD, SOLVE), "inverse regularizer of the contact's rows"),
    f("con_jar", Vec3, &[Contacts], "", work(BUILD, SOLVE), "J a - aref, from a = 0 on: normal, tangents"),
    f("con_jv", Vec3, &[Contacts], "", work(SOLVE, SOLVE), "J times the search direction"),
    f("con_force", ContactForce, &[Contacts], "", work(SOLVE, SOLVE), "force, normal and tangents, and curvature of the cost"),
    f("con_chain", Int, &[Contacts], "", work(BUILD, SOLVE), "dofs of the Jacobian's entries as bits, a word for each 32 that a matrix in registers has"),
    f("con_adr", Int, &[Contacts], "", work(BUILD, SOLVE), "first Jacobian entry"),
    f("con_num", Int, &[Contacts], "", work(BUILD, SOLVE), "number of Jacobian entries"),
    f("con_J", JacobianEntry, &[JacobianEntries], "", work(BUILD, SOLVE), "Jacobian of the contact point's relative motion, by dof, descending"),
    // Workspace: solver.
    f("acc", Real, &[Of(Nv)], "", work(SOLVE, INTEGRATE), "qacc"),
    f("Ma", Real, &[Of(Nv)], "", work(SOLVE, SOLVE), "M acc"),
    f("Mv", Real, &[Of(Nv)], "", work(SOLVE, SOLVE), "M search"),
    f("grad", Real, &[Of(Nv)], "", work(SOLVE, SOLVE), "gradient of the cost"),
    f("search", Real, &[Of(Nv)], "", work(SOLVE, SOLVE), "search direction"),
    f("force_constraint", Real, &[Of(Nv)], "", work(SOLVE, INTEGRATE), "qfrc_constraint"),
    f("H", Real, &[Of(Nlower)], "", work(SOLVE, SOLVE), "Hessian, then its factor, by rows of the lower triangle"),
    f("tree_L", Real, &[Of(TreeLower)], "", work(SOLVE, INTEGRATE), "factor of one tree's block, where trees are factored one by one in registers"),
    f("pivot_row", Real, &[Of(PivotWords)], "", work(SOLVE, INTEGRATE), "two rows of a factor, on their way to all lanes"),
    f("factor_mask", Int, &[Of(PatternWords)], "", work(SOLVE, INTEGRATE), "for each body the bodies in whose columns its rows of a large matrix's factor have entries, as bits"),
    f("factor_body", Int, &[Of(PatternBodies)], "", work(SOLVE, INTEGRATE), "bodies of a large matrix's rows, the one that is eliminated first last"),
    f("factor_degree", Int, &[Of(PatternBodies)], "", work(SOLVE, SOLVE), "neighbours that a body has left while the order is found, or -1"),
    f("factor_place", Int, &[Of(PatternDofs)], "", work(SOLVE, INTEGRATE), "the row of each dof in that order"),
    f("factor_dof", Int, &[Of(PatternDofs)], "", work(SOLVE, INTEGRATE), "the dof of each row"),
    f("factor_adr", Int, &[Of(PatternBodies)], "", work(SOLVE, INTEGRATE), "for each body of the order the first of the listed columns of its rows"),
    f("factor_end", Int, &[Of(PatternBodies)], "", work(SOLVE, INTEGRATE), "one past the last of them"),
    f("factor_list", Int, &[Of(PatternColumns)], "", work(SOLVE, INTEGRATE), "columns of the rows of each body, descending"),
    // Workspace: integration.
    f("step_acc", Real, &[Of(Nv)], "", work(INTEGRATE, INTEGRATE), "acceleration that moves the state"),
    f("implicit_L", Real, &[Of(NM)], "", work(INTEGRATE, INTEGRATE), "factor of the implicit mass matrix"),
    // Workspace: Runge-Kutta stages.
    f("rk_q", Real, &[Of(Nq)], "", work(LOAD, COMMIT), "position at the start of the step"),
    f("rk_v", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "velocity at the start of the step"),
    f("rk_warmstart", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "warm start at the start of the step"),
    f("rk_increment", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "how far the stage lies from the start"),
    f("rk_velocity_sum", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "weighted velocities so far"),
    f("rk_acc_sum", Real, &[Of(Nv)], "", work(LOAD, COMMIT), "weighted accelerations so far"),
];
