//! What a driver is, as far as its output depends on it.

/// Named facts about a driver that shape its output, in a fixed order: which compiler, its version, its flags, its run
/// time. Two drivers with equal identities turn equal units into equivalent libraries, so no path, time or process
/// number is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    facts: Vec<(&'static str, String)>,
}

impl Identity {
    /// An identity made of `facts`, name and value.
    pub fn new(facts: Vec<(&'static str, String)>) -> Self {
        Self { facts }
    }

    /// The driver's short name: `icpx` or `embedded`.
    pub fn driver(&self) -> &str {
        self.get("driver").unwrap_or_default()
    }

    /// The value of the fact called `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.facts
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.as_str())
    }

    /// All facts, name and value, in their fixed order.
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.facts.iter().map(|(name, value)| (*name, value.as_str()))
    }
}
