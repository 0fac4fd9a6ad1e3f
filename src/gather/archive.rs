//! The archive and the list of what is in it.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use tempfile::NamedTempFile;

use super::{Gathered, Piece};
use crate::ui::layout::{grid, table};
use crate::ui::{Style, counted, printable};

/// The name of the list in the archive.
pub const MANIFEST: &str = "MANIFEST";
/// Only its owner may read a file.
const PRIVATE: u32 = 0o600;

impl Gathered {
    /// What is in the archive, and what is not, as a table.
    #[must_use]
    pub fn manifest(&self, style: Style) -> String {
        let row = |piece: &Piece| {
            let about = format!("{}{}", piece.about, redacted(piece.redacted()));
            vec![piece.text().len().to_string(), printable(&piece.path), about]
        };
        let rows: Vec<Vec<String>> = self.pieces.iter().map(row).collect();
        let mut text = grid(&["BYTES", "FILE", "WHAT IT IS"], &[0], &rows, style);
        if !self.missing.is_empty() {
            let missing = self.missing.iter().map(|one| (printable(&one.path), printable(&one.why)));
            text.push_str("not included:\n");
            text.push_str(&table(&missing.collect::<Vec<(String, String)>>(), 2, style));
        }
        text
    }
}

fn redacted(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", {} redacted", counted(count, "value")) }
}

/// Writes an archive that only its owner may read, of a time in seconds since 1970. Everything in it is in one folder, the
/// list first.
///
/// # Errors
/// The archive cannot be written, or there is a file of this name already.
pub fn write(path: &Path, folder: &str, seconds: i64, gathered: &Gathered) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Created with mode 0600, and gone unless it is complete.
    let file = NamedTempFile::new_in(parent)?;
    let time = u64::try_from(seconds).unwrap_or(0);
    let mut builder = Builder::new(GzEncoder::new(file, Compression::default()));
    let manifest = gathered.manifest(Style::PLAIN);
    let pieces = gathered.pieces.iter().map(|piece| (piece.path.as_str(), piece.text()));
    for (name, text) in std::iter::once((MANIFEST, manifest.as_str())).chain(pieces) {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(PRIVATE);
        header.set_mtime(time);
        header.set_size(u64::try_from(text.len()).unwrap_or(u64::MAX));
        builder.append_data(&mut header, format!("{folder}/{name}"), text.as_bytes())?;
    }
    let mut file = builder.into_inner()?.finish()?;
    file.flush()?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|fault| fault.error)?;
    Ok(())
}
