//! What tokens cost in money, by prices that the user gives: nobody else knows them
//! (analysis, "Cache").

use super::cache::CacheSums;
use super::profile::Profile;

/// Prices of a million tokens, in the user's currency.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Price {
    /// Tokens of prompts, neither read from a cache nor written to it.
    pub input: f64,
    /// Tokens read from the cache; none is the input's price at the profile's factor.
    pub cached: Option<f64>,
    /// Tokens written to the cache; none is the input's price at the profile's factor.
    pub written: Option<f64>,
    /// Tokens of replies; none leaves replies out.
    pub output: Option<f64>,
}

impl Price {
    /// Reads `input=3,cached=0.3,written=3.75,output=15`; all but `input` may be missing.
    ///
    /// # Errors
    /// Says what a price is made of.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is no price; input=P is needed, and cached=P, written=P, output=P may follow, \
                 each the price of a million tokens"
            )
        };
        let (mut input, mut cached, mut written, mut output) = (None, None, None, None);
        for part in text.split(',') {
            let (name, number) = part.split_once('=').ok_or_else(wrong)?;
            let price: f64 = number.trim().parse().map_err(|_| wrong())?;
            if !price.is_finite() || price < 0.0 {
                return Err(wrong());
            }
            let place = match name.trim() {
                "input" => &mut input,
                "cached" => &mut cached,
                "written" => &mut written,
                "output" => &mut output,
                _ => return Err(wrong()),
            };
            *place = Some(price);
        }
        Ok(Self {
            input: input.ok_or_else(wrong)?,
            cached,
            written,
            output,
        })
    }

    /// What a run's prompts cost, and its recorded replies where these have a price.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn of(&self, sums: &CacheSums, replies: Option<u64>, profile: &Profile) -> f64 {
        let fresh = sums.fresh() - sums.written;
        let cached = self.cached.unwrap_or(self.input * profile.cached);
        let written = self.written.unwrap_or(self.input * profile.written);
        let output = self.output.zip(replies);
        let million = fresh as f64 * self.input
            + sums.cached as f64 * cached
            + sums.written as f64 * written
            + output.map_or(0.0, |(price, tokens)| price * tokens as f64);
        million / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_those_of_a_million_tokens() {
        let price = Price::parse("input=2,cached=1,output=10").expect("a price");
        let sums = CacheSums {
            tokens: 3_000_000,
            cached: 1_000_000,
            ..CacheSums::default()
        };
        let profile = Profile::default();
        assert!((price.of(&sums, None, &profile) - 5.0).abs() < 1e-9);
        assert!((price.of(&sums, Some(500_000), &profile) - 10.0).abs() < 1e-9);
        let price = Price::parse("input=2").expect("a price");
        assert!((price.of(&sums, Some(500_000), &profile) - 4.2).abs() < 1e-9);
        for wrong in ["", "3", "cached=1", "input=-1", "input=x", "input=1,tax=2"] {
            assert!(Price::parse(wrong).is_err(), "{wrong}");
        }
    }
}
