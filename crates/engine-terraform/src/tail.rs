//! Lines of a file that is still being written.
#![allow(clippy::disallowed_methods, reason = "what a program writes is read from its file")]

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// So much of a line is kept. Longer ones hold what somebody's program printed, and no event.
const LONGEST: usize = 4 << 20;

/// A file whose lines are read as they come.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    /// The beginning of a line whose end is not written yet.
    partial: Vec<u8>,
}

impl Tail {
    /// Begins at the start of a file.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, partial: Vec::new() })
    }

    /// Gives `each` every line that has been completed since. Of a line that is too long, its beginning.
    pub(super) fn follow(&mut self, each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = match self.file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            for piece in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
                let (text, ends) = match piece.strip_suffix(b"\n") {
                    Some(text) => (text, true),
                    None => (piece, false),
                };
                let room = LONGEST.saturating_sub(self.partial.len());
                self.partial.extend_from_slice(&text[..text.len().min(room)]);
                if ends {
                    each(&self.partial);
                    self.partial.clear();
                }
            }
        }
    }

    /// Passes the rest to `each` once the writer is gone, also a last line without an end.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.follow(each)?;
        if !self.partial.is_empty() {
            each(&self.partial);
            self.partial.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn lines(tail: &mut Tail) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        tail.follow(&mut |line| lines.push(String::from_utf8_lossy(line).into_owned()))?;
        Ok(lines)
    }

    #[test]
    fn gives_lines_once_they_are_whole() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("stream");
        let mut file = File::create(&path)?;
        let mut tail = Tail::open(&path)?;
        assert_eq!(lines(&mut tail)?, Vec::<String>::new());
        file.write_all(b"one\ntw")?;
        assert_eq!(lines(&mut tail)?, ["one"]);
        file.write_all(b"o\n\nthree")?;
        assert_eq!(lines(&mut tail)?, ["two", ""]);
        let mut last = Vec::new();
        tail.finish(&mut |line| last.push(line.to_vec()))?;
        assert_eq!(last, [b"three".to_vec()]);
        Ok(())
    }

    #[test]
    fn keeps_a_bounded_part_of_a_line() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("stream");
        let mut text = vec![b'x'; LONGEST + 100_000];
        text.extend_from_slice(b"\nnext\n");
        std::fs::write(&path, text)?;
        let mut lengths = Vec::new();
        Tail::open(&path)?.follow(&mut |line| lengths.push(line.len()))?;
        assert_eq!(lengths, [LONGEST, 4]);
        Ok(())
    }
}
