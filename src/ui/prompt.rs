//! Questions to a person: on standard error, answered on standard input, both terminals.
//!
//! The terminal does not echo while questions are open, so that nothing typed or pasted early is shown
//! twice, or at all where it must not be. However the last question ends, it is as it was afterwards.

#![allow(
    clippy::disallowed_methods,
    reason = "the terminal that is asked on is standard input and standard error"
)]

use std::io::{self, ErrorKind};

use dialoguer::console::{Key, Term, set_colors_enabled_stderr, truncate_str};
use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use dialoguer::{Confirm, FuzzySelect, Input, Select};
use landfall_diagnostics::secret::Secret;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::layout::wrapped;
use super::{printable, printable_lines};

/// Columns of a line that are not an item's: its mark, and room for letters of more than one byte.
const MARGIN: u16 = 8;
/// Columns of a line of a question that the mark before it and a short answer after it take.
const ANSWER: usize = 16;
/// Lines of the screen that no list takes: the question itself, and what was said before it.
const LINES_ABOVE: u16 = 8;
/// A list is never shorter, however small the screen.
const SHORTEST_LIST: u16 = 3;

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

impl From<dialoguer::Error> for NoAnswer {
    fn from(fault: dialoguer::Error) -> Self {
        Self::from(io::Error::from(fault))
    }
}

/// What is wrong with an answer; nothing where it can be taken.
pub type Check<'c> = &'c dyn Fn(&str) -> Result<(), String>;

/// A terminal while questions are put on it.
pub struct Prompts {
    term: Term,
    theme: Box<dyn Theme>,
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
        let theme: Box<dyn Theme> =
            if colour { Box::new(ColorfulTheme::default()) } else { Box::new(SimpleTheme) };
        let modes = tcgetattr(io::stdin()).map_err(io::Error::from)?;
        let prompts = Self { term: Term::stderr(), theme, modes };
        prompts.without(LocalModes::ECHO)?;
        Ok(prompts)
    }

    /// Says one line between questions.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn say(&self, line: &str) -> Result<(), NoAnswer> {
        Ok(self.term.write_line(&printable(line))?)
    }

    /// Lets the user choose one of a few items with the arrow keys; gives its number.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn choose(&self, question: &str, items: &[String], default: usize) -> Result<usize, NoAnswer> {
        self.asked(|| {
            let select = Select::with_theme(&*self.theme).with_prompt(question).items(self.fitting(items));
            Ok(select.default(default.min(items.len().saturating_sub(1))).interact_on(&self.term)?)
        })
    }

    /// Lets the user choose one of many items by typing any part of it; gives its number. The first item is
    /// the default. What was said before the question stays on the screen.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn search(&self, question: &str, items: &[String]) -> Result<usize, NoAnswer> {
        self.asked(|| {
            let select = FuzzySelect::with_theme(&*self.theme).with_prompt(question);
            let select = select.max_length(longest_list(self.term.size().0));
            Ok(select.items(self.fitting(items)).default(0).interact_on(&self.term)?)
        })
    }

    /// Asks for yes or no; no is the default.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn confirm(&self, question: &str) -> Result<bool, NoAnswer> {
        let question = self.fitted(question)?;
        self.asked(|| {
            let confirm = Confirm::with_theme(&*self.theme).with_prompt(question);
            Ok(confirm.default(false).interact_on(&self.term)?)
        })
    }

    /// Asks for a line of text until `check` takes it. Blanks around it are cut off.
    ///
    /// # Errors
    /// As [`NoAnswer`] says.
    pub fn text(&self, question: &str, default: Option<&str>, check: Check<'_>) -> Result<String, NoAnswer> {
        let question = self.fitted(question)?;
        // What is typed while a fault is told must reach the next try as it was typed.
        self.asked(|| {
            let mut refused: Option<String> = None;
            loop {
                let mut input = Input::<String>::with_theme(&*self.theme).with_prompt(question.as_str());
                match (&refused, default) {
                    (Some(text), _) => input = input.with_initial_text(text.as_str()),
                    (None, Some(default)) => input = input.default(default.to_owned()),
                    (None, None) => {}
                }
                let answer = input.interact_text_on(&self.term)?.trim().to_owned();
                match check(&answer) {
                    Ok(()) => return Ok(answer),
                    Err(why) => self.say(&why)?,
                }
                refused = Some(answer);
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
            loop {
                self.term.write_str(&format!("{question}: "))?;
                let text = self.read_hidden(more)?;
                self.term.write_line("(hidden)")?;
                match check(text.expose()) {
                    Ok(()) => return Ok(text),
                    Err(why) => self.say(&why)?,
                }
            }
        })
    }

    fn read_hidden(&self, more: &dyn Fn(&str) -> bool) -> Result<Secret<String>, NoAnswer> {
        let mut text = String::new();
        loop {
            match self.term.read_key_raw()? {
                Key::Enter if text.is_empty() => {}
                Key::Enter if text.ends_with('\n') || !more(&text) => return Ok(Secret::new(text)),
                Key::Enter => text.push('\n'),
                Key::Tab => text.push('\t'),
                Key::Backspace => {
                    text.pop();
                }
                Key::CtrlC => return Err(NoAnswer::Stopped),
                // Ctrl-D.
                Key::Char('\u{4}') if text.is_empty() => {
                    return Err(NoAnswer::Lost(ErrorKind::UnexpectedEof.into()));
                }
                // Ctrl-U.
                Key::Char('\u{15}') => text.clear(),
                Key::Char(c) if !c.is_control() => text.push(c),
                _ => {}
            }
        }
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

    /// The last line of a question in the width of the terminal; the lines before it are written. A prompt of
    /// several lines would not be cleared as a whole.
    fn fitted(&self, question: &str) -> Result<String, NoAnswer> {
        let mut lines = question_lines(question, usize::from(self.term.size().1));
        let last = lines.pop().unwrap_or_default();
        for line in lines {
            self.say(&line)?;
        }
        Ok(last)
    }

    /// The items in the width of the terminal, each on one line.
    fn fitting(&self, items: &[String]) -> Vec<String> {
        let width = usize::from(self.term.size().1.saturating_sub(MARGIN).max(MARGIN));
        items.iter().map(|item| truncate_str(&printable(item), width, "...").into_owned()).collect()
    }
}

impl Drop for Prompts {
    fn drop(&mut self) {
        // There may be no terminal any more.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.modes);
        let _ = self.term.show_cursor();
    }
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
}
