"""How far apart two values of one field are: max|a-b| / max|b|, with a floor of 1e-6 of the field's unit."""

import numpy as np

FLOOR = 1e-6


def relative_error(ours, theirs):
    """0 for two empty fields, infinity for different shapes or anything that is not finite."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.size != theirs.size:
        return np.inf
    if theirs.size == 0:
        return 0.0
    ours = ours.reshape(theirs.shape)
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return np.inf
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), FLOOR))


def norm_error(ours, theirs):
    """|a-b| / |b| with Euclidean norms: how f32 accelerations are judged."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape:
        return np.inf
    if theirs.size == 0:
        return 0.0
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return np.inf
    return float(np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), FLOOR))


def same_sign(ours, theirs):
    """Quaternions of `ours`, each with the sign that brings it nearer to `theirs`: both signs are the same rotation."""
    theirs = np.asarray(theirs, float).reshape(-1, 4)
    ours = np.asarray(ours, float)
    if ours.size != theirs.size:
        return ours
    ours = ours.reshape(-1, 4)
    return np.where((ours * theirs).sum(axis=1, keepdims=True) < 0, -ours, ours)
