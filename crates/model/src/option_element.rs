//! Reads `option`, `size` and `statistic`: what holds for the whole model.

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::options::{Integrator, Options, Solver};
use crate::source::Source;

/// Features that are on unless disabled, with MuJoCo's `mjtDisableBit`.
#[rustfmt::skip]
const DISABLE_BITS: &[(&str, u32)] = &[
    ("constraint", 1 << 0), ("equality", 1 << 1), ("frictionloss", 1 << 2), ("limit", 1 << 3), ("contact", 1 << 4),
    ("spring", 1 << 5), ("damper", 1 << 6), ("gravity", 1 << 7), ("clampctrl", 1 << 8), ("warmstart", 1 << 9),
    ("filterparent", 1 << 10), ("actuation", 1 << 11), ("refsafe", 1 << 12), ("sensor", 1 << 13),
    ("midphase", 1 << 14), ("eulerdamp", 1 << 15), ("autoreset", 1 << 16), ("nativeccd", 1 << 17),
    ("island", 1 << 18), ("multiccd", 1 << 19),
];

/// Features that are off unless enabled, with MuJoCo's `mjtEnableBit`, and why they are refused if they are.
#[rustfmt::skip]
const ENABLE_BITS: &[(&str, u32, Option<&str>)] = &[
    ("override", 1 << 0, None), ("energy", 1 << 1, None), ("fwdinv", 1 << 2, None), ("invdiscrete", 1 << 3, None),
    ("sleep", 1 << 4, Some("bodies do not sleep")), ("diagexact", 1 << 5, Some("the diagonal is approximated")),
    ("ipc", 1 << 6, Some("it is another contact model")), ("speculative", 1 << 7, Some("contacts are not speculative")),
];

/// The `option` elements, later ones on top.
pub(crate) fn read_options(source: &Source) -> Result<Options, LoadError> {
    let mut o = Options::default();
    for element in source.root.children.iter().filter(|e| &*e.name == "option") {
        let a = Attributes::of(element);
        o.timestep = a.real_or("timestep", o.timestep)?;
        if o.timestep <= 0.0 {
            return Err(a.error_at("timestep", format!("timestep {} must be positive", o.timestep)));
        }
        for (name, field) in [
            ("impratio", &mut o.impratio),
            ("tolerance", &mut o.tolerance),
            ("ls_tolerance", &mut o.ls_tolerance),
            ("noslip_tolerance", &mut o.noslip_tolerance),
            ("ccd_tolerance", &mut o.ccd_tolerance),
            ("sleep_tolerance", &mut o.sleep_tolerance),
            ("density", &mut o.density),
            ("viscosity", &mut o.viscosity),
        ] {
            *field = a.nonnegative_or(name, *field)?;
        }
        if o.impratio <= 0.0 {
            return Err(a.error_at("impratio", "impratio must be positive"));
        }
        o.o_margin = a.real_or("o_margin", o.o_margin)?;
        o.gravity = a.reals("gravity")?.unwrap_or(o.gravity);
        o.wind = a.reals("wind")?.unwrap_or(o.wind);
        o.magnetic = a.reals("magnetic")?.unwrap_or(o.magnetic);
        a.fill("o_solref", &mut o.o_solref)?;
        a.fill("o_solimp", &mut o.o_solimp)?;
        a.fill("o_friction", &mut o.o_friction)?;
        for (name, field) in [
            ("iterations", &mut o.iterations),
            ("ls_iterations", &mut o.ls_iterations),
            ("noslip_iterations", &mut o.noslip_iterations),
            ("ccd_iterations", &mut o.ccd_iterations),
        ] {
            *field = a.int_or(name, *field)?;
            if *field < 0 {
                return Err(a.error_at(name, format!("{name} {field} is negative; give 0 or more")));
            }
        }
        a.refuse("noslip_iterations", &["0"], "there is no no-slip solver")?;
        read_choices(&a, &mut o)?;
        if let Some(groups) = a.all_reals("actuatorgroupdisable")? {
            o.disableactuator = 0;
            for group in groups {
                if !(0.0..=30.0).contains(&group) || group.fract() != 0.0 {
                    return Err(a.error_at("actuatorgroupdisable", format!("group {group} must be from 0 to 30")));
                }
                o.disableactuator |= 1 << group as u32;
            }
        }
        for flag in &element.children {
            read_flags(&Attributes::of(flag), &mut o)?;
        }
    }
    Ok(o)
}

fn read_choices(a: &Attributes, o: &mut Options) -> Result<(), LoadError> {
    for unsupported in ["implicit", "discrete"] {
        if a.text("integrator") == Some(unsupported) {
            let message = format!("integrator=\"{unsupported}\" is not supported; use Euler, RK4 or implicitfast");
            return Err(a.error_at("integrator", message));
        }
    }
    let integrators =
        [("Euler", Integrator::Euler), ("RK4", Integrator::Rk4), ("implicitfast", Integrator::ImplicitFast)];
    o.integrator = a.keyword("integrator", &integrators)?.unwrap_or(o.integrator);
    a.refuse("cone", &["pyramidal"], "friction cones are pyramidal")?;
    o.jacobian = a.keyword("jacobian", &[("dense", 0), ("sparse", 1), ("auto", 2)])?.unwrap_or(o.jacobian);
    let solvers = [("PGS", Solver::Pgs), ("CG", Solver::Cg), ("Newton", Solver::Newton)];
    if let Some(solver) = a.keyword("solver", &solvers)? {
        o.solver = solver;
        if solver != Solver::Newton {
            tracing::info!(
                "{}: solver {solver:?} is answered by Newton's method; the problem solved is the same",
                a.label()
            );
        }
    }
    Ok(())
}

fn read_flags(a: &Attributes, o: &mut Options) -> Result<(), LoadError> {
    let words = [("enable", true), ("disable", false)];
    for (name, bit) in DISABLE_BITS {
        if let Some(on) = a.keyword(name, &words)? {
            o.disableflags = if on { o.disableflags & !bit } else { o.disableflags | bit };
        }
    }
    for (name, bit, refusal) in ENABLE_BITS {
        if let Some(on) = a.keyword(name, &words)? {
            if let (true, Some(why)) = (on, refusal) {
                return Err(a.error_at(name, format!("{name}=\"enable\" is not supported: {why}")));
            }
            o.enableflags = if on { o.enableflags | bit } else { o.enableflags & !bit };
        }
    }
    Ok(())
}

/// `nkey` of the `size` elements.
pub(crate) fn read_key_count(source: &Source) -> Result<usize, LoadError> {
    let mut count = 0;
    for element in source.root.children.iter().filter(|e| &*e.name == "size") {
        let a = Attributes::of(element);
        let nkey = a.int_or("nkey", 0)?;
        count = usize::try_from(nkey)
            .ok()
            .filter(|n| *n <= 1_000_000)
            .ok_or_else(|| a.error_at("nkey", format!("nkey {nkey} must be from 0 to 1000000")))?
            .max(count);
    }
    Ok(count)
}
