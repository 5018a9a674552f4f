//! Motion without contacts against closed forms and conserved quantities, in double; what is exact in double is looked at
//! in float too.

mod scenes;

use phalanx::Simulation;
use scenes::{model, reference, single};
use std::f64::consts::PI;

/// Rounding of a few thousand operations in double.
const DOUBLE: f64 = 1e-11;
/// The same in float.
const FLOAT: f64 = 2e-5;
/// The error of RK4 at a step of 1 ms, over a thousand steps and frequencies of a few hertz: h^4 times a small constant.
const RUNGE_KUTTA: f64 = 1e-8;

fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (value - expected).abs() / expected.abs().max(1.0);
    assert!(error <= tolerance, "{what}: {value}, expected {expected}, error {error:.1e}, tolerance {tolerance:.1e}");
}

/// One field's value of a simulation of one environment.
fn at(sim: &mut Simulation, field: &str, index: usize) -> f64 {
    sim.read(field).unwrap()[index]
}

#[test]
fn a_body_falls_as_the_semi_implicit_euler_method_has_it() {
    let model = model(
        r#"<option timestep="0.002" gravity="0 0 -9.81"/>
        <worldbody><body pos="0 0 5"><freejoint/><geom size="0.1"/></body></worldbody>"#,
    );
    let (h, g, n) = (0.002, 9.81, 200);
    for (mut sim, tolerance) in [(reference(&model), DOUBLE), (single(&model), FLOAT)] {
        sim.write("qvel", &[1.0, 0.0, 2.0, 0.0, 0.0, 0.0]).unwrap();
        sim.step_many(n).unwrap();
        let n = f64::from(n);
        near(at(&mut sim, "qvel", 2), 2.0 - g * n * h, tolerance, "vertical velocity");
        near(at(&mut sim, "qpos", 0), n * h, tolerance, "along");
        near(at(&mut sim, "qpos", 2), 5.0 + 2.0 * n * h - g * h * h * n * (n + 1.0) / 2.0, tolerance, "height");
        near(at(&mut sim, "time", 0), n * h, DOUBLE, "time");
    }
}

#[test]
fn a_pendulum_keeps_its_energy_with_runge_kutta() {
    let model = model(
        r#"<option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>
        <worldbody><body><joint axis="0 1 0"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.02 0.03 0.01"/></body></worldbody>"#,
    );
    let (mass, length, inertia) = (2.0, 0.5, 0.03);
    let mut sim = reference(&model);
    sim.write("qpos", &[2.0]).unwrap();
    let energy = |sim: &mut Simulation| {
        let (angle, rate) = (at(sim, "qpos", 0), at(sim, "qvel", 0));
        0.5 * (inertia + mass * length * length) * rate * rate + mass * 9.81 * length * (1.0 - angle.cos())
    };
    let start = energy(&mut sim);
    for _ in 0..10 {
        sim.step_many(500).unwrap();
        near(energy(&mut sim), start, RUNGE_KUTTA, "energy");
    }
}

#[test]
fn a_pendulum_swings_with_the_period_of_its_length() {
    let model = model(
        r#"<option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>
        <worldbody><body><joint axis="0 1 0"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.02 0.03 0.01"/></body></worldbody>"#,
    );
    let mut sim = reference(&model);
    let amplitude = 1e-4; // sin x = x to 2e-9
    sim.write("qpos", &[amplitude]).unwrap();
    let rate = (2.0 * 9.81 * 0.5 / (0.03 + 2.0 * 0.25_f64)).sqrt();
    sim.step_many(1500).unwrap();
    near(at(&mut sim, "qpos", 0) / amplitude, (rate * 1.5).cos(), RUNGE_KUTTA, "angle after 1.5 s");
    near(at(&mut sim, "qvel", 0) / amplitude, -rate * (rate * 1.5).sin(), RUNGE_KUTTA, "rate after 1.5 s");
}

#[test]
fn armature_resists_acceleration() {
    for armature in [0.0, 0.5, 3.0] {
        let model = model(&format!(
            r#"<option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 0 1" armature="{armature}"/>
            <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody>
            <actuator><motor joint="j" gear="4"/></actuator>"#
        ));
        for (mut sim, tolerance) in [(reference(&model), DOUBLE), (single(&model), FLOAT)] {
            sim.request("qacc").unwrap();
            sim.write("ctrl", &[1.5]).unwrap();
            sim.forward().unwrap();
            near(at(&mut sim, "qacc", 0), 6.0 / (0.25 + 2.0 * 0.09 + armature), tolerance, "acceleration");
        }
    }
}

