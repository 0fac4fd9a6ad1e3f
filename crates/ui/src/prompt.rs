//! Questions to a person: on standard error, answered on standard input, both terminals.
//!
//! The terminal does not echo while questions are open, so that nothing typed or pasted early is shown
//! twice, or at all where it must not be. However the last question ends, it is as it was afterwards.

#![allow(
    clippy::disallowed_methods,
    reason = "the terminal that is asked on is standard input and standard error"
)]

mod editor;
mod list;
mod screen;

use std::io::{self, ErrorKind};

use console::{Key, Term, measure_text_width, set_colors_enabled_stderr, style, truncate_str};
use landfall_diagnostics::secret::Secret;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::layout::{folded, wrapped};
use super::{printable, printable_lines};
use editor::Editor;
use list::List;
use screen::{Screen, View};

/// Columns of a line of a question that the mark before it and a short answer after it take.
const ANSWER: usize = 16;
/// Lines of the screen that no list takes: the question itself, and what was said before it.
const LINES_ABOVE: u16 = 8;
/// A list is never shorter, however small the screen.
const SHORTEST_LIST: u16 = 3;
/// How often an open question looks whether the terminal was resized.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The user stopped with Ctrl-C.
    #[error("stopped")]
    Stopped,
    /// The terminal is gone, or does not do what terminals do.
    #[error("cannot ask on this terminal")]
    Lost(#[source] io::Error),
}

impl From<io::Error> for NoAnswer {
    fn from(fault: io::Error) -> Self {
        if fault.kind() == ErrorKind::Interrupted { Self::Stopped } else { Self::Lost(fault) }
    }
}

/// What is wrong with an answer; nothing where it can be taken.
pub type Check<'c> = &'c dyn Fn(&str) -> Result<(), String>;

/// A terminal while questions are put on it.
pub struct Prompts {
    term: Term,
    colour: bool,
    modes: Termios,
}

impl Prompts {
    /// Takes the terminal. From now on Ctrl-C ends a question, not the program.
    ///
    /// # Errors
    /// There is no terminal.
    pub fn new(colour: bool) -> Result<Self, NoAnswer> {
        catch_interrupts()?;
        set_colors_enabled_stderr(colour);
        let modes = tcgetattr(io::stdin()).map_err(io::Error::from)?;
        let prompts = Self { term: Term::stderr(), colour, modes };
        prompts.without(LocalModes::ECHO)?;
        Ok(prompts)
    }

