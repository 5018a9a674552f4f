//! The compiled model: one table of every array, with MuJoCo's names, widths and index order.

use std::path::{Path, PathBuf};

use crate::array_table::array_table;
use crate::compile::compile;
use crate::load_error::LoadError;
use crate::names::{self, Names};
use crate::options::{Options, Statistic};
use crate::source::Source;

array_table! {
    /// What MuJoCo 4.0.0's compiler makes of an MJCF file, as flat row-major arrays.
    ///
    /// Flags and MuJoCo's enumerations (joint, geom, transmission types and so on) are `i32` with MuJoCo's values.
    /// Lengths are in metres, angles in radians, quaternions in the order w, x, y, z.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Model {
        /// Name of the model, from the file's root element.
        pub name: String,
        /// The file it was loaded from; empty for [`Model::from_xml`].
        pub source: PathBuf,
        /// Options of the simulation.
        pub opt: Options,
        /// Statistics at `qpos0`.
        pub stat: Statistic,
        /// Names of all objects.
        pub names: Names,
    }
    counts {
        nq "Number of generalized coordinates.";
        nv "Number of degrees of freedom.";
        nu "Number of controls.";
        nactuator "Number of actuators.";
        nout "Number of actuator forces; equal to `nactuator` for the supported transmissions.";
        na "Number of activations; 0, as activation dynamics are refused.";
        nbody "Number of bodies, with the world.";
        njnt "Number of joints.";
        ntree "Number of kinematic trees with degrees of freedom.";
        ngeom "Number of geoms.";
        nsite "Number of sites.";
        ncam "Number of cameras.";
        nlight "Number of lights.";
        npair "Number of explicit contact pairs.";
        nexclude "Number of excluded body pairs.";
        nkey "Number of keyframes.";
        nmocap "Number of mocap bodies.";
    }
    arrays {
        real qpos0 [nq] "coordinates of the default pose";
        real qpos_spring [nq] "reference pose of the springs";

        int body_parentid [nbody] "index of the parent body";
        int body_rootid [nbody] "ancestor that is a direct child of the world";
        int body_weldid [nbody] "topmost body it is welded to";
        int body_mocapid [nbody] "index of its mocap data, or -1";
        int body_jntnum [nbody] "number of joints";
        int body_jntadr [nbody] "its first joint, or -1";
        int body_dofnum [nbody] "number of degrees of freedom";
        int body_dofadr [nbody] "its first degree of freedom, or -1";
        int body_treeid [nbody] "index of its kinematic tree, or -1 if static";
        int body_geomnum [nbody] "number of geoms";
        int body_geomadr [nbody] "its first geom, or -1";
        int body_simple [nbody] "1: diagonal mass matrix; 2: diagonal and sliders only";
        int body_sameframe [nbody] "MuJoCo's `mjtSameFrame`: is the inertial frame the body frame";
        real body_pos [nbody, 3] "position in the parent";
        real body_quat [nbody, 4] "orientation in the parent";
        real body_ipos [nbody, 3] "centre of mass in the body";
        real body_iquat [nbody, 4] "principal axes of inertia in the body";
        real body_mass [nbody] "mass";
        real body_subtreemass [nbody] "mass of the body and everything below it";
        real body_inertia [nbody, 3] "principal moments of inertia";
        real body_invweight0 [nbody, 2] "mean inverse inertia at `qpos0` (translation, rotation)";
        real body_gravcomp [nbody] "gravity compensation, as a fraction of the weight";
        real body_margin [nbody] "largest margin plus gap of its geoms";
        int body_contype [nbody] "contact types of its geoms, or-ed";
        int body_conaffinity [nbody] "contact affinities of its geoms, or-ed";

        int jnt_type [njnt] "0 free, 1 ball, 2 slide, 3 hinge";
        int jnt_qposadr [njnt] "its first coordinate";
        int jnt_dofadr [njnt] "its first degree of freedom";
        int jnt_bodyid [njnt] "its body";
        int jnt_group [njnt] "group for visibility";
        int jnt_limited [njnt] "1 if the range is a limit";
        int jnt_actfrclimited [njnt] "1 if the total actuator force is clamped";
        int jnt_actgravcomp [njnt] "1 if gravity compensation goes through the actuators";
        real jnt_solref [njnt, 2] "solver reference of the limit";
        real jnt_solimp [njnt, 5] "solver impedance of the limit";
        real jnt_pos [njnt, 3] "anchor in the body";
        real jnt_axis [njnt, 3] "axis in the body";
        real jnt_stiffness [njnt] "linear stiffness";
        real jnt_stiffnesspoly [njnt, 2] "stiffness coefficients of higher order";
        real jnt_springyield [njnt] "plastic yield threshold; always 0";
        real jnt_range [njnt, 2] "limits";
        real jnt_actfrcrange [njnt, 2] "range of the total actuator force";
        real jnt_margin [njnt] "distance at which a limit becomes active";

        int dof_bodyid [nv] "its body";
        int dof_jntid [nv] "its joint";
        int dof_parentid [nv] "the degree of freedom above it, or -1";
        int dof_treeid [nv] "its kinematic tree";
        int dof_simplenum [nv] "number of consecutive simple degrees of freedom";
        real dof_solref [nv, 2] "solver reference of friction loss";
        real dof_solimp [nv, 5] "solver impedance of friction loss";
        real dof_frictionloss [nv] "dry friction";
        real dof_armature [nv] "rotor inertia";
        real dof_damping [nv] "linear damping";
        real dof_dampingpoly [nv, 2] "damping coefficients of higher order";
        real dof_invweight0 [nv] "inverse inertia at `qpos0`";
        real dof_M0 [nv] "diagonal of the mass matrix at `qpos0`";

        int geom_type [ngeom] "0 plane, 1 hfield, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh";
        int geom_contype [ngeom] "contact type bits";
        int geom_conaffinity [ngeom] "contact affinity bits";
        int geom_condim [ngeom] "contact dimension (1, 3, 4, 6)";
        int geom_bodyid [ngeom] "its body";
        int geom_group [ngeom] "group for visibility";
        int geom_priority [ngeom] "priority of its contact parameters";
        int geom_sameframe [ngeom] "MuJoCo's `mjtSameFrame`";
        real geom_size [ngeom, 3] "size parameters by type";
        real geom_aabb [ngeom, 6] "bounding box in the geom's frame (centre, half sizes)";
        real geom_rbound [ngeom] "radius of the bounding sphere; 0 for a plane";
        real geom_pos [ngeom, 3] "position in the body";
        real geom_quat [ngeom, 4] "orientation in the body";
        real geom_friction [ngeom, 3] "sliding, torsional and rolling friction";
        real geom_margin [ngeom] "inflation for contact";
        real geom_gap [ngeom] "additional detection distance";
        real geom_solmix [ngeom] "mixing weight of the solver parameters";
        real geom_solref [ngeom, 2] "solver reference of contacts";
        real geom_solimp [ngeom, 5] "solver impedance of contacts";
        real geom_fluid [ngeom, 12] "parameters of the ellipsoid fluid model";
        real geom_rgba [ngeom, 4] "colour";

        int site_type [nsite] "shape, as `geom_type`";
        int site_bodyid [nsite] "its body";
        int site_group [nsite] "group for visibility";
        int site_sameframe [nsite] "MuJoCo's `mjtSameFrame`";
        real site_size [nsite, 3] "size parameters by type";
        real site_pos [nsite, 3] "position in the body";
        real site_quat [nsite, 4] "orientation in the body";
        real site_rgba [nsite, 4] "colour";

        int cam_mode [ncam] "0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom";
        int cam_bodyid [ncam] "its body";
        int cam_targetbodyid [ncam] "the body it looks at, or -1";
        real cam_pos [ncam, 3] "position in the body";
        real cam_quat [ncam, 4] "orientation in the body";
        real cam_poscom0 [ncam, 3] "position relative to the subtree's centre of mass at `qpos0`, world axes";
        real cam_pos0 [ncam, 3] "position relative to the body at `qpos0`, world axes";
        real cam_mat0 [ncam, 9] "orientation at `qpos0`";
        real cam_fovy [ncam] "vertical field of view in degrees";

        int light_mode [nlight] "tracking mode, as `cam_mode`";
        int light_bodyid [nlight] "its body";
        int light_targetbodyid [nlight] "the body it points at, or -1";
        int light_type [nlight] "0 spot, 1 directional, 2 point, 3 image";
        int light_castshadow [nlight] "1 if it casts shadows";
        int light_active [nlight] "1 if it is on";
        real light_pos [nlight, 3] "position in the body";
        real light_dir [nlight, 3] "direction in the body";
        real light_poscom0 [nlight, 3] "position relative to the subtree's centre of mass at `qpos0`, world axes";
        real light_pos0 [nlight, 3] "position relative to the body at `qpos0`, world axes";
        real light_dir0 [nlight, 3] "direction at `qpos0`";
        real light_ambient [nlight, 3] "ambient colour";
        real light_diffuse [nlight, 3] "diffuse colour";
        real light_specular [nlight, 3] "specular colour";

        int pair_dim [npair] "contact dimension";
        int pair_geom1 [npair] "first geom";
        int pair_geom2 [npair] "second geom";
        int pair_signature [npair] "body1 << 16 | body2";
        real pair_solref [npair, 2] "solver reference, normal direction";
        real pair_solreffriction [npair, 2] "solver reference, friction directions";
        real pair_solimp [npair, 5] "solver impedance";
        real pair_margin [npair] "inflation for contact";
        real pair_gap [npair] "additional detection distance";
        real pair_friction [npair, 5] "tangent 1 and 2, torsion, roll 1 and 2";

        int exclude_signature [nexclude] "body1 << 16 | body2";

        int actuator_trntype [nactuator] "transmission; 0 joint, 1 joint in parent";
        int actuator_dyntype [nactuator] "activation dynamics; always 0 (none)";
        int actuator_gaintype [nactuator] "0 fixed, 1 affine";
        int actuator_biastype [nactuator] "0 none, 1 affine";
        int actuator_ctrladr [nactuator] "its first control";
        int actuator_ctrlnum [nactuator] "number of its controls";
        int actuator_ctrlspec [nactuator] "MuJoCo's input signature";
        int actuator_outadr [nactuator] "its first force";
        int actuator_outnum [nactuator] "number of its forces";
        int actuator_trnid [nactuator, 2] "joint, and -1";
        int actuator_group [nactuator] "group for `disableactuator`";
        real actuator_dynprm [nactuator, 10] "parameters of the activation dynamics";
        real actuator_gainprm [nactuator, 10] "parameters of the gain";
        real actuator_biasprm [nactuator, 10] "parameters of the bias";
        real actuator_damping [nactuator] "linear damping added to the target";
        real actuator_armature [nactuator] "armature added to the target";
        int actuator_forcelimited [nactuator] "1 if the force is clamped";
        real actuator_forcerange [nactuator, 2] "range of the force";
        int actuator_ctrllimited [nu] "1 if the control is clamped";
        real actuator_ctrlrange [nu, 2] "range of the control";
        real actuator_gear [nout, 6] "scale of length and force";
        real actuator_acc0 [nout] "acceleration from a unit force at `qpos0`";
        real actuator_length0 [nout] "length at `qpos0`";
        real actuator_lengthrange [nout, 2] "feasible lengths";

        real key_time [nkey] "time of the keyframe";
        real key_qpos [nkey, nq] "its coordinates";
        real key_qvel [nkey, nv] "its velocities";
        real key_act [nkey, na] "its activations";
        real key_mpos [nkey, (nmocap * 3)] "its mocap positions";
        real key_mquat [nkey, (nmocap * 4)] "its mocap orientations";
        real key_ctrl [nkey, nu] "its controls";
    }
}

