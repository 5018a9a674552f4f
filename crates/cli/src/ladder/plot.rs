//! Draws speed and memory over the number of environments, as an SVG of two panels with logarithmic axes.

use std::error::Error;
use std::ops::Range;

use plotters::prelude::*;

use crate::ladder::climb::Climbed;
use crate::progress::with_unit;

const SIZE: (u32, u32) = (900, 800);

/// The plot. Failed rungs are not drawn; without a measured rung there is nothing to draw.
pub fn svg(model: &str, climbed: &Climbed) -> Result<String, String> {
    let measured = climbed.rungs.iter().filter_map(|rung| Some((rung.num_envs as f64, rung.measured.as_ref()?)));
    let measured: Vec<_> = measured.collect();
    let Some((_, first)) = measured.first() else { return Err("no rung was measured, so there is no plot".into()) };
    let title = format!("{model} on {}", first.device);
    // A rung of one step was not timed well enough to be drawn as a speed.
    let timed = measured.iter().filter(|(num_envs, rung)| rung.timed_env_steps as f64 > *num_envs);
    let speed: Vec<(f64, f64)> = timed.map(|(num_envs, rung)| (*num_envs, rung.env_steps_per_second)).collect();
    let memory: Vec<(f64, f64)> =
        measured.iter().map(|(num_envs, rung)| (*num_envs, rung.memory_bytes as f64)).collect();
    let environments = range(measured.iter().map(|(num_envs, _)| *num_envs));
    let mut text = String::new();
    draw(&mut text, &title, environments, &speed, &memory).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(
    text: &mut String,
    title: &str,
    environments: Range<f64>,
    speed: &[(f64, f64)],
    memory: &[(f64, f64)],
) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let area = area.titled(title, ("sans-serif", 22))?;
    let panels = area.split_evenly((2, 1));
    let series = [("environment steps per second", speed, &BLUE), ("bytes of memory, by the plan", memory, &RED)];
    for (panel, (name, points, color)) in panels.iter().zip(series) {
        let mut chart = ChartBuilder::on(panel)
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(80)
            .build_cartesian_2d(environments.clone().log_scale(), range(points.iter().map(|(_, y)| *y)).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("environments")
            .y_desc(name)
            .x_label_formatter(&|number| with_unit(*number))
            .y_label_formatter(&|number| with_unit(*number))
            .draw()?;
        chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, color.filled())))?;
    }
    area.present()?;
    Ok(())
}

/// A range with some room around all numbers, for a logarithmic axis.
fn range(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = numbers
        .filter(|number| *number > 0.0)
        .fold((f64::INFINITY, 0.0f64), |(low, high), number| (low.min(number), high.max(number)));
    if high > 0.0 { low / 1.5..high * 1.5 } else { 1.0..10.0 }
}
