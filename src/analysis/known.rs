//! The messages of prompts as sent, each made once: what is known of a text, as its tokens, is found once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::namespace::{Origin, PromptMessage};
use crate::step::{Message, Role};

/// Messages of one text, each once.
#[derive(Debug, Default)]
pub(super) struct Known {
    by_text: HashMap<(Role, Arc<str>), Arc<PromptMessage>>,
}

impl Known {
    /// Of a message as it was sent.
    pub(super) fn message(&mut self, message: Message) -> Arc<PromptMessage> {
        let Message { role, content, .. } = message;
        let made = self
            .by_text
            .entry((role, content))
            .or_insert_with_key(|key| {
                let origin = match role {
                    Role::System => Origin::System,
                    _ => Origin::Recorded,
                };
                Arc::new(PromptMessage::whole(role, Arc::clone(&key.1), origin))
            });
        Arc::clone(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_message() {
        let mut known = Known::default();
        let message = |role, text: &str| Message::new(role, text);
        let first = known.message(message(Role::User, "Go."));
        assert!(Arc::ptr_eq(
            &first,
            &known.message(message(Role::User, "Go."))
        ));
        let said = known.message(message(Role::Assistant, "Go."));
        assert_eq!((said.role, &*said.content), (Role::Assistant, "Go."));
    }
}
