//! Options of the simulation and statistics of the model, with MuJoCo's names, defaults and flag bits.

/// How velocity and position advance; the discriminants are MuJoCo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Integrator {
    /// Semi-implicit Euler, with implicit joint damping unless `eulerdamp` is disabled.
    #[default]
    Euler = 0,
    /// Fourth-order Runge-Kutta.
    Rk4 = 1,
    /// Implicit in velocity, without Coriolis derivatives.
    ImplicitFast = 3,
}

/// The solver the file asks for; Phalanx solves the same convex problem with its own method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Solver {
    /// Projected Gauss-Seidel.
    Pgs = 0,
    /// Conjugate gradients.
    Cg = 1,
    /// Newton's method.
    #[default]
    Newton = 2,
}

/// MuJoCo's `mjOption`.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Seconds per step.
    pub timestep: f64,
    /// Ratio of frictional to normal impedance.
    pub impratio: f64,
    /// Solver tolerance on the scaled gradient and improvement.
    pub tolerance: f64,
    /// Line-search tolerance.
    pub ls_tolerance: f64,
    /// Tolerance of the no-slip solver (unused; `noslip_iterations` is refused unless 0).
    pub noslip_tolerance: f64,
    /// Tolerance of general convex collision.
    pub ccd_tolerance: f64,
    /// Velocity below which a tree may sleep (unused; sleeping is refused).
    pub sleep_tolerance: f64,
    /// Gravity in m/s^2.
    pub gravity: [f64; 3],
    /// Velocity of the medium in m/s.
    pub wind: [f64; 3],
    /// Global magnetic flux.
    pub magnetic: [f64; 3],
    /// Density of the medium in kg/m^3.
    pub density: f64,
    /// Viscosity of the medium in kg/(m s).
    pub viscosity: f64,
    /// Contact margin when the override flag is on.
    pub o_margin: f64,
    /// Contact solref when the override flag is on.
    pub o_solref: [f64; 2],
    /// Contact solimp when the override flag is on.
    pub o_solimp: [f64; 5],
    /// Contact friction when the override flag is on.
    pub o_friction: [f64; 5],
    /// Integration method.
    pub integrator: Integrator,
    /// The solver named in the file.
    pub solver: Solver,
    /// Friction cone; always pyramidal (0).
    pub cone: i32,
    /// Form of the Jacobian (MuJoCo's value; it does not change the result).
    pub jacobian: i32,
    /// Iteration limit of the solver.
    pub iterations: i32,
    /// Iteration limit of the line search.
    pub ls_iterations: i32,
    /// Iteration limit of the no-slip solver; always 0.
    pub noslip_iterations: i32,
    /// Iteration limit of general convex collision.
    pub ccd_iterations: i32,
    /// MuJoCo's `mjtDisableBit`s.
    pub disableflags: u32,
    /// MuJoCo's `mjtEnableBit`s.
    pub enableflags: u32,
    /// Actuator groups that are switched off, one bit each.
    pub disableactuator: u32,
}

/// MuJoCo's `mjStatistic`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistic {
    /// Mean of the diagonal of the mass matrix at `qpos0`.
    pub meaninertia: f64,
    /// Mean body mass.
    pub meanmass: f64,
    /// Mean body size.
    pub meansize: f64,
    /// Spatial extent of the model.
    pub extent: f64,
    /// Centre of the model.
    pub center: [f64; 3],
}

impl Default for Options {
    fn default() -> Self {
        Options {
            timestep: 0.002,
            impratio: 1.0,
            tolerance: 1e-8,
            ls_tolerance: 0.01,
            noslip_tolerance: 1e-6,
            ccd_tolerance: 1e-6,
            sleep_tolerance: 1e-3,
            gravity: [0.0, 0.0, -9.81],
            wind: [0.0; 3],
            magnetic: [0.0, -0.5, 0.0],
            density: 0.0,
            viscosity: 0.0,
            o_margin: 0.0,
            o_solref: [0.02, 1.0],
            o_solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            o_friction: [1.0, 1.0, 0.005, 0.0001, 0.0001],
            integrator: Integrator::Euler,
            solver: Solver::Newton,
            cone: 0,
            jacobian: 2,
            iterations: 100,
            ls_iterations: 50,
            noslip_iterations: 0,
            ccd_iterations: 35,
            disableflags: 0,
            enableflags: 0,
            disableactuator: 0,
        }
    }
}
