//! Arithmetic. Integers are exact; `/` always gives a float, as in the reference.

use num_bigint::BigInt;

use super::args::{runtime_error, type_error};
use super::equal::{is_nan, less};
use super::{Builtin, MANY, row};
use crate::lisp::error::{Res, fail};
use crate::lisp::eval::Machine;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row("+", 0, MANY, "The sum of numbers.", |m, a| {
        fold(m, "add", a, 0)
    }),
    row("*", 0, MANY, "The product of numbers.", |m, a| {
        fold(m, "multiply", a, 1)
    }),
    row(
        "-",
        0,
        MANY,
        "The first number less the others; of one, its negative.",
        subtract,
    ),
    row(
        "/",
        1,
        MANY,
        "The first number divided by the others, as a float.",
        divide,
    ),
    row(
        "mod",
        2,
        2,
        "The remainder, with the sign of the divisor.",
        |m, a| whole(m, "mod", &a),
    ),
    row(
        "rem",
        2,
        2,
        "The remainder, with the sign of the number.",
        |m, a| whole(m, "rem", &a),
    ),
    row("quot", 2, 2, "The whole part of a division.", |m, a| {
        whole(m, "quot", &a)
    }),
    row("inc", 1, 1, "A number plus one.", |m, a| {
        plus(m, "inc", a, 1)
    }),
    row("dec", 1, 1, "A number minus one.", |m, a| {
        plus(m, "dec", a, -1)
    }),
    row("abs", 1, 1, "A number without its sign.", |_, a| abs(&a)),
    row("max", 1, MANY, "The largest.", |_, a| {
        Ok(best(a, |new, old| less(old, new)))
    }),
    row("min", 1, MANY, "The smallest.", |_, a| Ok(best(a, less))),
    row("floor", 1, 1, "The next whole number below.", |_, a| {
        rounded("floor", &a, f64::floor)
    }),
    row("ceil", 1, 1, "The next whole number above.", |_, a| {
        rounded("ceil", &a, f64::ceil)
    }),
    row(
        "round",
        1,
        1,
        "The nearest whole number, halves away from zero.",
        |_, a| rounded("round", &a, f64::round),
    ),
    row("trunc", 1, 1, "A number without its fraction.", |_, a| {
        rounded("trunc", &a, f64::trunc)
    }),
    row("int", 1, 1, "A number as a whole number.", |_, a| {
        to_int(&a)
    }),
    row("long", 1, 1, "A number as a whole number.", |_, a| {
        to_int(&a)
    }),
    row("double", 1, 1, "A number as a float.", |_, a| {
        to_float("double", &a)
    }),
    row("float", 1, 1, "A number as a float.", |_, a| {
        to_float("float", &a)
    }),
    row("sqrt", 1, 1, "The square root.", |_, a| {
        Ok(Value::Float(float("sqrt", &a[0])?.sqrt()))
    }),
    row("pow", 2, 2, "A number to a power, as a float.", |_, a| {
        pow(&a)
    }),
];

/// Bits that an integer may have.
const MAX_BITS: u64 = 1 << 16;

fn big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(BigInt::from(*number)),
        Value::BigInt(number) => Some((**number).clone()),
        _ => None,
    }
}

/// A number as a float.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss)] // what a float can hold of it
        Value::Int(number) => Some(*number as f64),
        // Beyond any float; writing its digits would take long.
        Value::BigInt(number) if number.bits() > 1100 => Some(match number.sign() {
            num_bigint::Sign::Minus => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        }),
        Value::BigInt(number) => number.to_string().parse().ok(),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn number(op: &str, args: &[Value], at: usize) -> Res<f64> {
    match args.get(at).and_then(as_float) {
        Some(number) => Ok(number),
        None => type_error(op, args),
    }
}

/// A float result. Too large from finite numbers is an error, as in the reference.
fn finite(result: f64, args: &[Value]) -> Res {
    let from_finite = args.iter().filter_map(as_float).all(f64::is_finite);
    if result.is_infinite() && from_finite {
        return fail("arithmetic_error", "the result is too large for a float");
    }
    Ok(Value::Float(result))
}

fn overflowed(m: &mut Machine<'_>, number: BigInt) -> Res {
    let bits = number.bits();
    m.budget
        .step(usize::try_from(bits / 64).unwrap_or(usize::MAX))?;
    if bits > MAX_BITS {
        return fail(
            "out_of_budget",
            format!("an integer of more than {MAX_BITS} bits"),
        );
    }
    Ok(Value::from_bigint(number))
}

/// One of `add`, `subtract`, `multiply`.
pub(super) fn pair(m: &mut Machine<'_>, op: &str, left: &Value, right: &Value) -> Res {
    if let (Value::Int(x), Value::Int(y)) = (left, right) {
        let small = match op {
            "add" => x.checked_add(*y),
            "subtract" => x.checked_sub(*y),
            _ => x.checked_mul(*y),
        };
        if let Some(small) = small {
            return Ok(Value::Int(small));
        }
    }
    if let (Some(x), Some(y)) = (big(left), big(right)) {
        let result = match op {
            "add" => x + y,
            "subtract" => x - y,
            _ => {
                let cost = x.bits() / 64 * (y.bits() / 64);
                m.budget
                    .step(usize::try_from(cost / 64).unwrap_or(usize::MAX))?;
                x * y
            }
        };
        return overflowed(m, result);
    }
    let args = [left.clone(), right.clone()];
    let (Some(x), Some(y)) = (as_float(left), as_float(right)) else {
        return type_error(op, &args);
    };
    let result = match op {
        "add" => x + y,
        "subtract" => x - y,
        _ => x * y,
    };
    finite(result, &args)
}

