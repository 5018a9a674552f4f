// The one NaN that Phalanx writes.
//
// Arithmetic makes 0x7fffffff on CUDA and 0xffc00000 on x86, and either machine may hand on the bits of a NaN operand;
// whatever becomes an output goes through here. The choice is CUDA's, so that the GPU's own NaNs are already right.
#pragma once
#include "platform/compiler.h"

INLINE float not_a_number() { return bits_float(0x7fffffffu); }
/// x, with every NaN replaced by the one above.
INLINE float canonical(float x) { return x == x ? x : not_a_number(); }
