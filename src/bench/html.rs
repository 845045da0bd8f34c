//! Results as one HTML file with plots, which needs nothing else.

use std::fmt::{Display, Write};

use plotters::prelude::*;

use super::report::{Measured, Report};

/// Width and height of a plot, in pixels.
const SIZE: (u32, u32) = (900, 360);

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("a plot of {title} cannot be drawn: {reason}")]
pub(crate) struct PlotError {
    title: String,
    reason: String,
}

/// A line of a plot: its name, and its points.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// `report` as HTML.
pub(crate) fn html(report: &Report) -> Result<String, PlotError> {
    let mut body = String::new();
    let mut kernels: Vec<(&str, &[String])> = Vec::new();
    for measured in &report.results {
        let kernel = (measured.kernel.as_str(), measured.dtypes.as_slice());
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    for (kernel, dtypes) in kernels {
        let title = format!("{kernel} {}", dtypes.join(" "));
        let results = report.results.iter();
        let of_kernel =
            results.filter(|measured| (measured.kernel.as_str(), &*measured.dtypes) == (kernel, dtypes));
        let results: Vec<&Measured> = of_kernel.collect();
        // A string takes everything.
        let _ = writeln!(body, "<h2>{}</h2>", escaped(&title));
        body += &plot(&title, "of the fastest copy", &fractions(&results))?;
        let speedups = speedups(&results);
        if !speedups.is_empty() {
            body += &plot(&title, "generated is so many times as fast", &speedups)?;
        }
        body += &numbers(&results);
    }
    let copies = report.limits.copies.iter();
    let copies: Vec<String> = copies
        .map(|copy| format!("{} {:.1} GB/s", copy.name, copy.gbps))
        .collect();
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>oxysycl bench</title>\n<style>\n\
         body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; }}\n\
         table {{ border-collapse: collapse; }}\ntd, th {{ padding: 0.2em 0.8em; text-align: right; }}\n\
         </style>\n</head>\n<body>\n<h1>{}</h1>\n<p>Compiled by {}, timed by {}. A launch takes {:.1} µs. {}.</p>\n\
         {body}</body>\n</html>\n",
        escaped(&report.device),
        escaped(&report.driver),
        report.timing,
        report.limits.launch_us.median,
        escaped(&copies.join(", ")),
    ))
}

/// What part of the limit each header reaches, over useful bytes.
fn fractions(results: &[&Measured]) -> Vec<Line> {
    lines(results, |measured, at| Some(measured.headers[at].of_limit))
}

/// How many times as fast the generated header is as each other, over useful bytes.
fn speedups(results: &[&Measured]) -> Vec<Line> {
    lines(results, |measured, at| Some(measured.headers[at].speedup?.median))
}

fn lines(results: &[&Measured], value: impl Fn(&Measured, usize) -> Option<f64>) -> Vec<Line> {
    let headers = results.first().map_or(&[][..], |measured| &measured.headers);
    let line = |(at, header): (usize, &super::Timed)| Line {
        name: header.header.clone(),
        points: results
            .iter()
            .filter_map(|measured| Some((measured.bytes.max(1) as f64, value(measured, at)?)))
            .collect(),
    };
    let lines = headers.iter().enumerate().map(line);
    lines.filter(|line| !line.points.is_empty()).collect()
}

/// An SVG picture of `lines` over useful bytes, both on logarithmic scales.
fn plot(title: &str, what: &str, lines: &[Line]) -> Result<String, PlotError> {
    let mut picture = String::new();
    draw(&mut picture, what, lines).map_err(|error| PlotError {
        title: title.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(picture + "\n")
}

fn draw(picture: &mut String, what: &str, lines: &[Line]) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, 0f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        low / 1.5..high * 1.5
    };
    let across = range(&mut points().map(|(x, _)| *x));
    // 1 is always seen, the limit or no difference, and enough about it for the axis to have numbers.
    let up = range(&mut points().map(|(_, y)| *y).chain([0.5, 2.0]));
    let area = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(across.clone().log_scale(), up.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("useful bytes")
        .y_desc(what)
        .x_label_formatter(&|bytes| size(*bytes))
        .y_label_formatter(&|value| format!("{value:.2}"))
        .draw()?;
    chart.draw_series(LineSeries::new(
        [(across.start, 1.0), (across.end, 1.0)],
        BLACK.mix(0.4),
    ))?;
    for (at, line) in lines.iter().enumerate() {
        let colour = Palette99::pick(at).to_rgba();
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.4))
        .draw()?;
    area.present()?;
    Ok(())
}

/// Bytes in a few letters.
fn size(bytes: f64) -> String {
    match bytes {
        1e9.. => format!("{:.0} GB", bytes / 1e9),
        1e6.. => format!("{:.0} MB", bytes / 1e6),
        1e3.. => format!("{:.0} kB", bytes / 1e3),
        _ => format!("{bytes:.0} B"),
    }
}

/// A table of the medians.
fn numbers(results: &[&Measured]) -> String {
    let mut rows = String::from(
        "<table>\n<tr><th>shape</th><th>header</th><th>µs</th><th>GB/s</th><th>of copy</th><th>generated is</th></tr>\n",
    );
    for measured in results {
        for timed in &measured.headers {
            let speedup = timed.speedup.map(|speedup| format!("{:.2}×", speedup.median));
            let cells: [&dyn Display; 6] = [
                &escaped(&measured.shape),
                &escaped(&timed.header),
                &format_args!("{:.1}", timed.us.median),
                &format_args!("{:.2}", timed.gbps),
                &format_args!("{:.0} %", timed.of_limit * 100.0),
                &speedup.unwrap_or_default(),
            ];
            let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
            // A string takes everything.
            let _ = writeln!(rows, "<tr>{cells}</tr>");
        }
    }
    rows + "</table>\n"
}

/// Text that stands between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
