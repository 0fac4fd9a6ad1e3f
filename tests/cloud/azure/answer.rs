//! Answers as the servers of a cloud write them.

use serde_json::{Value, json};

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn new(status: u16, kind: &str, body: impl Into<String>) -> Self {
        Self { status, headers: vec![("content-type".to_owned(), kind.to_owned())], body: body.into() }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", body.to_string())
    }

    /// A refusal of the resource manager.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &json!({ "error": { "code": code, "message": message } }))
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The value of a header; empty where there is none.
    pub fn of_header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
    }

    /// The same without its body, as one asks for it by `HEAD`.
    pub fn without_body(mut self) -> Self {
        self.body = String::new();
        if self.of_header("content-length").is_empty() { self.header("content-length", "0") } else { self }
    }

    /// What goes over the wire, with the id by which the cloud's support finds the request.
    pub fn bytes(&self, correlation: &str) -> Vec<u8> {
        // An answer of no content has no length either, and some say what the length of something else is.
        let empty = self.status == 204;
        let has_length = !self.of_header("content-length").is_empty();
        let length =
            (!empty && !has_length).then(|| ("content-length".to_owned(), self.body.len().to_string()));
        let ids = ["x-ms-correlation-request-id", "x-ms-request-id"];
        let ids = ids.map(|name| (name.to_owned(), correlation.to_owned()));
        let all = length.into_iter().chain(ids).chain(self.headers.iter().cloned());
        let lines: Vec<String> = all.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let body = if empty { "" } else { self.body.as_str() };
        format!("HTTP/1.1 {} -\r\n{}\r\n{body}", self.status, lines.concat()).into_bytes()
    }
}

/// What the resource manager says to whoever asks too often.
pub fn throttled(seconds: u32) -> Answer {
    let message = "The request is being throttled as the limit has been reached for operation type - Read.";
    Answer::error(429, "TooManyRequests", message).header("retry-after", &seconds.to_string())
}

/// What it says where it has a fault of its own.
pub fn failing() -> Answer {
    Answer::error(500, "InternalServerError", "An error occurred.")
}

/// What stands in front of it says where it is gone.
pub fn unavailable() -> Answer {
    Answer::new(503, "text/html", "<html><body><h1>Service Unavailable</h1></body></html>")
}

/// What it says to those who may not.
pub fn denied(action: &str) -> Answer {
    let message = format!(
        "The client 'lander' with object id 'lander' does not have authorization to perform action \
         '{action}' over scope '/' or the scope is invalid. If access was recently granted, please \
         refresh your credentials."
    );
    Answer::error(403, "AuthorizationFailed", &message)
}

/// A page for people.
pub fn page() -> Answer {
    Answer::new(200, "text/html", "<!doctype html><html><body>Sign in to the network</body></html>")
}

/// A document that ends too early.
pub fn torn() -> Answer {
    Answer::new(200, "application/json; charset=utf-8", "{\"value\":[{\"name\":")
}
