//! Other people's traces: what `formats.json` says is in each sample must be found there.

use std::path::Path;

use turnscope::load;

#[path = "common/formats_b.rs"]
mod formats_b;

use formats_b::{cases, differences, sample};

/// Runs every case of a format whose sample is there and reports all that differ at once.
fn check(format: &str) {
    let cases = cases(&[format]);
    assert!(!cases.is_empty(), "no case of {format}");
    let (mut passed, mut wrong) = (0, Vec::new());
    for case in &cases {
        let Some(path) = sample(&case.file) else {
            println!("{}: skipped, the sample is not here", case.file);
            continue;
        };
        match load::open(Path::new(&path), None) {
            Ok(loaded) => match differences(case, &loaded) {
                found if found.is_empty() => passed += 1,
                found => wrong.push(format!("{}: {}", case.file, found.join("; "))),
            },
            Err(error) => wrong.push(format!("{}: {error}", case.file)),
        }
    }
    println!("{format}: {passed} of {} cases", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mini_swe_agent() {
    check("mini-swe-agent");
}

#[test]
fn atif() {
    check("atif");
}

#[test]
fn swe_agent() {
    check("swe-agent");
}

#[test]
fn openhands() {
    check("openhands");
}

#[test]
fn smolagents() {
    check("smolagents");
}

#[test]
fn otlp_genai() {
    check("otlp-genai");
}

#[test]
fn langfuse() {
    check("langfuse");
}
