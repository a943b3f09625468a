//! What makes a function value run, opaque to everything but the evaluator.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The runnable side of a [`super::Function`], where an evaluator made it. A function read from a
/// trace has none. It takes no part in equality: two functions are equal if what is shown of them is.
#[derive(Clone, Default)]
pub struct Code(Option<Arc<dyn Any + Send + Sync>>);

impl Code {
    /// Code of an evaluator's own kind.
    pub fn new(code: impl Any + Send + Sync) -> Self {
        Self(Some(Arc::new(code)))
    }

    /// The code, if it is of this kind.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_deref().and_then(|code| code.downcast_ref())
    }

    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl PartialEq for Code {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() { "Code" } else { "none" })
    }
}
