//! Turns kernel sources into cubins.
