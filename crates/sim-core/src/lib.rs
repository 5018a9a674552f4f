//! A batch of environments: state, step, reset, model fields per environment, faults.
