//! A thread's own setting that is another one meanwhile: what tests that compare ways and benchmarks choose them by.

use std::cell::Cell;
use std::thread::LocalKey;

/// Runs `work` while the setting has this value. It has its own again afterwards, also if `work` panics.
pub(crate) fn meanwhile<S: Copy + 'static, T>(
    setting: &'static LocalKey<Cell<S>>,
    value: S,
    work: impl FnOnce() -> T,
) -> T {
    struct Restore<S: Copy + 'static>(&'static LocalKey<Cell<S>>, S);
    impl<S: Copy> Drop for Restore<S> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(setting, setting.replace(value));
    work()
}
