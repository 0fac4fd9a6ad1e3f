//! Runs a command in a terminal and writes what is on the screen at its end as an SVG picture.
//!
//!     cargo run --example picture -- OUT.svg COLUMNS COMMAND [ARG...]
//!
//! `tools/pictures` renders the pictures of the book with it.
#![allow(clippy::disallowed_methods, reason = "a tool that starts a program and writes a file")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "a tool says what went wrong")]

use std::fmt::Write as _;
use std::io::Read;
use std::num::NonZeroU16;
use std::process::ExitCode;

use anyhow::Context as _;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use vt100::{Cell, Color, Parser};

/// More than any command prints; empty lines at the end are left out.
const ROWS: u16 = 400;
const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 18.0;
const MARGIN: f32 = 14.0;
/// The colours of a terminal, 0 to 15.
const COLOURS: [&str; 16] = [
    "#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d0d0d0", "#808080",
    "#ff7b86", "#b5e890", "#ffd98a", "#82cfff", "#e29cf5", "#7fe0ea", "#ffffff",
];

fn main() -> ExitCode {
    match picture() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn picture() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(out), Some(columns), Some(program)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        anyhow::bail!("usage: picture OUT.svg COLUMNS COMMAND [ARG...]");
    };
    let columns: NonZeroU16 = columns.parse().context("COLUMNS is a number")?;
    let size = PtySize { rows: ROWS, cols: columns.get(), pixel_width: 0, pixel_height: 0 };
    let terminal = native_pty_system().openpty(size)?;
    let arguments: Vec<String> = arguments.collect();
    let mut command = CommandBuilder::new(&program);
    command.args(&arguments);
    command.cwd(std::env::current_dir()?);
    command.env("TERM", "xterm-256color");
    command.env_remove("NO_COLOR");
    let mut child = terminal.slave.spawn_command(command)?;
    drop(terminal.slave);
    let mut reader = terminal.master.try_clone_reader()?;
    let mut parser = Parser::new(NonZeroU16::new(ROWS).context("rows")?, columns, 0);
    let mut bytes = [0; 8192];
    // Linux ends the reading with an error once the program has gone.
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        parser.process(&bytes[..count]);
    }
    child.wait()?;
    let name = program.rsplit('/').next().unwrap_or(&program);
    let prompt = format!("$ {name} {}", arguments.join(" "));
    std::fs::write(&out, svg(&parser, columns.get(), &prompt)).with_context(|| out.clone())
}

fn svg(parser: &Parser, columns: u16, prompt: &str) -> String {
    let screen = parser.screen();
    let rows: Vec<String> = screen.rows(0, columns).collect();
    let last = rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |row| row + 1);
    let width = f32::from(columns) * WIDTH + 2.0 * MARGIN;
    let lines = f32::from(u16::try_from(last).unwrap_or(ROWS)) + 1.0;
    let height = lines * HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n<g \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"{}\" \
         xml:space=\"preserve\">\n",
        COLOURS[0], COLOURS[7]
    );
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{:.0}\" fill=\"{}\">{}</text>",
        MARGIN + 13.0,
        COLOURS[8],
        escaped(prompt)
    );
    for row in 0..u16::try_from(last).unwrap_or(ROWS) {
        let y = MARGIN + 13.0 + HEIGHT * (f32::from(row) + 1.0);
        for (column, style, text) in runs(parser, row, columns) {
            let x = MARGIN + WIDTH * f32::from(column);
            let length = WIDTH * f32::from(u16::try_from(text.chars().count()).unwrap_or(columns));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\"{style}>{}</text>",
                escaped(&text)
            );
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// The parts of a row that have one style: where each begins, its attributes and its text. Blanks around them are
/// left out.
fn runs(parser: &Parser, row: u16, columns: u16) -> Vec<(u16, String, String)> {
    let mut runs: Vec<(u16, String, String)> = Vec::new();
    for column in 0..columns {
        let Some(cell) = parser.screen().cell(row, column) else { continue };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let style = style(cell);
        match runs.last_mut() {
            Some((_, last, run)) if *last == style || text == " " => run.push_str(text),
            _ if text == " " => {}
            _ => runs.push((column, style, text.to_owned())),
        }
    }
    for (_, _, text) in &mut runs {
        text.truncate(text.trim_end().len());
    }
    runs
}

fn style(cell: &Cell) -> String {
    let mut style = String::new();
    if let Color::Idx(index) = cell.fgcolor()
        && let Some(colour) = COLOURS.get(usize::from(index))
    {
        let _ = write!(style, " fill=\"{colour}\"");
    }
    if cell.bold() {
        style.push_str(" font-weight=\"bold\"");
    }
    style
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
