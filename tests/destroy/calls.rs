//! What was asked of a cloud: what changes something there, and what only looks.

use std::collections::BTreeMap;

use crate::front::{Asked, Reply, forward};

/// How the names of actions begin that change nothing.
const LOOKS: &[&str] = &["Describe", "Get", "List", "Lookup", "AssumeRole", "GET ", "HEAD "];

/// Whether a request changes something. Route 53 and S3 have no names for their actions, but methods.
pub fn changes(asked: &Asked) -> bool {
    let action = asked.action();
    // One zone's tags are read, those of many are asked for with a body.
    let is_list = asked.service() == "route53" && asked.path.ends_with("/tags/hostedzone");
    !asked.service().is_empty() && !is_list && !LOOKS.iter().any(|look| action.starts_with(look))
}

/// The requests that change something, by service and action.
pub fn changing(asked: &[Asked]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for asked in asked.iter().filter(|asked| changes(asked)) {
        *counts.entry(format!("{} {}", asked.service(), asked.action())).or_default() += 1;
    }
    counts
}

/// What moto answers to a request.
pub fn passed(asked: &Asked, port: u16) -> Reply {
    let answer = forward(asked, port).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    let headers: Vec<(String, &str)> = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let kind =
        headers.iter().find(|(name, _)| name == "content-type").map_or("text/xml", |(_, value)| *value);
    let own = ["connection", "content-length", "content-type", "transfer-encoding"];
    let others = headers.iter().filter(|(name, _)| !own.contains(&name.as_str()));
    others.fold(Reply::new(status, kind, body), |reply, (name, value)| reply.header(name, value))
}