fn fold(m: &mut Machine<'_>, op: &str, args: Vec<Value>, none: i64) -> Res {
    let mut args = args.into_iter();
    let Some(first) = args.next() else {
        return Ok(Value::Int(none));
    };
    if as_float(&first).is_none() {
        let all: Vec<Value> = std::iter::once(first).chain(args).collect();
        return type_error(op, &all);
    }
    let mut total = first;
    for next in args {
        m.budget.step(1)?;
        total = pair(m, op, &total, &next)?;
    }
    Ok(total)
}

fn subtract(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    if let [one] = args.as_slice() {
        return match one {
            Value::Float(number) => Ok(Value::Float(-number)),
            other => pair(m, "subtract", &Value::Int(0), other),
        };
    }
    let mut args = args.into_iter();
    let mut total = args.next().unwrap_or(Value::Int(0));
    for next in args {
        m.budget.step(1)?;
        total = pair(m, "subtract", &total, &next)?;
    }
    Ok(total)
}

fn divide(_: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let Some(mut total) = args.first().and_then(as_float) else {
        return type_error("divide", &args);
    };
    if let [one] = args.as_slice() {
        // As in the reference.
        return Ok(one.clone());
    }
    for at in 1..args.len() {
        total /= number("divide", &args, at)?;
    }
    Ok(Value::Float(total))
}

fn whole(m: &mut Machine<'_>, op: &str, args: &[Value]) -> Res {
    let (left, right) = (&args[0], &args[1]);
    if let (Some(x), Some(y)) = (big(left), big(right)) {
        if y == BigInt::default() {
            return fail("arithmetic_error", format!("{op}: division by zero"));
        }
        let remainder = &x % &y;
        let result = match op {
            "quot" => x / y,
            "mod"
                if remainder != BigInt::default()
                    && (remainder < BigInt::default()) != (y < BigInt::default()) =>
            {
                remainder + y
            }
            _ => remainder,
        };
        return overflowed(m, result);
    }
    let (Some(x), Some(y)) = (as_float(left), as_float(right)) else {
        return fail("arithmetic_error", format!("{op}: not two numbers"));
    };
    if !x.is_finite() || !y.is_finite() {
        return Ok(Value::Float(f64::NAN));
    }
    if y == 0.0 {
        return fail("arithmetic_error", format!("{op}: division by zero"));
    }
    Ok(match op {
        "quot" => return integer((x / y).trunc()),
        "mod" => Value::Float(x - y * (x / y).floor()),
        _ => Value::Float(x % y),
    })
}

fn plus(m: &mut Machine<'_>, op: &str, args: Vec<Value>, step: i64) -> Res {
    match args.as_slice() {
        [value] if as_float(value).is_some() => pair(m, "add", value, &Value::Int(step)),
        _ => fail(
            "arithmetic_error",
            format!("{op}: bad argument in arithmetic expression"),
        ),
    }
}

fn abs(args: &[Value]) -> Res {
    match &args[0] {
        Value::Int(number) => match number.checked_abs() {
            Some(number) => Ok(Value::Int(number)),
            None => Ok(Value::from_bigint(-BigInt::from(*number))),
        },
        Value::BigInt(number) if **number < BigInt::default() => {
            Ok(Value::from_bigint(-(**number).clone()))
        }
        Value::Float(number) => Ok(Value::Float(number.abs())),
        other @ Value::BigInt(_) => Ok(other.clone()),
        other => no_number("abs", other),
    }
}

fn best(args: Vec<Value>, better: impl Fn(&Value, &Value) -> bool) -> Value {
    if let Some(nan) = args.iter().find(|value| is_nan(value)) {
        return nan.clone();
    }
    let chosen = args
        .into_iter()
        .reduce(|old, new| if better(&new, &old) { new } else { old });
    chosen.unwrap_or_default()
}

/// The integer that a float without a fraction is.
pub(super) fn integer(number: f64) -> Res {
    if !number.is_finite() {
        return fail("arithmetic_error", "there is no such whole number");
    }
    #[allow(clippy::cast_possible_truncation)] // the range is looked at
    if number.abs() < 9e18 {
        return Ok(Value::Int(number as i64));
    }
    let digits = format!("{number:.0}");
    Ok(Value::from_bigint(
        digits.parse::<BigInt>().unwrap_or_default(),
    ))
}

fn rounded(op: &str, args: &[Value], round: fn(f64) -> f64) -> Res {
    match &args[0] {
        Value::Float(number) if number.is_finite() => integer(round(*number)),
        same @ (Value::Int(_) | Value::BigInt(_) | Value::Float(_)) => Ok(same.clone()),
        other => no_number(op, other),
    }
}

fn to_int(args: &[Value]) -> Res {
    match &args[0] {
        Value::Float(number) => integer(number.trunc()),
        whole @ (Value::Int(_) | Value::BigInt(_)) => Ok(whole.clone()),
        other => no_number("int", other),
    }
}

fn to_float(op: &str, args: &[Value]) -> Res {
    match as_float(&args[0]) {
        Some(number) => Ok(Value::Float(number)),
        None => no_number(op, &args[0]),
    }
}

fn no_number<T>(op: &str, value: &Value) -> Res<T> {
    runtime_error(format!("{op}: a {} is no number", super::kind(value)))
}

fn pow(args: &[Value]) -> Res {
    let (base, exponent) = (float("pow", &args[0])?, float("pow", &args[1])?);
    let power = base.powf(exponent);
    if power.is_nan() && !base.is_nan() && !exponent.is_nan() {
        return fail("arithmetic_error", "pow: there is no such real number");
    }
    finite(power, args)
}

fn float(op: &str, value: &Value) -> Res<f64> {
    as_float(value).map_or_else(|| no_number(op, value), Ok)
}
