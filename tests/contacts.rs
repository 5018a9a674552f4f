//! Contacts against closed forms, conserved quantities and MuJoCo's numbers.

mod scenes;

use phalanx::{DeviceChoice, Model, Options, Precision, Simulation};
use scenes::{model, reference, single};

/// A sliding block is lifted a little and lands again, so that its friction comes in strokes; MuJoCo 4.0.0 is 3 % off over
/// the same four seconds.
const SLIDING: f64 = 0.05;
/// What a resting float may move in a second: MuJoCo's creep is of this size.
const RESTING: f64 = 1e-3;

fn at(sim: &mut Simulation, field: &str, index: usize) -> f64 {
    sim.read(field).unwrap()[index]
}

/// A block that cannot turn, of 1 kg and friction 0.5, on a plane of this slope: gravity is tilted instead of the plane.
/// Its impedance is 0.9 at any depth, so that forces at rest have a closed form.
fn block_on_slope(slope: f64) -> Model {
    let (along, down) = (GRAVITY * slope.atan().sin(), -GRAVITY * slope.atan().cos());
    model(&format!(
        r#"<option timestep="0.002" gravity="{along} 0 {down}"/>
        <default><geom friction="0.5" solimp="0.9 0.9 0.001" solref="0.02 1"/></default>
        <worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 0.1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
        </worldbody>"#
    ))
}
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;

#[test]
fn a_block_slides_where_the_slope_is_steeper_than_friction() {
    let angle = 0.6_f64.atan();
    let acceleration = GRAVITY * (angle.sin() - FRICTION * angle.cos());
    for mut sim in [reference(&block_on_slope(0.6)), single(&block_on_slope(0.6))] {
        sim.step_many(2000).unwrap();
        let measured = at(&mut sim, "qvel", 0) / 4.0;
        assert!((measured / acceleration - 1.0).abs() < SLIDING, "{measured} m/s2, expected {acceleration}");
    }
}

#[test]
fn a_block_sticks_where_the_slope_is_less_steep_but_for_its_creep() {
    // Three edges of the pyramid push: that against the motion with f, and the two across it with g each, where
    //   friction f = m g sin,   f + 2 g = m g cos,   f - g = friction b v / R,
    //   R = 2 friction^2 (1 - d) / d (1 + friction^2) / m,   b = 2 / (d timeconst).
    // MuJoCo 4.0.0 creeps at the same speed.
    let (angle, d, time) = (0.4_f64.atan(), 0.9, 0.02);
    let against = GRAVITY * angle.sin() / FRICTION;
    let across = (GRAVITY * angle.cos() - against) / 2.0;
    let regularizer = 2.0 * FRICTION * FRICTION * (1.0 - d) / d * (1.0 + FRICTION * FRICTION);
    let creep = (against - across) * regularizer / (FRICTION * 2.0 / (d * time));
    assert!(creep < 0.01, "a centimetre a second at most");
    for (mut sim, tolerance) in [(reference(&block_on_slope(0.4)), 1e-9), (single(&block_on_slope(0.4)), RESTING)] {
        sim.step_many(1000).unwrap();
        let speed = at(&mut sim, "qvel", 0);
        assert!((speed / creep - 1.0).abs() < tolerance, "{speed} m/s, expected {creep}");
    }
}

#[test]
fn a_sphere_sinks_in_as_its_impedance_says_and_the_ground_carries_its_weight() {
    // D k d r = m g, with D = d / (1 - d) m and k = 1 / (dmax timeconst)^2:  r = g (1 - d) / (k d^2).
    let (d, time, g) = (0.9, 0.02, 9.81);
    let depth = g * (1.0 - d) * (d * time) * (d * time) / (d * d);
    let model = model(
        r#"<option gravity="0 0 -9.81"/><worldbody><geom type="plane" size="0 0 1" condim="1" solimp="0.9 0.9 0.001"/>
        <body pos="0 0 0.2"><freejoint/><geom size="0.2" mass="3" condim="1" solimp="0.9 0.9 0.001"/></body></worldbody>"#,
    );
    for (mut sim, tolerance) in [(reference(&model), 1e-6), (single(&model), 1e-3)] {
        sim.request("qfrc_constraint").unwrap();
        sim.step_many(1000).unwrap();
        let sunk = 0.2 - at(&mut sim, "qpos", 2);
        assert!((sunk / depth - 1.0).abs() < tolerance, "{sunk} m, expected {depth}");
        let carried = at(&mut sim, "qfrc_constraint", 2);
        assert!((carried / (3.0 * g) - 1.0).abs() < tolerance, "{carried} N of {}", 3.0 * g);
    }
}

#[test]
fn a_dropped_sphere_does_not_bounce() {
    let model = model(
        r#"<option timestep="0.001"/><worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 0.6"><freejoint/><geom size="0.1" mass="1"/></body></worldbody>"#,
    );
    for mut sim in [reference(&model), single(&model)] {
        let mut landed = false;
        let mut highest: f64 = 0.0;
        for _ in 0..1500 {
            sim.step().unwrap();
            let height = at(&mut sim, "qpos", 2) - 0.1;
            landed |= height < 0.0;
            if landed {
                highest = highest.max(height);
            }
        }
        // The default reference is critically damped: what is left is the release of the last step's overlap.
        assert!(landed && highest < 1e-3, "it rose {highest} m after it had landed");
        assert!(at(&mut sim, "qvel", 2).abs() < RESTING);
    }
}

