//! The one table that declares every field of the simulator.
//!
//! A field is a named array with a shape, an owner and a unit. From the table come the C++ view that the kernels use
//! (`kernels/generated/`), the buffers, the public properties, the documentation page and the NaN fill of the tests.
//! Names are MuJoCo's for what MuJoCo names. The table promises that a name appears once and that every size it mentions is
//! in [`Size`].

mod table;

pub use table::{FIELDS, STAGES};

/// What one element of a field is, as the kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// 32-bit integer.
    Int,
    /// A number in the build's precision.
    Real,
    /// Two numbers.
    Vec2,
    /// Three numbers.
    Vec3,
    /// A quaternion, w first.
    Quat,
    /// A 3x3 matrix, row-major.
    Mat3,
    /// A spatial motion vector: angular, linear.
    SpatialMotion,
    /// A spatial force vector: torque, force.
    SpatialForce,
    /// A spatial inertia: six rotational numbers, mass times centre, mass.
    SpatialInertia,
    /// One degree of freedom's column of a contact's Jacobian: three rows and the dof's index.
    JacobianEntry,
    /// A contact's force and the curvature of its cost: eight numbers.
    ContactForce,
    /// Five numbers.
    Vec5,
}

impl Element {
    /// How many numbers of the build's precision one element takes in a workspace.
    pub const fn words(self) -> usize {
        match self {
            Element::Int | Element::Real => 1,
            Element::Vec2 => 2,
            Element::Vec3 => 3,
            Element::Quat | Element::JacobianEntry => 4,
            Element::Vec5 => 5,
            Element::SpatialMotion | Element::SpatialForce => 6,
            Element::ContactForce => 8,
            Element::Mat3 => 9,
            Element::SpatialInertia => 10,
        }
    }

    /// The C++ type of one element.
    pub const fn cpp(self) -> &'static str {
        match self {
            Element::Int => "int",
            Element::Real => "real",
            Element::Vec2 => "Vec2",
            Element::Vec3 => "Vec3",
            Element::Quat => "Quat",
            Element::Mat3 => "Mat3",
            Element::SpatialMotion => "SpatialMotion",
            Element::SpatialForce => "SpatialForce",
            Element::SpatialInertia => "SpatialInertia",
            Element::JacobianEntry => "JacobianEntry",
            Element::ContactForce => "ContactForce",
            Element::Vec5 => "Vec5",
        }
    }
}

macro_rules! sizes {
    ($($variant:ident $name:literal $doc:literal)*) => {
        /// A size of the model: a count that shapes fields. The kernels see each as `model.NAME`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Size { $(#[doc = $doc] $variant),* }

        impl Size {
            /// Every size, in the order of the kernels' argument block.
            pub const ALL: &[Size] = &[$(Size::$variant),*];

            /// The name in the kernels and in messages.
            pub const fn name(self) -> &'static str { match self { $(Size::$variant => $name),* } }

            /// What it counts.
            pub const fn meaning(self) -> &'static str { match self { $(Size::$variant => $doc),* } }
        }
    };
}

sizes! {
    Nq "nq" "generalized positions"
    Nv "nv" "degrees of freedom"
    Nu "nu" "actuators"
    Na "na" "activations"
    Nbody "nbody" "bodies, the world first"
    Njnt "njnt" "joints"
    Ngeom "ngeom" "geoms"
    Nsite "nsite" "sites"
    Nmocap "nmocap" "motion-capture bodies"
    Npair "npair" "contact pairs named in the model"
    NM "nM" "stored entries of the mass matrix: each dof with itself and its ancestors"
    Nlower "nlower" "entries of a lower triangle over the dofs"
    Ntree "ntree" "kinematic trees with dofs"
    TreeDofMax "tree_dof_max" "dofs of the largest tree"
    TreesAlike "trees_alike" "1 if all trees have their dofs and bodies arranged alike"
    FreeBlockCount "free_block_count" "free bodies without jointed descendants"
    TreeLower "tree_lower" "entries of the largest tree's lower triangle where trees are factored one by one in registers, else 0"
    LevelCount "level_count" "levels of the kinematic tree, the world's first"
    LevelAdrCount "level_adr_count" "levels and one"
    ChildCount "child_count" "bodies that have a parent"
    CollisionCount "collision_count" "geom pairs that may touch"
    CollisionTypeAdrCount "collision_type_adr_count" "pair types and one"
    DofActuatorCount "dof_actuator_count" "pairs of a dof and an actuator that drives it"
    JointTypes "joint_types" "joint types that occur, a bit each"
    TurningActuators "turning_actuators" "1 if an actuator drives a free or ball joint"
    ActuatorGravcomp "actuator_gravcomp" "1 if gravity compensation goes through actuators"
    DisabledActuators "disabled_actuators" "actuators of groups that the options disable"
    ContactOverride "contact_override" "1 if the options override the contacts' parameters"
    FluidBodies "fluid_bodies" "nbody where implicitfast takes a medium's derivatives, else 0"
    FluidEntries "fluid_entries" "nM where implicitfast takes a medium's derivatives, else 0"
    PairTypes "pair_types" "pair types that occur, a bit each"
    PivotWords "pivot_words" "numbers of two padded rows, each with a number of the right side, where a matrix is factored in registers, else 0"
    PatternDofs "pattern_dofs" "nv where a matrix is factored by its pattern, else 0"
    PatternBodies "pattern_bodies" "nbody where a matrix is factored by its pattern, else 0"
    PatternColumns "pattern_columns" "columns beyond themselves that the bodies' rows have together, at most"
    PatternWords "pattern_words" "words of such a pattern"
    FrictionRowMax "friction_row_max" "friction-loss rows at most: nv, or 0 where no dof can have any"
    BallRowMax "ball_row_max" "row_max where a ball joint has a limit, else 0"
    RowMax "row_max" "friction-loss and joint-limit rows at most"
}