    /// Says one line between questions.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn say(&self, line: &str) -> Result<(), NoAnswer> {
        Ok(self.term.write_line(&folded(&printable(line), self.columns()))?)
    }

    /// Lets the user choose one of a few items with the arrow keys; gives its number.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn choose(&self, question: &str, items: &[String], default: usize) -> Result<usize, NoAnswer> {
        let items: Vec<String> = items.iter().map(|item| printable(item)).collect();
        self.listed(question, &items, 0, List::of(&items, default))
    }

    /// Lets the user choose one of many items by typing any part of it; gives its number. The first item is
    /// the default; the last `always` items are offered whatever is typed, and are no answers. What was said before the question stays on
    /// the screen.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn search(&self, question: &str, items: &[String], always: usize) -> Result<usize, NoAnswer> {
        let items: Vec<String> = items.iter().map(|item| printable(item)).collect();
        self.listed(question, &items, always, List::searched(&items, always))
    }

    /// Puts a list on the screen until an item is chosen. The last `always` items are no answers: they leave no line.
    fn listed(
        &self,
        question: &str,
        items: &[String],
        always: usize,
        mut list: List<'_>,
    ) -> Result<usize, NoAnswer> {
        self.asked(|| {
            let mut screen = Screen::new(&self.term);
            loop {
                screen.draw(self.list_view(question, &mut list))?;
                match self.key(&screen)? {
                    None => {}
                    Some(Key::Enter) => {
                        let Some(chosen) = list.chosen() else { continue };
                        let answers = items.get(..items.len().saturating_sub(always)).unwrap_or_default();
                        let answer = answers.get(chosen).map(|item| self.closed(question, item));
                        screen.close(&answer.unwrap_or_default())?;
                        return Ok(chosen);
                    }
                    Some(key) => list.press(&key),
                }
            }
        })
    }

    fn list_view(&self, question: &str, list: &mut List<'_>) -> View {
        let columns = self.columns();
        let (mut rows, cursor) = match list.query() {
            Some(query) => {
                let (rows, cursor) = self.typed(&format!("{question} (type to search)"), "", query);
                (rows, Some(cursor))
            }
            None => (vec![format!("{}{question}:", self.mark())], None),
        };
        if list.has_no_match() {
            rows.push(format!("  {}", style("no match; Ctrl-U clears").for_stderr().yellow()));
        }
        let page = list.page(longest_list(self.term.size().0));
        for (item, is_chosen) in page.items {
            let item = truncate_str(item, columns.saturating_sub(3), "...");
            rows.push(if is_chosen {
                style(format!("> {item}")).for_stderr().cyan().to_string()
            } else {
                format!("  {item}")
            });
        }
        if page.hidden > 0 {
            rows.push(style(format!("  {} more", page.hidden)).for_stderr().dim().to_string());
        }
        View { rows, cursor }
    }

    /// Asks for yes or no; no is the default.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn confirm(&self, question: &str) -> Result<bool, NoAnswer> {
        self.asked(|| {
            let mut screen = Screen::new(&self.term);
            loop {
                let mut rows = self.question_rows(question);
                if let Some(last) = rows.last_mut() {
                    last.push_str(" [y/N] ");
                }
                let cursor = Some((rows.len() - 1, rows.last().map_or(0, |row| measure_text_width(row))));
                screen.draw(View { rows, cursor })?;
                let answer = match self.key(&screen)? {
                    Some(Key::Char('y' | 'Y')) => true,
                    Some(Key::Char('n' | 'N') | Key::Enter) => false,
                    _ => continue,
                };
                let word = if answer { "yes" } else { "no" };
                screen.close(&self.ended(question, word, answer))?;
                return Ok(answer);
            }
        })
    }

    /// Asks for a line of text until `check` takes it. Blanks around it are cut off. A refused text stays in the line,
    /// below what is wrong with it.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn text(&self, question: &str, default: Option<&str>, check: Check<'_>) -> Result<String, NoAnswer> {
        self.line(question, default, check, &|_| true)
    }

    /// Asks for a word that confirms something, and gives what was typed instead or the word, without blanks around
    /// it. Only the word looks accepted.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn confirming(&self, question: &str, word: &str) -> Result<String, NoAnswer> {
        self.line(question, None, &|_| Ok(()), &|answer| answer == word)
    }

    /// Asks for a line of text until `check` takes it. Whether the user goes on with it is told by the mark.
    fn line(
        &self,
        question: &str,
        default: Option<&str>,
        check: Check<'_>,
        goes_on: &dyn Fn(&str) -> bool,
    ) -> Result<String, NoAnswer> {
        self.asked(|| {
            let mut screen = Screen::new(&self.term);
            let (mut line, mut fault) = (Editor::default(), None::<String>);
            let shown = default.map(|default| format!(" [{}]", printable(default))).unwrap_or_default();
            loop {
                let (mut rows, (row, column)) = self.typed(question, &shown, &line);
                let refusal = fault.iter().flat_map(|why| self.refusal(why)).collect::<Vec<String>>();
                let cursor = Some((row + refusal.len(), column));
                rows.splice(0..0, refusal);
                screen.draw(View { rows, cursor })?;
                match self.key(&screen)? {
                    None => {}
                    Some(Key::Enter) => {
                        let typed = line.text().trim().to_owned();
                        let answer = default.filter(|_| typed.is_empty()).map_or(typed, str::to_owned);
                        match check(&answer) {
                            Ok(()) => {
                                screen.close(&self.ended(question, &printable(&answer), goes_on(&answer)))?;
                                return Ok(answer);
                            }
                            Err(why) => fault = Some(why),
                        }
                    }
                    Some(key) => {
                        line.press(&key);
                    }
                }
            }
        })
    }

    /// Asks for a text that is never shown, until `check` takes it. It goes on over several lines as long as
    /// `more` says of what there is; an empty line always ends it.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn hidden(
        &self,
        question: &str,
        more: &dyn Fn(&str) -> bool,
        check: Check<'_>,
    ) -> Result<Secret<String>, NoAnswer> {
        self.asked(|| {
            let mut screen = Screen::new(&self.term);
            let mut fault = None::<String>;
            loop {
                let text = self.read_hidden(question, fault.as_deref(), more, &mut screen)?;
                match check(text.expose()) {
                    Ok(()) => {
                        screen.close(&self.closed(question, "(hidden)"))?;
                        return Ok(text);
                    }
                    Err(why) => fault = Some(why),
                }
            }
        })
    }

    fn read_hidden(
        &self,
        question: &str,
        fault: Option<&str>,
        more: &dyn Fn(&str) -> bool,
        screen: &mut Screen<'_>,
    ) -> Result<Secret<String>, NoAnswer> {
        let mut text = String::new();
        let draw = |screen: &mut Screen<'_>| {
            let (mut rows, (row, column)) = self.typed(question, "", &Editor::default());
            let refusal = fault.map(|why| self.refusal(why)).unwrap_or_default();
            let cursor = Some((row + refusal.len(), column));
            rows.splice(0..0, refusal);
            screen.draw(View { rows, cursor })
        };
        draw(screen)?;
        loop {
            match self.key(screen)? {
                None => draw(screen)?,
                Some(Key::Enter) if text.is_empty() => {}
                Some(Key::Enter) if text.ends_with('\n') || !more(&text) => return Ok(Secret::new(text)),
                Some(Key::Enter) => text.push('\n'),
                Some(Key::Tab) => text.push('\t'),
                Some(Key::Backspace) => {
                    text.pop();
                }
                // Ctrl-D.
                Some(Key::Char('\u{4}')) if text.is_empty() => {
                    return Err(NoAnswer::Lost(ErrorKind::UnexpectedEof.into()));
                }
                // Ctrl-U.
                Some(Key::Char('\u{15}')) => text.clear(),
                Some(Key::Char(c)) if !c.is_control() => text.push(c),
                _ => {}
            }
        }
    }

    /// The next key; none where the terminal was resized before one came.
    fn key(&self, screen: &Screen<'_>) -> Result<Option<Key>, NoAnswer> {
        let stdin = io::stdin();
        loop {
            if screen.is_stale() {
                return Ok(None);
            }
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK)) {
                Ok(0) => {}
                Ok(_) => {
                    return match self.term.read_key_raw()? {
                        Key::CtrlC => Err(NoAnswer::Stopped),
                        key => Ok(Some(key)),
                    };
                }
                // A signal, such as that of a resize; SIGINT ends the question.
                Err(Errno::INTR) if screen.is_stale() => return Ok(None),
                Err(fault) => return Err(io::Error::from(fault).into()),
            }
        }
    }

    /// The mark of an open question.
    fn mark(&self) -> String {
        if self.colour { format!("{} ", style("?").for_stderr().yellow()) } else { String::new() }
    }

    /// The rows of an open question, the first behind the mark.
    fn question_rows(&self, question: &str) -> Vec<String> {
        self.marked(&self.mark(), question_lines(question, self.columns()))
    }

    /// An answered question.
    fn closed(&self, question: &str, answer: &str) -> Vec<String> {
        self.ended(question, answer, true)
    }

    /// An answered question, and whether the user goes on with the answer.
    fn ended(&self, question: &str, answer: &str, goes_on: bool) -> Vec<String> {
        let end = if question.ends_with('?') { "" } else { ":" };
        let text = format!("{}{end} {answer}", printable_lines(question));
        let rows = text.split('\n').flat_map(|line| {
            let line = folded(line, self.columns().saturating_sub(2));
            line.split('\n').map(str::to_owned).collect::<Vec<String>>()
        });
        let mark = if goes_on { style("✔").for_stderr().green() } else { style("✘").for_stderr().red() };
        self.marked(&format!("{mark} "), rows.collect())
    }

    /// Rows behind a mark, which stands in the first of them; without colour there are no marks.
    fn marked(&self, mark: &str, rows: Vec<String>) -> Vec<String> {
        if !self.colour {
            return rows;
        }
        let mark_of = |number| if number == 0 { mark } else { "  " };
        rows.into_iter().enumerate().map(|(number, row)| format!("{}{row}", mark_of(number))).collect()
    }

    /// What is wrong with an answer.
    fn refusal(&self, why: &str) -> Vec<String> {
        let lines = wrapped(&format!("error: {}", printable(why)), self.columns().saturating_sub(1));
        lines.into_iter().map(|line| style(line).for_stderr().red().to_string()).collect()
    }

    /// The rows of a question whose answer is being typed, and row and column of the cursor.
    fn typed(&self, question: &str, default: &str, line: &Editor) -> (Vec<String>, (usize, usize)) {
        let columns = self.columns().saturating_sub(1).max(ANSWER);
        let mut rows = self.question_rows(question);
        let head = format!("{}{default}: ", rows.pop().unwrap_or_default());
        let above = rows.len();
        let before = measure_text_width(&head) + measure_text_width(&line.before_cursor());
        rows.extend(broken(&format!("{head}{}", line.text()), columns));
        let cursor = (above + before / columns, before % columns);
        while rows.len() <= cursor.0 {
            rows.push(String::new());
        }
        (rows, cursor)
    }

    /// Puts a question whose keys come one by one, Ctrl-C among them.
    fn asked<T>(&self, ask: impl FnOnce() -> Result<T, NoAnswer>) -> Result<T, NoAnswer> {
        self.without(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN)?;
        let answer = ask();
        if answer.is_err() {
            // There may be nobody left to see it.
            let _ = self.term.show_cursor();
            let _ = self.term.write_line("");
        }
        let restored = self.without(LocalModes::ECHO);
        let answer = answer?;
        restored?;
        Ok(answer)
    }

    /// Sets the terminal as it was, without some of its modes.
    fn without(&self, off: LocalModes) -> Result<(), NoAnswer> {
        let mut modes = self.modes.clone();
        modes.local_modes.remove(off);
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &modes).map_err(io::Error::from)?)
    }

    /// The columns of the terminal.
    fn columns(&self) -> usize {
        usize::from(self.term.size().1)
    }
}

