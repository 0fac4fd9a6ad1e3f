//! Where boxes and arrows are: which column, in which order, how high.

use super::{BETWEEN, FRAME, Family, GAP, MARGIN, TITLE};

/// How often the columns are put in order, from left to right and back.
const SWEEPS: usize = 24;
/// Height of the room that a passing arrow gets.
const PASSAGE: f64 = 4.0;

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Spot {
    fn middle(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// What has a place in a column: a family, or an arrow that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Family(usize),
    Passage,
}

/// All boxes and arrows of a picture.
pub(super) struct Columns {
    /// The box of each family.
    pub(super) spots: Vec<Spot>,
    /// The points of each arrow.
    pub(super) ways: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An entry with its neighbours.
struct Node<'a> {
    entry: Entry,
    column: usize,
    folder: &'a str,
    spot: Spot,
    /// The edges of its column.
    edges: (f64, f64),
    left: Vec<usize>,
    right: Vec<usize>,
}

impl<'a> Node<'a> {
    /// An entry that has neither a place nor neighbours yet.
    fn new(entry: Entry, column: usize, folder: &'a str, spot: Spot) -> Self {
        Self { entry, column, folder, spot, edges: (0.0, 0.0), left: Vec::new(), right: Vec::new() }
    }
}

impl Columns {
    /// Places families, of which `size` gives width and height.
    pub(super) fn of(families: &[Family<'_>], size: &dyn Fn(&Family<'_>) -> (f64, f64)) -> Self {
        let columns = columns(families);
        let (mut nodes, chains) = nodes(families, &columns, size);
        let count = columns.iter().max().map_or(0, |last| last + 1);
        let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (at, node) in nodes.iter().enumerate() {
            if let Some(column) = order.get_mut(node.column) {
                column.push(at);
            }
        }
        for sweep in 0..SWEEPS {
            let to_right = sweep % 2 == 0;
            for step in 0..count {
                let column = if to_right { step } else { count - 1 - step };
                arrange(&mut nodes, &mut order, column, to_right);
            }
        }
        let width = spread(&mut nodes, &order);
        let top = nodes.iter().map(|node| node.spot.y).fold(f64::INFINITY, f64::min);
        let down = MARGIN + FRAME + TITLE - top;
        for node in &mut nodes {
            node.spot.y += down;
        }
        let height = nodes.iter().map(|node| node.spot.y + node.spot.height).fold(0.0, f64::max);
        let mut spots = vec![Spot::default(); families.len()];
        for node in &nodes {
            if let Entry::Family(family) = node.entry
                && let Some(spot) = spots.get_mut(family)
            {
                *spot = node.spot;
            }
        }
        let ways = chains.iter().map(|chain| way(&nodes, chain)).collect();
        Self { spots, ways, width, height: height + FRAME + MARGIN }
    }
}

/// The column of each family: one behind the last of those that it is made of. Files of a folder share a column unless
/// one is made of another; what is made of nothing is just before the first that needs it.
fn columns(families: &[Family<'_>]) -> Vec<usize> {
    let mut columns = vec![0; families.len()];
    // A folder that moves to the right may push others: families are sorted, so that this ends after a few rounds.
    for _ in 0..families.len() {
        let before = columns.clone();
        for (at, family) in families.iter().enumerate() {
            let last = family.needs.iter().filter_map(|need| columns.get(*need)).max();
            columns[at] = columns[at].max(last.map_or(0, |last: &usize| last + 1));
        }
        for (at, family) in families.iter().enumerate().filter(|(_, family)| !family.folder.is_empty()) {
            let own = || families.iter().enumerate().filter(|(_, other)| other.folder == family.folder);
            if !own().any(|(_, other)| other.needs.contains(&at)) {
                columns[at] = own().map(|(other, _)| columns[other]).max().unwrap_or(columns[at]);
            }
        }
        if columns == before {
            break;
        }
    }
    for (at, family) in families.iter().enumerate() {
        if family.needs.is_empty() && family.folder.is_empty() {
            let users = families.iter().enumerate().filter(|(_, other)| other.needs.contains(&at));
            columns[at] =
                users.map(|(user, _)| columns[user]).min().map_or(0, |first| first.saturating_sub(1));
        }
    }
    columns
}

/// A node for each family and for each column that an arrow passes; the nodes of each arrow.
fn nodes<'a>(
    families: &[Family<'a>],
    columns: &[usize],
    size: &dyn Fn(&Family<'_>) -> (f64, f64),
) -> (Vec<Node<'a>>, Vec<Vec<usize>>) {
    let node = |(at, family): (usize, &Family<'a>)| {
        let (width, height) = size(family);
        let spot = Spot { width, height, ..Spot::default() };
        Node::new(Entry::Family(at), columns[at], family.folder, spot)
    };
    let mut nodes: Vec<Node<'a>> = families.iter().enumerate().map(node).collect();
    let mut chains = Vec::new();
    for (at, family) in families.iter().enumerate() {
        for need in &family.needs {
            let mut chain = vec![*need];
            for column in columns[*need] + 1..columns[at] {
                chain.push(nodes.len());
                let spot = Spot { height: PASSAGE, ..Spot::default() };
                nodes.push(Node::new(Entry::Passage, column, "", spot));
            }
            chain.push(at);
            for pair in chain.windows(2) {
                nodes[pair[0]].right.push(pair[1]);
                nodes[pair[1]].left.push(pair[0]);
            }
            chains.push(chain);
        }
    }
    (nodes, chains)
}

/// Puts a column in the order of its neighbours and gives it heights near theirs. Files of one folder stay together.
fn arrange(nodes: &mut [Node<'_>], order: &mut [Vec<usize>], column: usize, to_right: bool) {
    let Some(own) = order.get(column).cloned() else { return };
    let wanted = |at: usize| {
        let node = &nodes[at];
        let beside = if to_right { &node.left } else { &node.right };
        let beside = if beside.is_empty() { if to_right { &node.right } else { &node.left } } else { beside };
        let middles: Vec<f64> = beside.iter().map(|other| nodes[*other].spot.middle()).collect();
        middles.iter().sum::<f64>() / super::real(middles.len().max(1))
    };
    // Groups that stay together: the files of a folder, and everything else by itself.
    let mut groups: Vec<Vec<(usize, f64)>> = Vec::new();
    for at in own {
        let folder = nodes[at].folder;
        let known = groups.iter_mut().find(|group| !folder.is_empty() && nodes[group[0].0].folder == folder);
        match known {
            Some(group) => group.push((at, wanted(at))),
            None => groups.push(vec![(at, wanted(at))]),
        }
    }
    let middle = |group: &Vec<(usize, f64)>| {
        group.iter().map(|(_, wanted)| wanted).sum::<f64>() / super::real(group.len().max(1))
    };
    for group in &mut groups {
        group.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    }
    groups.sort_by(|one, other| middle(one).total_cmp(&middle(other)));
    let sorted: Vec<(usize, f64)> = groups.into_iter().flatten().collect();
    stack(nodes, &sorted);
    order[column] = sorted.into_iter().map(|(at, _)| at).collect();
}

/// Stacks entries without overlap, as near as possible to where each wants to be: entries that would overlap become one
/// block, which is where its entries want to be on average.
fn stack(nodes: &mut [Node<'_>], sorted: &[(usize, f64)]) {
    struct Block {
        entries: Vec<(usize, f64)>,
        top: f64,
        height: f64,
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut previous: Option<usize> = None;
    for (at, wanted) in sorted {
        let before = previous.map_or(0.0, |previous| room(&nodes[previous], &nodes[*at]));
        previous = Some(*at);
        let height = nodes[*at].spot.height;
        let mut block = Block {
            entries: vec![(*at, before)],
            top: wanted - height / 2.0 - before,
            height: before + height,
        };
        while let Some(last) = blocks.pop_if(|last| last.top + last.height > block.top) {
            let (one, other) = (super::real(last.entries.len()), super::real(block.entries.len()));
            let top = (last.top * one + (block.top - last.height) * other) / (one + other);
            let entries = [last.entries, block.entries].concat();
            block = Block { entries, top, height: last.height + block.height };
        }
        blocks.push(block);
    }
    for block in blocks {
        let mut y = block.top;
        for (at, before) in block.entries {
            y += before;
            nodes[at].spot.y = y;
            y += nodes[at].spot.height;
        }
    }
}

/// The room between two entries above each other.
fn room(upper: &Node<'_>, lower: &Node<'_>) -> f64 {
    let is_passage = |node: &Node| node.entry == Entry::Passage;
    let between = if is_passage(upper) && is_passage(lower) { PASSAGE } else { BETWEEN };
    if upper.folder == lower.folder {
        return between;
    }
    let below = if upper.folder.is_empty() { 0.0 } else { FRAME };
    let above = if lower.folder.is_empty() { 0.0 } else { FRAME + TITLE };
    between + below + above
}

/// Gives the columns their places from left to right; gives the width of the picture.
fn spread(nodes: &mut [Node<'_>], order: &[Vec<usize>]) -> f64 {
    let mut x = MARGIN + FRAME;
    for column in order {
        let widest = column.iter().map(|at| nodes[*at].spot.width).fold(0.0, f64::max);
        for at in column {
            let node = &mut nodes[*at];
            node.edges = (x, x + widest);
            // Files of a folder are as wide as their column, other boxes in its middle.
            if node.entry == Entry::Passage || !node.folder.is_empty() {
                node.spot.width = widest;
            }
            node.spot.x = x + (widest - node.spot.width) / 2.0;
        }
        x += widest + GAP + 2.0 * FRAME;
    }
    x - GAP - FRAME + MARGIN
}

/// The points of an arrow: from the right side of its first box to the left side of its last one. It is level between
/// the edges of a column, so that it passes no other box there.
fn way(nodes: &[Node<'_>], chain: &[usize]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (number, at) in chain.iter().enumerate() {
        let Node { spot, edges, .. } = &nodes[*at];
        if number > 0 {
            points.extend([(edges.0, spot.middle()), (spot.x, spot.middle())]);
        }
        if number + 1 < chain.len() {
            points.extend([(spot.x + spot.width, spot.middle()), (edges.1, spot.middle())]);
        }
    }
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn family(name: &'static str, needs: &[usize]) -> Family<'static> {
        Family { folder: "", kind: Kind::Value, names: vec![name], needs: needs.to_vec() }
    }

    #[test]
    fn columns_follow_the_longest_way() {
        let families = [
            family("a", &[]),
            family("b", &[0]),
            family("c", &[0, 1]),
            family("d", &[]),
            family("e", &[2, 3]),
        ];
        assert_eq!(columns(&families), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn an_arrow_passes_the_columns_between() {
        let families = [family("a", &[]), family("b", &[0]), family("c", &[0, 1])];
        let placed = Columns::of(&families, &|_| (50.0, 20.0));
        let long = placed.ways.iter().map(Vec::len).max();
        assert_eq!(long, Some(4));
        let (box_b, way) = (placed.spots[1], placed.ways.iter().find(|way| way.len() == 4));
        let beside = way.is_some_and(|way| way[1].1 < box_b.y || way[1].1 > box_b.y + box_b.height);
        assert!(beside, "{way:?} {box_b:?}");
    }
}
