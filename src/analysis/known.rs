//! The messages of prompts as sent, each made once: what is known of a text, as its tokens, is found once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::namespace::{Origin, PromptMessage};
use crate::step::{Message, Role};

/// Messages of one text, each once.
#[derive(Debug, Default)]
pub(super) struct Known {
    by_text: HashMap<(Role, Arc<str>), Arc<PromptMessage>>,
    /// By where a text lies. The text is kept too, so that no other can come to lie there.
    by_place: HashMap<(Role, usize), (Arc<str>, Arc<PromptMessage>)>,
}

impl Known {
    /// Of a recorded message.
    pub(super) fn recorded(&mut self, message: Message) -> Arc<PromptMessage> {
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

    /// Of a rebuilt message. Every later prompt has it at the same place, so that long texts aren't read
    /// once more for each turn.
    pub(super) fn rebuilt(&mut self, message: Message) -> Arc<PromptMessage> {
        let text = Arc::clone(&message.content);
        let place = (message.role, text.as_ptr().addr());
        if let Some((_, made)) = self.by_place.get(&place) {
            return Arc::clone(made);
        }
        let made = self.recorded(message);
        self.by_place.insert(place, (text, Arc::clone(&made)));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_message_wherever_they_lie() {
        let mut known = Known::default();
        let message = |role, text: &str| Message::new(role, text);
        let first = known.recorded(message(Role::User, "Go."));
        let again = message(Role::User, "Go.");
        for _ in 0..2 {
            assert!(Arc::ptr_eq(&first, &known.rebuilt(again.clone())));
        }
        // A text that is let go of elsewhere gives its place to no other.
        for n in 0..50 {
            let text = format!("{n:08}");
            assert_eq!(&*known.rebuilt(message(Role::User, &text)).content, &text);
        }
        let said = known.rebuilt(message(Role::Assistant, "Go."));
        assert_eq!((said.role, &*said.content), (Role::Assistant, "Go."));
    }
}
