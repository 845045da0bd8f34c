//! The modules that a run time has at hand.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::key::Key;
use crate::module::Module;
use crate::unit::Unit;

/// How many modules are at hand.
const MOST: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The modules that were asked for last. One that makes room for another is only no longer at hand: a module stays loaded.
pub(crate) struct Modules {
    /// Those of units that read no files, so that nothing has to be looked at again.
    units: Mutex<LruCache<Unit, &'static Module>>,
    slots: Mutex<LruCache<Key, Arc<Slot>>>,
}

/// Where a module goes, locked while it is compiled and loaded, so that this happens once.
type Slot = Mutex<Option<&'static Module>>;

impl Modules {
    pub(crate) fn new() -> Self {
        Self {
            units: Mutex::new(LruCache::new(MOST)),
            slots: Mutex::new(LruCache::new(MOST)),
        }
    }

    /// The module of a unit, if it was [put](Self::put).
    pub(crate) fn get(&self, unit: &Unit) -> Option<&'static Module> {
        locked(&self.units).get(unit).copied()
    }

    /// Notes that `module` is that of `unit`, whatever files there are.
    pub(crate) fn put(&self, unit: &Unit, module: &'static Module) {
        locked(&self.units).put(unit.clone(), module);
    }

    /// The module of this key, or else the one that `load` loads, for good.
    pub(crate) fn get_or_load<E>(
        &self,
        key: Key,
        load: impl FnOnce() -> Result<Module, E>,
    ) -> Result<&'static Module, E> {
        let slot = Arc::clone(locked(&self.slots).get_or_insert(key, Arc::default));
        let mut slot = locked(&slot);
        if let Some(module) = *slot {
            return Ok(module);
        }
        let module: &'static Module = Box::leak(Box::new(load()?));
        Ok(slot.insert(module))
    }

    /// Has none at hand any more.
    pub(crate) fn clear(&self) {
        locked(&self.units).clear();
        locked(&self.slots).clear();
    }
}

/// The contents of `mutex`. What a panicking thread left is whole: everything here is set in one step.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
