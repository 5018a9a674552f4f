//! Reads MJCF robot models and computes what MuJoCo's compiler computes.
