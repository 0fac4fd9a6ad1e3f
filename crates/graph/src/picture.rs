//! The graph as a picture: columns from left to right, a frame around each folder, arrows that pass between the boxes.
//!
//! The usual method for layered graphs: a column for each family by its longest way from an input, points in the columns
//! between for arrows that go further, a few sweeps that order each column by its neighbours, then heights.

mod columns;

use std::fmt::Write;

use super::Kind;
use super::families::{Family, families, folders};
use columns::{Columns, Spot};

/// Size of the letters, in pixels.
const FONT: f64 = 12.0;
/// Width of a letter of a monospaced font of that size, rounded up.
const LETTER: f64 = 7.3;
/// Height of a line of a box.
const LINE: f64 = 16.0;
/// Room around the text of a box.
const PAD: f64 = 7.0;
/// Room between columns, for arrows.
const GAP: f64 = 28.0;
/// Room between boxes above each other.
const BETWEEN: f64 = 14.0;
/// Room between a frame and its boxes; its name is above them.
const FRAME: f64 = 9.0;
/// Height of the name of a frame.
const TITLE: f64 = 15.0;
/// Room around the picture.
const MARGIN: f64 = 16.0;

/// What a picture says of itself: its title, and what the colours mean.
pub(super) struct Captions {
    pub(super) title: &'static str,
    pub(super) kinds: &'static [(Kind, &'static str)],
}

/// The captions of the graph of assets.
const ASSETS: Captions = Captions {
    title: "What each file of a cluster is generated from",
    kinds: &[
        (Kind::Input, "yours or the environment's"),
        (Kind::Value, "computed"),
        (Kind::File, "file in the cluster directory"),
        (Kind::Cloud, "in the cloud"),
    ],
};

/// The graph as a picture in SVG.
#[must_use]
pub fn svg() -> String {
    svg_of(&families(), &ASSETS)
}

/// These families as a picture in SVG.
pub(super) fn svg_of(families: &[Family<'_>], captions: &Captions) -> String {
    let placed = Columns::of(families, &size);
    let mut body = String::new();
    let mut names = String::new();
    for folder in folders(families) {
        let spots = families.iter().zip(&placed.spots).filter(|(family, _)| family.folder == folder);
        frame(&mut body, &mut names, folder, &spots.map(|(_, spot)| *spot).collect::<Vec<Spot>>());
    }
    for way in &placed.ways {
        arrow(&mut body, way);
    }
    // Above the arrows that pass them.
    body.push_str(&names);
    for (family, spot) in families.iter().zip(&placed.spots) {
        draw(&mut body, family, spot);
    }
    let wanted = legend(&mut body, placed.height + LINE + BETWEEN - MARGIN, captions.kinds);
    let (width, height) = (placed.width.max(wanted), placed.height + LINE + BETWEEN);
    let title = captions.title;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
         font-size=\"{FONT}\">\n<title>{title}</title>\n<defs><marker \
         id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>\n<rect width=\"100%\" \
         height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Width and height of a box.
fn size(family: &Family<'_>) -> (f64, f64) {
    let letters = family.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    (real(letters).mul_add(LETTER, 2.0 * PAD), real(family.names.len()).mul_add(LINE, PAD))
}

/// A count as a length; none is near the limit of what is exact.
fn real(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Fill and line of what an asset is.
fn colours(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Input => ("#ddf4ff", "#0969da"),
        Kind::Value => ("#fff8c5", "#9a6700"),
        Kind::File => ("#ffffff", "#57606a"),
        Kind::Cloud => ("#dafbe1", "#1a7f37"),
    }
}

/// How round the corners of a box are.
fn corner(kind: Kind) -> f64 {
    match kind {
        Kind::File => 2.0,
        Kind::Input | Kind::Value | Kind::Cloud => 10.0,
    }
}

fn draw(text: &mut String, family: &Family<'_>, spot: &Spot) {
    let ((fill, line), corner) = (colours(family.kind), corner(family.kind));
    let Spot { x, y, width, height } = *spot;
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner}\" \
         fill=\"{fill}\" stroke=\"{line}\"/>"
    );
    for (number, name) in family.names.iter().enumerate() {
        let base = real(number + 1).mul_add(LINE, y - 1.0);
        let _ = writeln!(text, "<text x=\"{:.1}\" y=\"{base:.1}\">{name}</text>", x + PAD);
    }
}

