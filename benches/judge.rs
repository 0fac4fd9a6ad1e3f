//! How long reading and judging takes. `docs/performance.md` has the figures and how to repeat them.
#![allow(missing_docs, reason = "the macros of criterion make items without them")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use landfall_diagnostics::Findings;
use landfall_install_config::verdict::{Outcome, Strictness, judge};

/// A 15-line config for AWS.
const SMALL: &str = include_str!("small.yaml");
/// A 200-line config for AWS that uses most fields.
const LARGE: &str = include_str!("large.yaml");

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("judge");
    for (name, text) in [("15 lines", SMALL), ("200 lines", LARGE)] {
        let outcome = judge(text.as_bytes(), Strictness::default()).outcome;
        assert_eq!(outcome, Outcome::Accepted, "the benchmark measures accepted files");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| judge(black_box(text.as_bytes()), Strictness::default()));
        });
    }
    group.bench_function("the parser alone, 200 lines", |b| {
        b.iter(|| granit_parser::Parser::new_from_str(black_box(LARGE)).count());
    });
    group.bench_function("reading alone, 200 lines", |b| {
        b.iter(|| landfall_source::read(black_box(LARGE), &mut Findings::default()));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