impl Drop for Prompts {
    fn drop(&mut self) {
        // There may be no terminal any more.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.modes);
        let _ = self.term.show_cursor();
    }
}

/// A text in rows of so many columns, broken anywhere; its beginning may be coloured.
fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut width = 0;
    let mut escape = false;
    for letter in text.chars() {
        escape |= letter == '\u{1b}';
        let own = if escape { 0 } else { measure_text_width(letter.encode_utf8(&mut [0; 4])) };
        if width + own > columns {
            rows.push(String::new());
            width = 0;
        }
        width += own;
        if let Some(row) = rows.last_mut() {
            row.push(letter);
        }
        escape &= letter != 'm';
    }
    rows
}

/// The lines of a question on a terminal of so many columns, with room for the mark before it and the answer
/// after it.
fn question_lines(question: &str, columns: usize) -> Vec<String> {
    wrapped(&printable_lines(question), columns.saturating_sub(ANSWER).max(ANSWER))
}

/// How many items of a list are shown at a time on a screen of so many lines.
fn longest_list(lines: u16) -> usize {
    usize::from(lines.saturating_sub(LINES_ABOVE).max(SHORTEST_LIST))
}

/// Keeps SIGINT from ending the process: whoever reads a key learns of it as an error.
fn catch_interrupts() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let _inside = runtime.enter();
    // The handler stays when what listens to it is dropped.
    signal(SignalKind::interrupt()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_question_has_several_lines_of_whole_words() {
        let question = "Create 150 resources of demo-x7k2p in account 123456789012, us-east-1?";
        assert_eq!(question_lines(question, 120), [question]);
        let lines = question_lines(question, 60);
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() <= 44), "{lines:?}");
        assert_eq!(lines.join(" "), question);
    }

    #[test]
    fn lists_leave_room_for_what_was_said_before() {
        let of = [60, 30, 24, 9, 0].map(longest_list);
        assert_eq!(of, [52, 22, 16, 3, 3]);
    }

    #[test]
    fn a_long_answer_goes_on_in_the_next_row() {
        assert_eq!(broken("name: abcdefgh", 10), ["name: abcd", "efgh"]);
        assert_eq!(broken("\u{1b}[33m?\u{1b}[0m a", 3), ["\u{1b}[33m?\u{1b}[0m a"]);
        assert_eq!(broken("日本語", 4), ["日本", "語"]);
        assert_eq!(broken("", 4), [""]);
    }
}
