//! Functions that make functions.

use super::args::type_error;
use super::{Builtin, MANY, is_callable, row};
use crate::lisp::error::Res;
use crate::lisp::eval::Machine;
use crate::lisp::eval::env::native;
use crate::lisp::eval::truthy;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "apply",
        2,
        MANY,
        "Calls a function with the items of a list.",
        |m, a| {
            let mut args = a;
            let list = args.pop().unwrap_or_default();
            let function = args.remove(0);
            if !matches!(list, Value::List(_) | Value::Set(_) | Value::Map(_)) {
                return type_error("apply", &[function, list]);
            }
            args.extend(m.each_item("apply", &list)?);
            m.call(&function, args)
        },
    ),
    row(
        "comp",
        0,
        MANY,
        "A function that calls functions, the last first.",
        |_, a| {
            Ok(native(a, |m, functions, args| {
                let mut functions = functions.iter().rev();
                let Some(first) = functions.next() else {
                    return Ok(args.into_iter().next().unwrap_or_default());
                };
                let mut value = m.call(first, args)?;
                for function in functions {
                    value = m.call(function, vec![value])?;
                }
                Ok(value)
            }))
        },
    ),
    row(
        "partial",
        1,
        MANY,
        "A function with its first arguments given.",
        |_, a| {
            Ok(native(a, |m, given, args| {
                let all = given[1..].iter().cloned().chain(args).collect();
                m.call(&given[0], all)
            }))
        },
    ),
    row(
        "complement",
        1,
        1,
        "A function that tests the opposite.",
        |_, a| {
            Ok(native(a, |m, given, args| {
                Ok(Value::Bool(!truthy(&m.call(&given[0], args)?)))
            }))
        },
    ),
    row(
        "constantly",
        1,
        1,
        "A function that always gives a value.",
        |_, a| Ok(native(a, |_, given, _| Ok(given[0].clone()))),
    ),
    row(
        "juxt",
        1,
        MANY,
        "A function that gives a list of what functions give.",
        |_, a| {
            Ok(native(a, |m, functions, args| {
                let all = functions
                    .iter()
                    .map(|function| m.call(function, args.clone()));
                let all = all.collect::<Res<_>>()?;
                m.list(all)
            }))
        },
    ),
    row(
        "fnil",
        2,
        2,
        "A function with a value for its first argument where that is nil.",
        |_, a| {
            Ok(native(a, |m, given, mut args| {
                if let Some(arg) = args.first_mut().filter(|arg| arg.is_nil()) {
                    arg.clone_from(&given[1]);
                }
                m.call(&given[0], args)
            }))
        },
    ),
    row(
        "every-pred",
        1,
        MANY,
        "A test that all tests pass.",
        |_, a| {
            Ok(native(a, |m, tests, args| {
                Ok(Value::Bool(all(m, tests, &args, true)?.is_none()))
            }))
        },
    ),
    row(
        "some-fn",
        1,
        MANY,
        "What the first function gives that is neither nil nor false.",
        |_, a| {
            Ok(native(a, |m, tests, args| {
                let mut last = Value::Nil;
                for arg in &args {
                    for test in tests {
                        last = m.call(test, vec![arg.clone()])?;
                        if truthy(&last) {
                            return Ok(last);
                        }
                    }
                }
                Ok(last)
            }))
        },
    ),
    row("all-of", 0, MANY, "A test that all tests pass.", |_, a| {
        tests(a, |m, tests, args| {
            Ok(Value::Bool(all(m, tests, &args, true)?.is_none()))
        })
    }),
    row(
        "any-of",
        0,
        MANY,
        "A test that some test passes.",
        |_, a| {
            tests(a, |m, tests, args| {
                Ok(Value::Bool(all(m, tests, &args, false)?.is_some()))
            })
        },
    ),
    row("none-of", 0, MANY, "A test that no test passes.", |_, a| {
        tests(a, |m, tests, args| {
            Ok(Value::Bool(all(m, tests, &args, false)?.is_none()))
        })
    }),
];

fn tests(args: Vec<Value>, run: crate::lisp::eval::env::NativeRun) -> Res {
    if let Some(wrong) = args.iter().find(|arg| !is_callable(arg)) {
        return type_error("all-of", std::slice::from_ref(wrong));
    }
    Ok(native(args, run))
}

/// The first answer whose truth is not what is wanted of all.
fn all(m: &mut Machine<'_>, tests: &[Value], args: &[Value], wanted: bool) -> Res<Option<Value>> {
    for arg in args {
        for test in tests {
            let value = m.call(test, vec![arg.clone()])?;
            if truthy(&value) != wanted {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}
