//! The models that the emulated lanes step: the assets, and small ones for what the assets leave out.

use phalanx_model::Model;
use std::path::Path;

/// A ball joint with limits, friction loss and a spring; Runge-Kutta; contacts of spheres and capsules.
const BALL_RUNGE_KUTTA: &str = r#"<mujoco model="ball_rk4">
  <option integrator="RK4" timestep="0.004" density="1.2" viscosity="0.002"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.6">
      <joint type="ball" limited="true" range="0 0.4" stiffness="2" damping="0.1" frictionloss="0.05"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 -0.3" size="0.05"/>
      <body pos="0.3 0 -0.3">
        <joint name="elbow" axis="0 1 0" range="-0.5 0.5" limited="true" frictionloss="0.1" armature="0.01"/>
        <geom type="sphere" size="0.08" pos="0.1 0 -0.2"/>
      </body>
    </body>
    <body pos="0.5 0.1 0.2"><freejoint/><geom type="sphere" size="0.15"/></body>
    <body pos="0.4 -0.2 0.2"><freejoint/><geom type="capsule" size="0.1 0.1"/></body>
  </worldbody>
  <actuator><motor joint="elbow" gear="3"/></actuator>
</mujoco>"#;

/// A swimmer on slides, one that flies free and a raft under implicitfast: the derivatives of a medium's forces; a disabled
/// actuator.
const SWIMMERS: &str = r#"<mujoco model="swimmers">
  <option integrator="implicitfast" timestep="0.01" density="1000" viscosity="0.5" wind="0.2 0 0.1" actuatorgroupdisable="2"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1" damping="0.02"/>
      <geom type="capsule" fromto="0.4 0 0 -0.1 0 0" size="0.05"/>
      <body pos="-0.1 0 0"><joint name="tail" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 -0.3 0 0.05" size="0.05"/></body>
    </body>
    <body pos="0 2 1">
      <freejoint/><geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.05"/>
      <body pos="0.2 0 0"><joint type="ball"/><geom type="box" size="0.1 0.08 0.01" pos="0.1 0 0.02"/></body>
    </body>
    <body pos="0 4 1"><freejoint/><geom type="box" size="0.1 0.05 0.2" pos="0.05 0.1 0" euler="10 20 30"/></body>
  </worldbody>
  <actuator><position joint="tail" kp="3" kv="0.1"/><velocity joint="tail" kv="2" group="2"/></actuator>
</mujoco>"#;

/// Two free boxes and a cylinder that touch each other and the ground: box-box, cylinder and convex pairs.
const PILE: &str = r#"<mujoco model="pile">
  <option timestep="0.003"><flag eulerdamp="disable"/></option>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1"/></body>
    <body pos="0.05 0 0.32"><freejoint/><geom type="box" size="0.1 0.15 0.1"/></body>
    <body pos="-0.05 0.1 0.5"><freejoint/><geom type="cylinder" size="0.1 0.1"/></body>
    <body pos="0.2 0.1 0.4"><freejoint/><geom type="capsule" size="0.08 0.1"/></body>
    <body pos="0.2 -0.1 0.3" gravcomp="1"><freejoint/><geom type="ellipsoid" size="0.1 0.12 0.08"/></body>
  </worldbody>
</mujoco>"#;

/// One hinge and nothing else: fewer of everything than any team has lanes.
const PENDULUM: &str = r#"<mujoco model="pendulum">
  <worldbody><body pos="0 0 1"><joint axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/></body></worldbody>
</mujoco>"#;

/// Fifty hinges: more dofs than a team keeps columns of in registers, so that every team factors in memory.
fn chain() -> String {
    let link = |k: usize| {
        let (y, z, touches) = (k % 2, (k + 1) % 2, i32::from(k % 10 == 9));
        format!(
            "<body pos='0.1 0 0'><joint axis='0 {y} {z}' damping='0.01' range='-0.2 0.2' limited='true'/>
             <geom type='capsule' fromto='0 0 0 0.1 0 0' size='0.03' contype='0' conaffinity='{touches}'/>"
        )
    };
    let (links, ends): (String, _) = ((0..50).map(link).collect(), "</body>".repeat(50));
    format!(
        "<mujoco model='chain'><option timestep='0.001'/><worldbody><geom type='plane' size='0 0 1'/>
         <body pos='0 0 0.3'>{links}{ends}</body></worldbody></mujoco>"
    )
}

