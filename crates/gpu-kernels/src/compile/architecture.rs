//! Names the GPU architecture that a kernel is compiled for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A compute capability as one number: 90 is 9.0, `sm_90` as a target, `compute_90` for PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Architecture(pub u32);

impl Architecture {
    /// The architecture of a device of compute capability `major.minor`.
    pub fn from_capability(major: u32, minor: u32) -> Self {
        Self(10 * major + minor)
    }

    /// 9 for `sm_90`, 12 for `sm_120`.
    pub fn major(self) -> u32 {
        self.0 / 10
    }

    /// The best of `supported` for this device: cubins run on their own generation, from their own minor version on.
    pub fn best_of(self, supported: &[Architecture]) -> Option<Architecture> {
        supported.iter().copied().filter(|a| a.major() == self.major() && *a <= self).max()
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_newer_than_the_compiler_takes_the_nearest_older_of_its_generation() {
        let supported = [75, 80, 86, 90, 100, 120].map(Architecture);
        assert_eq!(Architecture(89).best_of(&supported), Some(Architecture(86)));
        assert_eq!(Architecture::from_capability(12, 1).best_of(&supported), Some(Architecture(120)));
        assert_eq!(Architecture(70).best_of(&supported), None);
        assert_eq!(Architecture(110).best_of(&supported), None);
    }
}