#[test]
fn a_mass_on_a_spring_returns_after_its_period() {
    let stiffness = 4.0 * PI * PI * 2.0; // 2 kg swing once a second
    let model = model(&format!(
        r#"<option timestep="0.001" integrator="RK4" gravity="0 0 0"/>
        <worldbody><body><joint type="slide" axis="1 0 0" stiffness="{stiffness}"/><geom size="0.1" mass="2"/></body></worldbody>"#
    ));
    let mut sim = reference(&model);
    sim.write("qpos", &[0.3]).unwrap();
    sim.step_many(500).unwrap();
    near(at(&mut sim, "qpos", 0), -0.3, RUNGE_KUTTA, "after half a second");
    sim.step_many(500).unwrap();
    near(at(&mut sim, "qpos", 0), 0.3, RUNGE_KUTTA, "after a second");
    near(at(&mut sim, "qvel", 0), 0.0, RUNGE_KUTTA, "velocity after a second");
}

#[test]
fn damping_takes_the_same_fraction_of_the_velocity_in_every_step() {
    let (h, mass, damping) = (0.01_f64, 2.0, 30.0);
    let implicit: f64 = mass / (mass + h * damping);
    let cases = [
        ("Euler", "", implicit),
        ("implicitfast", "", implicit),
        ("Euler", r#"<flag eulerdamp="disable"/>"#, 1.0 - h * damping / mass),
    ];
    for (integrator, flag, fraction) in cases {
        let model = model(&format!(
            r#"<option timestep="{h}" integrator="{integrator}" gravity="0 0 0">{flag}</option>
            <worldbody><body><joint type="slide" axis="1 0 0" damping="{damping}"/><geom size="0.1" mass="{mass}"/></body></worldbody>"#
        ));
        for (mut sim, tolerance) in [(reference(&model), DOUBLE), (single(&model), FLOAT)] {
            sim.write("qvel", &[3.0]).unwrap();
            sim.step_many(20).unwrap();
            near(at(&mut sim, "qvel", 0), 3.0 * fraction.powi(20), tolerance, &format!("{integrator} {flag}"));
        }
    }
}

#[test]
fn a_viscous_medium_takes_the_same_fraction_of_a_balls_velocities_in_every_step() {
    // Its inertia box has edges of sqrt(12/5) radii; the drag is 3 pi d mu v, the torque pi d^3 mu w.
    let (h, mass, radius, viscosity) = (0.01_f64, 2.0, 0.1_f64, 5.0);
    let edge = radius * 2.4_f64.sqrt();
    let moment = 0.4 * mass * radius * radius;
    let straight = mass / (mass + h * 3.0 * PI * edge * viscosity);
    let turning = moment / (moment + h * PI * edge.powi(3) * viscosity);
    let model = model(&format!(
        r#"<option timestep="{h}" integrator="implicitfast" gravity="0 0 0" viscosity="{viscosity}"/>
        <worldbody><body><freejoint/><geom size="{radius}" mass="{mass}"/></body></worldbody>"#
    ));
    for (mut sim, tolerance) in [(reference(&model), DOUBLE), (single(&model), FLOAT)] {
        sim.write("qvel", &[3.0, 0.0, -1.0, 0.0, 2.0, 0.0]).unwrap();
        sim.step_many(20).unwrap();
        near(at(&mut sim, "qvel", 0), 3.0 * straight.powi(20), tolerance, "along x");
        near(at(&mut sim, "qvel", 2), -straight.powi(20), tolerance, "along z");
        near(at(&mut sim, "qvel", 4), 2.0 * turning.powi(20), tolerance, "about y");
    }
}

#[test]
fn a_servo_settles_where_its_spring_balances_gravity() {
    // kp (ctrl - q) = m g  along the vertical
    let model = model(
        r#"<option timestep="0.002" integrator="implicitfast" gravity="0 0 -10"/>
        <worldbody><body><joint name="j" type="slide" axis="0 0 1"/><geom size="0.1" mass="3"/></body></worldbody>
        <actuator><position joint="j" kp="600" kv="80"/></actuator>"#,
    );
    let mut sim = reference(&model);
    sim.write("ctrl", &[0.4]).unwrap();
    sim.step_many(2000).unwrap();
    near(at(&mut sim, "qpos", 0), 0.4 - 3.0 * 10.0 / 600.0, 1e-9, "height"); // exp(-4 s * 10 / s) is left
}

/// R I w of a free body: its angular momentum in the world, and its energy of rotation.
fn spin(sim: &mut Simulation, moments: [f64; 3]) -> ([f64; 3], f64) {
    let (qpos, qvel) = (sim.read("qpos").unwrap(), sim.read("qvel").unwrap());
    let norm = qpos[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = [3, 4, 5, 6].map(|i| qpos[i] / norm);
    let rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let local: [f64; 3] = std::array::from_fn(|i| moments[i] * qvel[3 + i]);
    let momentum = rows.map(|row| (0..3).map(|i| row[i] * local[i]).sum());
    (momentum, (0..3).map(|i| 0.5 * local[i] * qvel[3 + i]).sum())
}

#[test]
fn a_free_body_spins_with_constant_momentum_and_energy() {
    let moments = [0.3, 0.2, 0.1];
    let model = model(
        r#"<option timestep="0.001" integrator="RK4" gravity="0 0 0"/>
        <worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.3 0.2 0.1"/></body></worldbody>"#,
    );
    let mut sim = reference(&model);
    sim.write("qvel", &[0.0, 0.0, 0.0, 0.02, 3.0, 0.01]).unwrap(); // about the middle axis: it tumbles
    let (momentum, energy) = spin(&mut sim, moments);
    let mut flipped = false;
    for _ in 0..20 {
        sim.step_many(250).unwrap();
        let (m, e) = spin(&mut sim, moments);
        (0..3).for_each(|i| near(m[i], momentum[i], RUNGE_KUTTA, "angular momentum"));
        near(e, energy, RUNGE_KUTTA, "energy");
        flipped |= at(&mut sim, "qvel", 4) < -2.0;
    }
    assert!(flipped, "the middle axis is unstable (Dzhanibekov)");
}

#[test]
fn forces_between_bodies_do_not_move_their_common_centre() {
    let model = model(
        r#"<option timestep="0.001" integrator="RK4" gravity="0 0 0"/>
        <worldbody><body><freejoint/><geom type="box" size="0.2 0.1 0.1" mass="3"/>
          <body pos="0.2 0 0"><joint name="a" axis="0 1 0" stiffness="3"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" mass="1"/>
            <body pos="0.4 0 0"><joint name="b" axis="0 0 1" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="0.5"/></body>
          </body></body></worldbody>
        <actuator><motor joint="a"/><motor joint="b"/></actuator>"#,
    );
    let mut sim = reference(&model);
    sim.request("subtree_com").unwrap();
    sim.forward().unwrap();
    let start = sim.read("subtree_com").unwrap()[3..6].to_vec();
    sim.write("ctrl", &[2.0, -1.0]).unwrap();
    sim.step_many(1000).unwrap();
    let end = sim.read("subtree_com").unwrap()[3..6].to_vec();
    (0..3).for_each(|i| near(end[i], start[i], RUNGE_KUTTA, "centre of mass"));
    assert!(at(&mut sim, "qvel", 6).abs() > 0.1, "the joints do move");
}

#[test]
fn dry_friction_takes_its_full_force_from_a_moving_joint() {
    let model = model(
        r#"<option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0" frictionloss="1"/>
        <geom size="0.1" mass="2"/></body></worldbody><actuator><motor joint="j"/></actuator>"#,
    );
    for (mut sim, tolerance) in [(reference(&model), 1e-9), (single(&model), FLOAT)] {
        sim.request("qacc").unwrap();
        sim.write("ctrl", &[5.0]).unwrap();
        sim.write("qvel", &[0.5]).unwrap();
        sim.forward().unwrap();
        near(at(&mut sim, "qacc", 0), (5.0 - 1.0) / 2.0, tolerance, "acceleration");
        sim.write("qvel", &[-0.5]).unwrap();
        sim.forward().unwrap();
        near(at(&mut sim, "qacc", 0), (5.0 + 1.0) / 2.0, tolerance, "acceleration the other way");
    }
}

#[test]
fn dry_friction_holds_a_joint_but_for_its_creep() {
    let model = model(
        r#"<option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0" frictionloss="1"/>
        <geom size="0.1" mass="2"/></body></worldbody><actuator><motor joint="j"/></actuator>"#,
    );
    // A row at rest gives f = -aref / R with aref = -b v; R = (1 - d) / d / m, b = 2 / (dmax timeconst), d = dmin = 0.9.
    let (force, mass, d, dmax, time) = (0.5, 2.0, 0.9, 0.95, 0.02);
    let creep = force * (1.0 - d) / d / mass / (2.0 / (dmax * time));
    let mut sim = reference(&model);
    sim.write("ctrl", &[force]).unwrap();
    sim.step_many(1000).unwrap();
    let speed = at(&mut sim, "qvel", 0);
    assert!((speed / creep - 1.0).abs() < 1e-6, "{speed} m/s, expected {creep}");
}

#[test]
fn a_joint_limit_yields_as_its_impedance_says() {
    // At rest D k d r = m g, with D = d / (1 - d) m and k = 1 / (dmax timeconst)^2:  r = g (1 - d) / (k d^2).
    let (d, time, g) = (0.9, 0.02, 9.81);
    let depth = g * (1.0 - d) * (d * time) * (d * time) / (d * d);
    let model = model(
        r#"<option gravity="0 0 -9.81"/><worldbody><body><joint type="slide" axis="0 0 1" limited="true" range="-0.1 1"
        solimplimit="0.9 0.9 0.001"/><geom size="0.1" mass="2"/></body></worldbody>"#,
    );
    let mut sim = reference(&model);
    sim.step_many(1000).unwrap();
    let past = -0.1 - at(&mut sim, "qpos", 0);
    assert!((past / depth - 1.0).abs() < 1e-6, "{past} m past the limit, expected {depth}");
}
