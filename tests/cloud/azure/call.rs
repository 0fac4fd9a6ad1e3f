//! Requests as Azure reads them: paths without regard to capitals, and what they ask for by name.

use std::collections::BTreeMap;

use url::form_urlencoded;

use crate::front::Asked;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: String,
    /// In small letters, without a slash at its end.
    pub path: String,
    /// As the client writes it.
    pub written: String,
    query: BTreeMap<String, String>,
    /// Host and port as the client knows them.
    pub host: String,
    /// What the client says of itself.
    pub authorization: String,
    pub body: String,
}

impl Call {
    pub fn of(asked: &Asked) -> Self {
        let (path, query) = asked.path.split_once('?').unwrap_or((asked.path.as_str(), ""));
        Self {
            method: asked.method.clone(),
            path: decoded(path).to_lowercase().trim_end_matches('/').to_owned(),
            written: decoded(path).trim_end_matches('/').to_owned(),
            query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            host: asked.header("host").to_owned(),
            authorization: asked.header("authorization").to_owned(),
            body: asked.body.clone(),
        }
    }

    /// The id of what the path leads to, with the capitals of the client.
    pub fn id(&self) -> String {
        // Clients write these as they like, and Azure always so.
        let parts = self.written.split('/').map(|part| match part.to_lowercase().as_str() {
            "subscriptions" => "subscriptions".to_owned(),
            "resourcegroups" => "resourceGroups".to_owned(),
            "providers" => "providers".to_owned(),
            _ => part.to_owned(),
        });
        parts.collect::<Vec<String>>().join("/")
    }

    /// The same call of a path that lies below another one.
    pub fn below(&self, around: &str) -> Self {
        let (path, written) = (format!("{around}{}", self.path), format!("{around}{}", self.written));
        Self { path, written, ..self.clone() }
    }

    /// The parts of the path.
    pub fn segments(&self) -> Vec<&str> {
        self.path.split('/').filter(|part| !part.is_empty()).collect()
    }

    /// A value of the query; empty where there is none.
    pub fn asks(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// Where the same is asked for, with one value of the query changed.
    pub fn again(&self, name: &str, value: &str) -> String {
        let others = self.query.iter().filter(|(known, _)| *known != name);
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(others)
            .append_pair(name, value)
            .finish();
        format!("https://{}{}?{query}", self.host, self.path)
    }

    /// The fields of the form that the body is.
    pub fn form(&self) -> BTreeMap<String, String> {
        form_urlencoded::parse(self.body.as_bytes()).into_owned().collect()
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits: Vec<u8> = rest.by_ref().take(2).collect();
        let digits = String::from_utf8_lossy(&digits).into_owned();
        bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'%'));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