#[test]
fn two_spheres_that_meet_keep_their_common_momentum() {
    let model = model(
        r#"<option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body pos="-0.3 0.02 0"><freejoint/><geom size="0.1" mass="1"/></body>
        <body pos="0.3 0 0.03"><freejoint/><geom size="0.15" mass="3"/></body></worldbody>"#,
    );
    let mut sim = reference(&model);
    let mut qvel = [0.0; 12];
    (qvel[0], qvel[6]) = (2.0, -1.0);
    sim.write("qvel", &qvel).unwrap();
    sim.step_many(400).unwrap();
    let v = sim.read("qvel").unwrap();
    assert!(sim.statistics().unwrap().contacts > 0 && (v[0] - 2.0).abs() > 0.5, "they met");
    for (axis, expected) in [(0, 2.0 - 3.0), (1, 0.0), (2, 0.0)] {
        let momentum = v[axis] + 3.0 * v[6 + axis];
        assert!((momentum - expected).abs() < 1e-9, "axis {axis}: {momentum} kg m/s, expected {expected}");
    }
}

#[test]
fn a_stack_of_boxes_rests() {
    let model = model(
        r#"<option timestep="0.002"/><worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body pos="0 0 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody>"#,
    );
    for mut sim in [reference(&model), single(&model)] {
        sim.step_many(1000).unwrap();
        let (qpos, qvel) = (sim.read("qpos").unwrap(), sim.read("qvel").unwrap());
        for (k, body) in qpos.chunks(7).enumerate() {
            let height = 0.1 + 0.2 * k as f64;
            // Each contact below gives way by less than a millimetre for each box that it carries.
            assert!(body[2] < height && body[2] > height - 3e-3 * (k + 1) as f64, "box {k} at {} m", body[2]);
            assert!(body[0].hypot(body[1]) < RESTING, "box {k} has moved aside to {:?}", &body[..2]);
            assert!(body[3].abs() > 1.0 - 1e-6, "box {k} has turned");
        }
        assert!(qvel.iter().all(|v| v.abs() < RESTING), "{qvel:?}");
    }
}

#[test]
fn a_rolling_sphere_takes_up_five_sevenths_of_its_sliding_speed() {
    let model = model(
        r#"<option timestep="0.001"/><worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body></worldbody>"#,
    );
    let mut sim = reference(&model);
    sim.step_many(500).unwrap(); // settle
    let mut qvel = sim.read("qvel").unwrap();
    qvel[0] = 1.0;
    sim.write("qvel", &qvel).unwrap();
    sim.step_many(1000).unwrap();
    let v = sim.read("qvel").unwrap();
    // Friction conserves the angular momentum about a point of the ground:  m v r + 2/5 m r^2 w,  v = w r in the end.
    assert!((v[0] - 5.0 / 7.0).abs() < 5e-3, "{} m/s", v[0]);
    assert!((v[4] * 0.1 - v[0]).abs() < 5e-3, "it rolls: {} and {}", v[4] * 0.1, v[0]);
}

#[test]
fn a_contact_within_its_gap_is_found_but_does_not_push() {
    let acceleration = |margin: f64, gap: f64| {
        let model = model(&format!(
            r#"<option gravity="0 0 -10"/><worldbody><geom type="plane" size="0 0 1"/>
            <body pos="0 0 0.15"><freejoint/><geom size="0.1" mass="1" margin="{margin}" gap="{gap}"/></body></worldbody>"#
        ));
        let mut sim = reference(&model);
        sim.request("qacc").unwrap();
        sim.forward().unwrap();
        let contacts = sim.forward_details(0, None).unwrap().contacts.len();
        (at(&mut sim, "qacc", 2), contacts)
    };
    // The surfaces are 0.05 m apart.
    let (pushed, found) = acceleration(0.1, 0.0);
    assert!(found == 1 && pushed > 0.0, "within the margin it pushes: {pushed}");
    let (free, found) = acceleration(0.02, 0.05);
    assert!(found == 1 && (free + 10.0).abs() < 1e-9, "within the gap it falls: {free}");
    assert_eq!(acceleration(0.02, 0.0).1, 0, "beyond both it is not found");
}

#[test]
fn the_margins_of_a_forward_pass_are_those_of_its_environment() {
    let model = model(
        r#"<worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 0.15"><joint axis="0 0 1" type="slide" limited="true" range="-1 0.05"/>
        <geom size="0.1" mass="1"/></body></worldbody>"#,
    );
    let per_env = vec!["geom_margin".into(), "jnt_margin".into()];
    let options = Options { device: DeviceChoice::Cpu, precision: Precision::F64, per_env, ..Options::envs(2) };
    let mut sim = Simulation::new(&model, options).unwrap();
    // Two geoms and a joint: the surfaces are 0.05 m apart, and the joint is as far from its limit.
    sim.write("geom_margin", &[0.0, 0.0, 0.0, 0.125]).unwrap();
    sim.write("jnt_margin", &[0.25, 0.5]).unwrap();
    let mut margins = |env| {
        let details = sim.forward_details(env, None).unwrap();
        let values = |name: &str| details.fields.iter().find(|f| f.name == name).unwrap().values.clone();
        assert!(values("efc_pos").iter().all(|pos| (pos - 0.05).abs() < 1e-12), "{:?}", values("efc_pos"));
        values("efc_margin")
    };
    assert_eq!(margins(0), [0.25]);
    assert_eq!(margins(1), [0.5, 0.125, 0.125, 0.125, 0.125]);
}
