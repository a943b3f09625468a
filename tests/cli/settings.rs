//! Settings files: what holds, what is told, and that a bad one stops nothing.

use super::{command, fixtures, run, sample};

const FILE: &str = "theme = 'light'\nascii = true\nmouse = 3\n\n[keys]\nzoom = 'W'\nmark = 'J'\n\n\
                    [redact]\npatterns = { ticket = 'T-[0-9]+' }\n";

fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("a plain path").to_owned();
    (folder, path)
}

#[test]
fn what_holds_is_told_with_its_line_and_what_is_ignored_with_the_remedy() {
    let (_folder, path) = file(FILE);
    let told = run(["settings", "--config", &path]);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    for line in [
        "theme       light                   line 1",
        "ascii       true                    line 2",
        "mouse       false                   by default",
        "key         zoom W                  line 6",
        "key         mark J                  line 7, ignored",
        "redact      ticket                  T-[0-9]+",
    ] {
        assert!(told.out.contains(line), "{line} is not in\n{}", told.out);
    }
    assert!(
        told.out
            .contains(&format!("{path}:3: mouse must be true or false"))
    );
    let clash = format!("{path}:7: mark: 'J' already belongs to next-turn");
    assert!(told.out.contains(&clash), "{}", told.out);
}

#[test]
fn a_bad_file_is_a_note_beside_the_output_and_flags_go_before_the_file() {
    let (_folder, path) = file(FILE);
    let trace = sample("single-shot-return");
    let printed = run(["print", &trace, "--config", &path]);
    assert_eq!(printed.code, 0);
    assert_eq!(
        printed.err,
        format!(
            "turnscope: note: {path}:3: mouse must be true or false (and 1 more: 'turnscope \
             settings' lists them)\n"
        )
    );
    assert!(printed.out.is_ascii(), "{}", printed.out);
    let drawn = run(["--ascii=false", "--config", &path, "print", &trace]);
    assert!(drawn.out.contains('·'));

    let (_folder, broken) = file("theme = \n");
    for path in [broken.as_str(), "no-such-file.toml"] {
        let printed = run(["--config", path, "print", &trace]);
        assert_eq!(printed.code, 0);
        assert!(printed.out.contains("Returned"));
        assert!(printed.err.contains("no setting of"), "{}", printed.err);
    }
}

#[test]
fn the_file_is_found_where_the_platform_keeps_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("turnscope");
    std::fs::create_dir(&own).expect("made");
    std::fs::write(own.join("config.toml"), "theme = 'none'\n").expect("written");
    let mut settings = command(["settings"]);
    settings.env("XDG_CONFIG_HOME", folder.path());
    settings.env("APPDATA", folder.path());
    let told = settings.output().expect("it runs").stdout;
    let told = String::from_utf8(told).expect("UTF-8");
    assert!(
        told.contains("theme       none                    line 1"),
        "{told}"
    );
    let told = run(["settings"]).out;
    assert!(told.contains("(not there)"), "{told}");
    assert!(
        !fixtures().join("no-settings").exists(),
        "reading writes nothing"
    );
}
