// The host's standard headers, included before anything opens a namespace.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#if defined(PHALANX_EMULATE_LANES)
#include <ucontext.h>
#endif
