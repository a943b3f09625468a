//! Floats as the reference prints them (`golden/README.md`, `float_format.json`).

use num_bigint::BigInt;

/// 2^52: from here on a float has no fraction.
const NO_FRACTION: f64 = 4_503_599_627_370_496.0;

/// How many units of the last printed digit make one.
const UNITS: u64 = 10_000_000_000;

/// Writes a float with at most ten decimals and at least one.
///
/// Below 2^52 the whole part is `trunc(f)` and the fraction `trunc((f - whole) * 1e10 + 0.5)` with
/// carry, trailing zeros stripped; above, the exact integer and one zero. `NaN` and the infinities
/// are written as `##NaN`, `##Inf`, `##-Inf`.
pub fn format(number: f64) -> String {
    if number.is_nan() {
        return "##NaN".to_owned();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_infinite() {
        return format!("##{sign}Inf");
    }
    let size = number.abs();
    if size >= NO_FRACTION {
        return format!("{sign}{}.0", exact_integer(size));
    }
    // Both are below 2^53 and not negative, so the casts keep every digit.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let (mut whole, mut fraction) = {
        let whole = size.trunc();
        let fraction = (size - whole) * 1e10 + 0.5;
        (whole as u64, fraction as u64)
    };
    if fraction >= UNITS {
        whole += 1;
        fraction -= UNITS;
    }
    let digits = format!("{fraction:010}");
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    format!("{sign}{whole}.{digits}")
}

/// The integer that a float without a fraction is.
pub(super) fn exact_integer(number: f64) -> BigInt {
    const MANTISSA_BITS: u64 = 52;
    let bits = number.to_bits();
    let exponent = (bits >> MANTISSA_BITS) & 0x7ff;
    let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
    if exponent < 1023 {
        return BigInt::default();
    }
    let mantissa = BigInt::from(mantissa | (1 << MANTISSA_BITS));
    let shift = exponent - 1023;
    let size = if shift >= MANTISSA_BITS {
        mantissa << (shift - MANTISSA_BITS)
    } else {
        mantissa >> (MANTISSA_BITS - shift)
    };
    if number.is_sign_negative() {
        -size
    } else {
        size
    }
}
