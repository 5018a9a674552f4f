//! Principal axes and moments of a symmetric 3x3 tensor, by Jacobi's rotations.
//!
//! Golub and Van Loan, Matrix Computations, section 8.5 (largest off-diagonal element first). The rotation is kept as a
//! quaternion, so that a tensor which is already diagonal in some order gives an exact quarter turn.

use glam::{DMat3, DQuat, DVec3};

/// Rotations after which a 3x3 tensor has converged; a handful suffice, and NaN must end too.
const MAX_ROTATIONS: usize = 500;
/// Off-diagonal elements below this share of the trace count as 0.
const RELATIVE_ZERO: f64 = 1e-15;

/// The rotation whose columns are the principal axes, and the moments in descending order.
pub(crate) fn principal_axes(tensor: DMat3) -> (DQuat, DVec3) {
    let scale = tensor.to_cols_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if !(scale > 0.0 && scale.is_finite()) {
        return (DQuat::IDENTITY, DVec3::ZERO);
    }
    let mut rotation = DQuat::IDENTITY;
    let mut d = tensor;
    for _ in 0..MAX_ROTATIONS {
        // Axis k is the one about which the pair (i, j) is turned.
        let (i, j, k) = [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
            .into_iter()
            .max_by(|a, b| d.col(a.1)[a.0].abs().total_cmp(&d.col(b.1)[b.0].abs()))
            .unwrap_or((0, 1, 2));
        let off = d.col(j)[i];
        if off.abs() <= RELATIVE_ZERO * scale {
            break;
        }
        let theta = (d.col(j)[j] - d.col(i)[i]) / (2.0 * off);
        let tangent = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
        let mut axis = DVec3::ZERO;
        axis[k] = 1.0;
        rotation = (rotation * DQuat::from_axis_angle(axis, -tangent.atan())).normalize();
        let r = DMat3::from_quat(rotation);
        d = r.transpose() * tensor * r;
    }
    let mut moments = DVec3::new(d.col(0)[0], d.col(1)[1], d.col(2)[2]);
    // Descending order, by quarter turns about the third axis.
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (0, 1, 2)] {
        if moments[i] < moments[j] - RELATIVE_ZERO * scale {
            let mut axis = DVec3::ZERO;
            axis[k] = 1.0;
            rotation = (rotation * DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_2)).normalize();
            (moments[i], moments[j]) = (moments[j], moments[i]);
        }
    }
    (rotation, moments)
}
