//! How well a part of a turn is known.

/// A part of a turn, and whether it is what was recorded (requirements 1).
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(clippy::exhaustive_enums)] // every view must say what it does with each
pub enum Field<T> {
    /// As recorded.
    Recorded(T),
    /// A shortened form that the writer made for people; the value itself was not recorded.
    Preview(T),
    /// Cut by the trace's writer; what stands here is what it left, or its note.
    Cut(T),
    /// The trace says that there is none, such as a response without a program.
    Absent,
    /// The trace doesn't say.
    #[default]
    NotRecorded,
}

impl<T> Field<T> {
    /// What is there, however well known.
    pub const fn get(&self) -> Option<&T> {
        match self {
            Self::Recorded(value) | Self::Preview(value) | Self::Cut(value) => Some(value),
            Self::Absent | Self::NotRecorded => None,
        }
    }

    /// `Some` is recorded, `None` is absent.
    pub fn recorded_or_absent(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Recorded)
    }

    /// `Some` is recorded, `None` is not.
    pub fn recorded(value: Option<T>) -> Self {
        value.map_or(Self::NotRecorded, Self::Recorded)
    }

    /// The same knowledge of something else.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Recorded(value) => Field::Recorded(make(value)),
            Self::Preview(value) => Field::Preview(make(value)),
            Self::Cut(value) => Field::Cut(make(value)),
            Self::Absent => Field::Absent,
            Self::NotRecorded => Field::NotRecorded,
        }
    }

    /// The word by which a step file says how well this is known; nothing where it is recorded.
    pub const fn state(&self) -> Option<&'static str> {
        match self {
            Self::Recorded(_) => None,
            Self::Preview(_) => Some("preview"),
            Self::Cut(_) => Some("cut"),
            Self::Absent => Some("none"),
            Self::NotRecorded => Some("not_recorded"),
        }
    }

    /// The same, known as well as the word of [`Field::state`] says; an unknown word says nothing.
    #[must_use]
    pub fn with_state(self, state: &str) -> Self {
        match (state, self) {
            ("none", _) => Self::Absent,
            ("not_recorded", _) => Self::NotRecorded,
            ("preview", Self::Recorded(value)) => Self::Preview(value),
            ("cut", Self::Recorded(value)) => Self::Cut(value),
            (_, field) => field,
        }
    }

    /// What to tell a person where this is not simply recorded.
    pub const fn note(&self) -> Option<&'static str> {
        match self {
            Self::Recorded(_) => None,
            Self::Preview(_) => Some("preview"),
            Self::Cut(_) => Some("cut by the trace's writer"),
            Self::Absent => Some("none"),
            Self::NotRecorded => Some("not recorded"),
        }
    }
}