/// One dimension of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A size of the model.
    Of(Size),
    /// A plain number.
    Fixed(usize),
    /// As many as the workspace has room for: contacts.
    Contacts,
    /// As many as the workspace has room for: Jacobian entries.
    JacobianEntries,
}

/// Who owns a field and where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Integers that shape the computation: constants of a specialised kernel.
    Topology,
    /// Numbers of the model: one value for all environments, or one per environment on request.
    Model,
    /// What a user saves and restores, one per environment.
    State,
    /// What a user writes before a step, one per environment.
    Input,
    /// What a user may ask to see, one per environment.
    Output,
    /// The working memory of a team; alive from the first to the last stage named.
    Work {
        /// Index into [`STAGES`] of the first stage that uses it.
        first: usize,
        /// Index into [`STAGES`] of the last stage that uses it.
        last: usize,
    },
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// MuJoCo's name, or ours where MuJoCo has none.
    pub name: &'static str,
    /// Type of one element.
    pub element: Element,
    /// Number of elements as a product of dimensions.
    pub dims: &'static [Dim],
    /// Unit, or the empty string.
    pub unit: &'static str,
    /// Who owns it.
    pub owner: Owner,
    /// What it is.
    pub meaning: &'static str,
}

impl Field {
    /// Numbers per environment (or in all, for one shared value), given the model's sizes; capacities count as zero.
    pub fn fixed_words(&self, size: impl Fn(Size) -> usize) -> usize {
        let mut words = self.element.words();
        for dim in self.dims {
            words *= match dim {
                Dim::Of(s) => size(*s),
                Dim::Fixed(n) => *n,
                Dim::Contacts | Dim::JacobianEntries => 0,
            };
        }
        words
    }

    /// Numbers per contact or Jacobian entry for fields that grow with the given capacity dimension.
    pub fn words_per(&self, capacity: Dim) -> usize {
        if !self.dims.contains(&capacity) {
            return 0;
        }
        let fixed: usize = self.dims.iter().map(|d| if let Dim::Fixed(n) = d { *n } else { 1 }).product();
        self.element.words() * fixed
    }

    /// The shape as text, for documentation: `(env, nbody, 3)`.
    pub fn shape(&self) -> String {
        let mut parts: Vec<String> = match self.owner {
            Owner::Topology => vec![],
            Owner::Model => vec!["env or 1".into()],
            _ => vec!["env".into()],
        };
        for dim in self.dims {
            match dim {
                Dim::Of(s) => parts.push(s.name().into()),
                Dim::Fixed(1) => {}
                Dim::Fixed(n) => parts.push(n.to_string()),
                Dim::Contacts => parts.push("contacts".into()),
                Dim::JacobianEntries => parts.push("jacobian entries".into()),
            }
        }
        if self.element.words() > 1 {
            parts.push(self.element.words().to_string());
        }
        format!("({})", parts.join(", "))
    }
}

/// The fields of one owner kind, in table order.
pub fn owned(matches: impl Fn(Owner) -> bool + 'static) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |f| matches(f.owner))
}

/// The field of that name.
pub fn find(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|f| f.name == name)
}

/// The stage's index in [`STAGES`].
///
/// # Panics
/// If the table has no such stage: stage names are constants of this crate.
pub fn stage(name: &str) -> usize {
    STAGES.iter().position(|s| *s == name).expect("a stage of the table")
}
