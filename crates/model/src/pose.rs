//! Rigid placements: where a frame's origin is, and how it is turned.

use glam::{DQuat, DVec3};

/// A rigid placement: where a child frame's origin is, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Pose {
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// `inner`, given in this frame, seen from this frame's parent.
    pub fn then(&self, inner: &Pose) -> Pose {
        Pose { position: self.apply(inner.position), rotation: self.turn(inner.rotation) }
    }

    pub fn apply(&self, point: DVec3) -> DVec3 {
        // A frame that does not turn leaves the last bit of its contents alone.
        if self.rotation == DQuat::IDENTITY { self.position + point } else { self.position + self.rotation * point }
    }

    fn turn(&self, rotation: DQuat) -> DQuat {
        if self.rotation == DQuat::IDENTITY { rotation } else { (self.rotation * rotation).normalize() }
    }

    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.conjugate();
        Pose { position: -(rotation * self.position), rotation }
    }
}

/// The smallest rotation that takes the z axis to `direction`, which has unit length.
pub(crate) fn rotation_of_z_to(direction: DVec3) -> DQuat {
    let axis = DVec3::Z.cross(direction);
    let sine = axis.length();
    // Straight up or down: any horizontal axis will do, MuJoCo takes x.
    let axis = if sine < 1e-10 { DVec3::X } else { axis / sine };
    DQuat::from_axis_angle(axis, sine.atan2(direction.z))
}

/// The rotation with these x and y axes. Of its two quaternions, the one MuJoCo takes, as a free joint's coordinates show
/// it: w is positive if the trace is, else the largest of x, y, z.
pub(crate) fn rotation_of_axes(x: DVec3, y: DVec3) -> DQuat {
    let z = x.cross(y);
    let (a, b, c) = (x.x, y.y, z.z);
    // Each form divides by the one component that is surely not small.
    let q = if a + b + c > 0.0 {
        DQuat::from_xyzw(y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + a + b + c)
    } else if a > b && a > c {
        DQuat::from_xyzw(1.0 + a - b - c, x.y + y.x, z.x + x.z, y.z - z.y)
    } else if b > c {
        DQuat::from_xyzw(x.y + y.x, 1.0 - a + b - c, y.z + z.y, z.x - x.z)
    } else {
        DQuat::from_xyzw(z.x + x.z, y.z + z.y, 1.0 - a - b + c, x.y - y.x)
    };
    q.normalize()
}

/// MuJoCo's `mjtSameFrame`: 1 the body's frame, 2 its inertial frame, 3 and 4 only their axes, 0 neither.
pub(crate) fn same_frame(pose: Pose, inertial: Option<Pose>) -> i32 {
    let near = |a: DVec3, b: DVec3| (a - b).abs().max_element() < 1e-6;
    let turned = |a: DQuat, b: DQuat| (a - b).length().min((a + b).length()) < 1e-6;
    let same = |p: Pose| (near(pose.position, p.position), turned(pose.rotation, p.rotation));
    let body = same(Pose::IDENTITY);
    let inertia = inertial.map_or((false, false), same);
    match (body, inertia) {
        ((true, true), _) => 1,
        ((_, true), _) => 3,
        (_, (true, true)) => 2,
        (_, (_, true)) => 4,
        _ => 0,
    }
}
