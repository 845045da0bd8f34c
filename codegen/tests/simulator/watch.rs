//! Who touched which element since when: finds what must not meet.

use proc_macro2::Span;

use crate::finding::{Finding, Kind};

/// Who accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// The work-item.
    pub(crate) item: usize,
    /// In which run of which `lanes` loop, and for which lane; `None` outside.
    pub(crate) lane: Option<(u64, i128)>,
}

/// One access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'k> {
    pub(crate) actor: Actor,
    pub(crate) write: bool,
    /// The parameter by whose name it happens.
    pub(crate) name: &'k str,
    pub(crate) at: Span,
}

impl Access<'_> {
    /// Whether nothing orders two accesses that no barrier separates.
    fn races_with(&self, other: &Access<'_>) -> bool {
        if !self.write && !other.write {
            return false;
        }
        match (self.actor.lane, other.actor.lane) {
            // Lanes of one loop may be dealt in any way.
            (Some((run, lane)), Some((other_run, other_lane))) if run == other_run => lane != other_lane,
            _ => self.actor.item != other.actor.item,
        }
    }

    fn said(&self, element: i128) -> String {
        let verb = if self.write { "stores" } else { "loads" };
        let who = match self.actor.lane {
            Some((_, lane)) => format!("lane {lane} in work-item {}", self.actor.item),
            None => format!("work-item {} for the group", self.actor.item),
        };
        format!("{}: {who} {verb} {}[{element}]", place(self.at), self.name)
    }
}

/// A place in the kernel's text.
pub(crate) fn place(at: Span) -> String {
    format!("line {}, column {}", at.start().line, at.start().column + 1)
}

/// What is known of one element.
#[derive(Clone, Debug, Default)]
struct Cell<'k> {
    /// Accesses since the last barrier, if that was the one in `since`.
    accesses: Vec<Access<'k>>,
    since: u64,
    /// The group that touched it last, and whether any group stored.
    group: Option<(u64, bool)>,
    /// An access of that group, for messages.
    by: Option<Access<'k>>,
    /// The last store of the current group.
    stored: Option<Access<'k>>,
}

/// Watches all elements of all buffers that a launch may write.
#[derive(Debug)]
pub(crate) struct Watch<'k> {
    /// By memory and element, once touched.
    cells: Vec<Vec<Option<Box<Cell<'k>>>>>,
    barriers: u64,
    group: u64,
}

impl<'k> Watch<'k> {
    /// Watches memories of so many elements.
    pub(crate) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        Watch {
            cells: lengths.map(|length| vec![None; length]).collect(),
            barriers: 0,
            group: 0,
        }
    }

    pub(crate) fn barrier(&mut self) {
        self.barriers += 1;
    }

    /// Another group begins.
    pub(crate) fn next_group(&mut self) {
        self.group += 1;
        self.barrier();
    }

    /// Notes an access to an element of a memory.
    pub(crate) fn access(
        &mut self,
        memory: usize,
        element: usize,
        access: Access<'k>,
    ) -> Result<(), Finding> {
        let cell = self.cells[memory][element].get_or_insert_default();
        let both = |kind: Kind, other: &Access<'_>| Finding {
            kind,
            what: format!(
                "{}\n{}",
                other.said(element as i128),
                access.said(element as i128)
            ),
        };
        if let Some((group, written)) = cell.group
            && group != self.group
        {
            if written || access.write {
                let other = cell.by.expect("some access was noted with its group");
                return Err(both(Kind::Groups, &other));
            }
            cell.stored = None;
        }
        let is_new = cell.group.is_none_or(|(group, _)| group != self.group);
        let written = access.write || (!is_new && cell.group.is_some_and(|(_, written)| written));
        if is_new || (access.write && cell.by.is_some_and(|by| !by.write)) {
            cell.by = Some(access);
        }
        cell.group = Some((self.group, written));
        if cell.since != self.barriers {
            cell.since = self.barriers;
            cell.accesses.clear();
        }
        if let Some(other) = cell.accesses.iter().find(|other| access.races_with(other)) {
            return Err(both(Kind::Race, other));
        }
        let same = |other: &Access<'_>| (other.actor, other.write) == (access.actor, access.write);
        if !cell.accesses.iter().any(same) {
            cell.accesses.push(access);
        }
        if access.write {
            cell.stored = Some(access);
        } else if let Some(store) = cell.stored.filter(|store| store.name != access.name) {
            return Err(both(Kind::Alias, &store));
        }
        Ok(())
    }
}
