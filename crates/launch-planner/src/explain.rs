//! Explains a plan.
