// MuJoCo's option bits and integrators that the stages obey.
#pragma once

constexpr int disable_constraint = 1 << 0;
constexpr int disable_frictionloss = 1 << 2;
constexpr int disable_limit = 1 << 3;
constexpr int disable_contact = 1 << 4;
constexpr int disable_spring = 1 << 5;
constexpr int disable_damper = 1 << 6;
constexpr int disable_gravity = 1 << 7;
constexpr int disable_clampctrl = 1 << 8;
constexpr int disable_warmstart = 1 << 9;
constexpr int disable_actuation = 1 << 11;
constexpr int disable_refsafe = 1 << 12;
constexpr int disable_eulerdamp = 1 << 15;

constexpr int integrator_euler = 0;
constexpr int integrator_rk4 = 1;
constexpr int integrator_implicitfast = 3;