/// More dofs than fit a dense matrix in trees that do and are large: each is solved by itself in registers until two of them
/// touch. With `pendulum` the trees are not all alike.
fn acrobats(pendulum: bool) -> String {
    let limb = |k: usize| {
        let (x, y) = ([0.15, -0.15][k % 2], [0.1, -0.1][k / 2]);
        format!(
            "<body pos='{x} {y} 0'><joint axis='0 1 0'/><joint axis='1 0 0' range='-0.2 0.3' limited='true'/>
             <geom type='capsule' fromto='0 0 0 {x} {y} -0.05' size='0.04'/></body>"
        )
    };
    let limbs: String = (0..4).map(limb).collect();
    let acrobat = |k: usize| {
        let (x, height) = (k as f64 * 0.3, 1 + 2 * (k % 2));
        format!("<body pos='{x} 0 0.{height}'><freejoint/><geom type='sphere' size='0.12'/>{limbs}</body>")
    };
    let swing = "<body pos='-1 0 0.4'><joint axis='0 1 0' damping='0.1'/><geom type='capsule' fromto='0 0 0 0.2 0 -0.2' size='0.05'/></body>";
    let (acrobats, swing) = ((0..4).map(acrobat).collect::<String>(), if pendulum { swing } else { "" });
    format!(
        "<mujoco model='acrobats'><option timestep='0.004'/><default><joint damping='0.2'/></default>
         <worldbody><geom type='plane' size='0 0 1'/>{swing}{acrobats}</worldbody></mujoco>"
    )
}

/// Bodies with six dofs of their own joints beside bodies with fewer, close enough to touch.
fn loose_joints() -> String {
    const ARM: &str = "<body pos='0 0.1 0'><joint axis='1 0 0'/><joint axis='0 0 1'/><geom type='sphere' size='0.06' pos='0 0.1 0'/></body>";
    let body = |k: usize| {
        format!(
            "<body pos='{} 0 0.{}'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>
             <joint axis='0 0 1'/><joint axis='0 1 0'/><joint axis='1 0 0'/><geom type='capsule' size='0.1 0.05'/>{}</body>",
            k as f64 * 0.19,
            13 + k % 3,
            &ARM[..if k.is_multiple_of(2) { ARM.len() } else { 0 }]
        )
    };
    format!(
        "<mujoco model='loose_joints'><option timestep='0.003'/><default><joint damping='0.1' armature='0.01'/></default>
         <worldbody><geom type='plane' size='0 0 1'/>{}</worldbody></mujoco>",
        (0..8).map(body).collect::<String>()
    )
}

/// More dofs than fit a dense matrix in small trees: all of them go by the pattern. With `pendulum` they are not all alike.
fn crowd(pendulum: bool) -> String {
    let ball = |k: usize| {
        let (x, y, height) = (k % 3, k / 3, 1 + k % 2);
        format!(
            "<body pos='{}.{x} {}.{y} 0.{height}'><freejoint/><geom type='sphere' size='0.{}'/>
             <geom type='capsule' size='0.04 0.1' pos='0.05 0 0.05'/></body>",
            x,
            y,
            1 + k % 4
        )
    };
    let swing = "<body pos='-1 0 0.4'><joint axis='0 1 0' damping='0.1' range='-0.3 0.3' limited='true'/>
         <geom type='capsule' fromto='0 0 0 0.2 0 -0.2' size='0.05'/>
         <body pos='0.2 0 -0.2'><joint axis='1 0 0'/><geom type='sphere' size='0.15'/></body></body>";
    let (balls, swing) = ((0..9).map(ball).collect::<String>(), if pendulum { swing } else { "" });
    format!(
        "<mujoco model='crowd'><option timestep='0.004' integrator='implicitfast'/><default><joint damping='0.2'/></default>
         <worldbody><geom type='plane' size='0 0 1'/>{swing}{balls}</worldbody></mujoco>"
    )
}

/// Free balls, and a tree that is shorter than they are but on one body as well.
fn beside_balls(joints: &str) -> String {
    let ball = |k: usize| format!("<body pos='{}.5 3 0.09'><freejoint/><geom type='sphere' size='0.1'/></body>", k);
    format!(
        "<mujoco model='beside_balls'><option timestep='0.004'/><worldbody><geom type='plane' size='0 0 1'/>
         <body pos='-1 0 0.3'>{joints}<geom type='capsule' size='0.08' fromto='0 0 0 0.2 0 -0.25'/></body>{}</worldbody></mujoco>",
        (0..8).map(ball).collect::<String>()
    )
}

/// An asset by its file's name.
pub fn asset(name: &str) -> Model {
    Model::from_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)).unwrap()
}

/// Every model, the quickest first.
pub fn all() -> Vec<Model> {
    let inline = [
        ("pendulum.xml", PENDULUM.to_owned()),
        ("ball_rk4.xml", BALL_RUNGE_KUTTA.to_owned()),
        ("swimmers.xml", SWIMMERS.to_owned()),
        ("pile.xml", PILE.to_owned()),
        ("chain.xml", chain()),
        ("crowd_alike.xml", crowd(false)),
        ("crowd.xml", crowd(true)),
        ("acrobats_alike.xml", acrobats(false)),
        ("acrobats.xml", acrobats(true)),
        ("loose_joints.xml", loose_joints()),
        ("slide_beside_balls.xml", beside_balls("<joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>")),
        ("ball_beside_balls.xml", beside_balls("<joint type='ball' limited='true' range='0 0.3' damping='0.1'/>")),
    ];
    let mut models: Vec<Model> = inline.iter().map(|(name, xml)| Model::from_xml(xml, name).unwrap()).collect();
    models.extend(["cartpole.xml", "ant.xml", "quadruped.xml", "arm_cube.xml", "humanoid.xml"].map(asset));
    models
}
