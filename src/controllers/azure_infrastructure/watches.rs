//! What the operator's objects of all clusters do: one watch for each kind, whatever the number of clusters.

use ::kube::Client;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};

use crate::engine::aso::drive::{Feed, Live, News};
use crate::engine::aso::keys;
use crate::engine::aso::kinds::{KINDS, Kind};
use crate::kube::Fault;

/// News of all objects that belong to a cluster, without end. A kind that the cluster does not serve has none.
pub(super) fn all(client: &Client) -> BoxStream<'static, News> {
    let watches = KINDS.iter().map(|kind| {
        let watch = Watch { client: client.clone(), kind, version: 0, feed: None };
        stream::unfold(watch, |mut watch| async move { Some((watch.news().await, watch)) }).boxed()
    });
    stream::select_all(watches.collect::<Vec<Feed>>()).boxed()
}

/// The watch of one kind, in the version that is served.
struct Watch {
    client: Client,
    kind: &'static Kind,
    /// The place of the version that is tried.
    version: usize,
    feed: Option<Feed>,
}

impl Watch {
    async fn news(&mut self) -> News {
        let version = self.kind.versions[self.version];
        let client = &self.client;
        let begin = || Live::feed(client, &[(self.kind, version)], None, keys::CLUSTER);
        let news = self.feed.get_or_insert_with(begin).next().await;
        match news {
            Some(News::Broke { kind, why }) => {
                if why != Fault::NotFound.why() {
                    tracing::warn!(kind, %why, "a watch broke");
                    return News::Broke { kind, why };
                }
                self.feed = None;
                self.version = (self.version + 1) % self.kind.versions.len();
                // Neither version is served, as far as is known by now.
                if self.version == 0 { News::All(kind, Vec::new()) } else { News::Broke { kind, why } }
            }
            Some(news) => news,
            None => {
                self.feed = None;
                News::Broke { kind: self.kind.kind, why: String::new() }
            }
        }
    }
}
