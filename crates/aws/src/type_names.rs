//! What the name of an instance type says: `m6i.xlarge` is of family `m`, generation 6, series `m6i` and size
//! `xlarge`.

use std::cmp::Reverse;

use super::catalogue::family;

/// The generation: the number after the family; 0 where there is none.
pub(super) fn generation(name: &str) -> u32 {
    let rest = name.strip_prefix(family(name)).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Series and size.
fn parts(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or((name, ""))
}

/// How far a name is from what somebody who sought others would take; the least is the nearest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance<'n> {
    /// Place of the family among those that were sought.
    family: usize,
    generation: Reverse<u32>,
    series: &'n str,
    /// Whether the size is none that was sought.
    other_size: bool,
    size: (usize, u32),
}

impl<'n> Distance<'n> {
    fn of(name: &'n str, sought: &[&str]) -> Self {
        let (series, size) = parts(name);
        let akin = sought.iter().position(|other| family(other) == family(name));
        Self {
            family: akin.unwrap_or(sought.len()),
            generation: Reverse(generation(name)),
            series,
            other_size: !sought.iter().any(|other| parts(other).1 == size),
            size: size_order(size),
        }
    }
}

/// The order in which sizes are proposed: multiples of `xlarge` from one up, then what is smaller, then the
/// rest, such as whole machines.
fn size_order(size: &str) -> (usize, u32) {
    const SMALLER: &[&str] = &["large", "medium", "small", "micro", "nano"];
    let times = match size.strip_suffix("xlarge") {
        Some("") => Some(1),
        Some(times) => times.parse().ok(),
        None => None,
    };
    match times {
        Some(times) => (0, times),
        None => (1 + SMALLER.iter().position(|known| *known == size).unwrap_or(SMALLER.len()), 0),
    }
}

/// The names in the order in which they are proposed to somebody who sought others in vain: their families
/// first, newer generations before older ones, and at most `each` sizes of a series.
pub fn proposed<'n>(names: impl IntoIterator<Item = &'n str>, sought: &[&str], each: usize) -> Vec<&'n str> {
    let mut names: Vec<&'n str> = names.into_iter().collect();
    names.sort_by_key(|&name| Distance::of(name, sought));
    let (mut last, mut count) = ("", 0_usize);
    names.retain(|&name| {
        let (series, _) = parts(name);
        count = if series == last { count + 1 } else { 1 };
        last = series;
        count <= each
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_generation() {
        let names = ["m6i.xlarge", "c10gn.2xlarge", "u-6tb1.metal", "mac2-m2.metal", "q", ""];
        assert_eq!(names.map(generation), [6, 10, 0, 2, 0, 0]);
        assert_eq!(parts("m7i-flex.2xlarge"), ("m7i-flex", "2xlarge"));
    }

    #[test]
    fn the_family_that_was_sought_comes_first_and_its_newest_generation() {
        let names =
            ["c3.4xlarge", "m4.xlarge", "m7i.2xlarge", "m7i.xlarge", "m7i.metal", "m6a.large", "c9.large"];
        let expected = ["m7i.xlarge", "m6a.large", "m4.xlarge", "c9.large", "c3.4xlarge"];
        assert_eq!(proposed(names, &["m9.huge"], 1), expected);
        let two = proposed(names, &["c5.large", "m9.2xlarge"], 2);
        assert_eq!(&two[..4], ["c9.large", "c3.4xlarge", "m7i.2xlarge", "m7i.xlarge"]);
    }

    #[test]
    fn sizes_are_proposed_from_the_smallest_whole_one() {
        let names = ["t3.nano", "t3.medium", "t3.metal", "t3.2xlarge", "t3.large", "t3.xlarge"];
        let expected = ["t3.xlarge", "t3.2xlarge", "t3.large", "t3.medium", "t3.nano", "t3.metal"];
        assert_eq!(proposed(names, &[], 9), expected);
    }
}