/// The frame of a folder, and its name.
fn frame(text: &mut String, names: &mut String, folder: &str, spots: &[Spot]) {
    let least = |of: &dyn Fn(&Spot) -> f64| spots.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: &dyn Fn(&Spot) -> f64| spots.iter().map(of).fold(0.0, f64::max);
    let (x, y) = (least(&|spot| spot.x) - FRAME, least(&|spot| spot.y) - FRAME - TITLE);
    let width = most(&|spot| spot.x + spot.width) + FRAME - x;
    let height = most(&|spot| spot.y + spot.height) + FRAME - y;
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" fill=\"#f6f8fa\" \
         stroke=\"#d0d7de\"/>"
    );
    let _ = writeln!(
        names,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\" paint-order=\"stroke\" stroke=\"#f6f8fa\" \
         stroke-width=\"5\">{folder}</text>",
        x + FRAME,
        y + TITLE
    );
}

/// A line through the points of a way, level where it leaves and where it arrives.
fn arrow(text: &mut String, way: &[(f64, f64)]) {
    let Some(((x, y), rest)) = way.split_first() else { return };
    let mut path = format!("M{x:.1} {y:.1}");
    let mut from = (*x, *y);
    for (x, y) in rest {
        let middle = f64::midpoint(from.0, *x);
        let _ = write!(path, "C{middle:.1} {:.1} {middle:.1} {y:.1} {x:.1} {y:.1}", from.1);
        from = (*x, *y);
    }
    let _ = writeln!(
        text,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#57606a\" stroke-opacity=\"0.75\" marker-end=\"url(#head)\"/>"
    );
}

/// What the colours mean; gives the width that this takes.
fn legend(text: &mut String, y: f64, kinds: &[(Kind, &str)]) -> f64 {
    let mut x = MARGIN;
    for (kind, name) in kinds {
        let ((fill, line), corner) = (colours(*kind), corner(*kind) / 3.0);
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"18\" height=\"12\" rx=\"{corner:.1}\" fill=\"{fill}\" \
             stroke=\"{line}\"/>\n<text x=\"{:.1}\" y=\"{y:.1}\">{name}</text>",
            y - 10.0,
            x + 24.0
        );
        x += real(name.len()).mul_add(LETTER, 48.0);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture that is scaled to 1600 pixels must still be read.
    #[test]
    fn the_picture_fits_a_screen_without_being_made_smaller() {
        let families = families();
        let placed = Columns::of(&families, &size);
        assert!(placed.width <= 1600.0 && placed.height <= 900.0, "{} x {}", placed.width, placed.height);
    }

    #[test]
    fn arrows_lead_to_the_right_and_boxes_keep_clear_of_each_other() {
        let families = families();
        let placed = Columns::of(&families, &size);
        for way in &placed.ways {
            assert!(way.windows(2).all(|pair| pair[0].0 < pair[1].0), "{way:?}");
        }
        for (at, one) in placed.spots.iter().enumerate() {
            for (other_at, other) in placed.spots.iter().enumerate().skip(at + 1) {
                let beside = one.x + one.width <= other.x || other.x + other.width <= one.x;
                let apart = one.y + one.height < other.y || other.y + other.height < one.y;
                let names = (&families[at].names, &families[other_at].names);
                assert!(beside || apart, "{names:?}: {one:?} {other:?}");
            }
        }
    }

    /// What is in a frame is in its folder.
    #[test]
    fn frames_hold_the_files_of_their_folder_alone() {
        let families = families();
        let placed = Columns::of(&families, &size);
        for folder in folders(&families) {
            let spots = || families.iter().zip(&placed.spots);
            let own: Vec<&Spot> =
                spots().filter(|(family, _)| family.folder == folder).map(|(_, spot)| spot).collect();
            let left = own.iter().map(|spot| spot.x).fold(f64::INFINITY, f64::min) - FRAME;
            let top = own.iter().map(|spot| spot.y).fold(f64::INFINITY, f64::min) - FRAME - TITLE;
            let right = own.iter().map(|spot| spot.x + spot.width).fold(0.0, f64::max) + FRAME;
            let bottom = own.iter().map(|spot| spot.y + spot.height).fold(0.0, f64::max) + FRAME;
            for (family, spot) in spots().filter(|(family, _)| family.folder != folder) {
                let outside = spot.x >= right
                    || spot.x + spot.width <= left
                    || spot.y >= bottom
                    || spot.y + spot.height <= top;
                assert!(outside, "{:?} is in the frame of {folder}", family.names);
            }
        }
    }
}
