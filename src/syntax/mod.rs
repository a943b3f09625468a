//! Reading the small languages inside a trace: the program in a response, tool signatures, and
//! PTC-Lisp as far as colouring it needs.
//!
//! Nothing here evaluates anything, and every reader takes any text.

pub mod forms;
pub mod lexer;
pub mod response;
pub mod signature;