impl Model {
    /// Loads and compiles an MJCF file. Errors name file, line, element and attribute.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, LoadError> {
        let path = path.as_ref();
        let mut model = with_deep_stack(|| compile(Source::from_file(path)?))?;
        model.source = path.to_path_buf();
        Ok(model)
    }

    /// Compiles MJCF text. `name` stands for the file in errors; includes are resolved from the working directory.
    pub fn from_xml(xml: &str, name: &str) -> Result<Model, LoadError> {
        with_deep_stack(|| compile(Source::from_text(xml, Path::new(name), Some(PathBuf::new()))?))
    }

    /// Index of the body called `name`.
    pub fn body_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.body, name)
    }

    /// Index of the joint called `name`.
    pub fn jnt_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.jnt, name)
    }

    /// Index of the geom called `name`.
    pub fn geom_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.geom, name)
    }

    /// Index of the site called `name`.
    pub fn site_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.site, name)
    }

    /// Index of the actuator called `name`.
    pub fn actuator_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.actuator, name)
    }

    /// Index of the keyframe called `name`.
    pub fn key_id(&self, name: &str) -> Option<usize> {
        names::find(&self.names.key, name)
    }
}

/// Stack of the loading thread: 1000 nested elements, of which each takes a few kilobytes in a debug build.
const STACK_BYTES: usize = 256 << 20;

/// Runs the loader where its recursion, which is bounded, cannot exhaust the caller's stack.
fn with_deep_stack(load: impl FnOnce() -> Result<Model, LoadError> + Send) -> Result<Model, LoadError> {
    let log = tracing::dispatcher::get_default(Clone::clone);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("phalanx-model loader".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || tracing::dispatcher::with_default(&log, load));
        match thread.map(|t| t.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(LoadError {
                file: PathBuf::new(),
                line: 0,
                message: format!("the system refused a thread to load the model: {error}"),
            }),
        }
    })
}
