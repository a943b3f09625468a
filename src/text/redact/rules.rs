//! What is looked for: one table of rules, each with an example of what it finds and texts that look
//! like it and are left alone.
//!
//! A rule's pattern is a regular expression of the `regex` crate, which takes linear time whatever the
//! text is. The secret is the last group that took part in the match, or the match where there is none.
//! A pattern never matches `‹` or `›`, so stand-ins are left alone.

/// A kind of secret.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// What its stand-ins are called.
    pub name: &'static str,
    /// Words of which one stands in every match, whatever their case: texts without them cost little.
    pub(super) hints: &'static [&'static str],
    /// The pattern.
    pub(super) pattern: &'static str,
    /// Whether a match is one.
    pub(super) accept: fn(&Found<'_>) -> bool,
    /// Whether the secret is looked for by its own letters too, once it is known.
    pub(super) is_literal: bool,
    /// A text in which it finds something.
    pub example: &'static str,
    /// What it finds there.
    pub finds: &'static str,
    /// Texts that look like it and are left alone.
    pub near: &'static [&'static str],
}

/// A match that is to be accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    /// What stands before the match.
    pub before: &'a str,
    /// The match as far as the secret.
    pub lead: &'a str,
    /// The secret.
    pub secret: &'a str,
    /// What stands behind the secret.
    pub after: &'a str,
}

/// A block that ends, or that was cut: what stands there is a key and no prose on keys.
fn is_key_block(found: &Found<'_>) -> bool {
    found.secret.contains("-----END ")
        || found
            .secret
            .split(char::is_whitespace)
            .any(|word| word.len() >= 24 && looks_random(word))
}

/// Not in the middle of a longer word.
fn stands_alone(found: &Found<'_>) -> bool {
    !found.before.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// As [`stands_alone`], and no name that only begins like a key.
fn is_key(found: &Found<'_>) -> bool {
    stands_alone(found) && looks_random(found.secret)
}

/// Whether a text looks made by a machine: letters and digits, and no few of them.
pub(super) fn looks_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    text.len() >= 8 && letters >= 2 && (digits >= 2 || text.len() >= 24 && digits >= 1)
}

/// Words that stand where a password would, in code and in descriptions of data.
const NO_PASSWORDS: &[&str] = &[
    "any",
    "bool",
    "bytes",
    "char",
    "empty",
    "false",
    "float",
    "hidden",
    "input",
    "int",
    "integer",
    "none",
    "null",
    "nil",
    "number",
    "object",
    "optional",
    "password",
    "passwd",
    "redacted",
    "required",
    "secret",
    "secretstr",
    "str",
    "string",
    "text",
    "token",
    "true",
    "type",
    "undefined",
    "unknown",
    "varchar",
];

/// A value that is given to a password: no name of a type, no expression.
fn is_password(found: &Found<'_>) -> bool {
    let value = found.secret.trim();
    let lower = value.to_ascii_lowercase();
    let is_word = NO_PASSWORDS.contains(&lower.as_str());
    let is_hidden = value
        .chars()
        .all(|c| matches!(c, '*' | '.' | 'x' | 'X' | '-' | '_' | '…'));
    // A shell's PWD is a folder.
    let is_place =
        found.lead.to_ascii_lowercase().contains("pwd") && value.starts_with(['/', '~', '.']);
    // A call, an index or a placeholder behind it makes it an expression.
    let is_path = value.contains('.') && !value.contains(|c: char| c.is_ascii_digit());
    let is_expression = value.starts_with(['$', '%', '<', '{', '('])
        || (!found.lead.ends_with(['"', '\''])
            && (is_path || found.after.starts_with(['(', '[', '.', '{'])));
    !(is_word || is_hidden || is_place || is_expression)
}

/// A value that is given to a key or a token.
fn is_token(found: &Found<'_>) -> bool {
    is_password(found) && looks_random(found.secret)
}

/// A person's address: no remote of a repository, no version of a package, no picture's name.
fn is_address(found: &Found<'_>) -> bool {
    let Some((local, domain)) = found.secret.split_once('@') else {
        return false;
    };
    let last = domain
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_file = matches!(
        last.as_str(),
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "svg"
            | "webp"
            | "js"
            | "ts"
            | "css"
            | "py"
            | "rs"
            | "json"
    );
    let is_remote = local == "git" && found.after.starts_with([':', '/']);
    // `://user:password@host`, which has a rule of its own.
    let word = found
        .before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let host = word.rsplit_once("://").map_or("", |(_, host)| host);
    let is_password = host.contains(':') && !host.contains('/');
    let is_whole = !found
        .before
        .ends_with(|c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c));
    is_whole && !is_file && !is_remote && !is_password
}

/// A folder of a person: not in the middle of a web address or of another path.
fn is_home(found: &Found<'_>) -> bool {
    let drive = found.lead.to_ascii_lowercase().contains("users");
    let mut before = found.before.chars().rev();
    match before.next() {
        Some(':') | None => true,
        Some(c) if c.is_ascii_alphabetic() && drive => {
            // A drive, as in `/c/Users`.
            matches!(before.next(), Some('/' | '\\'))
        }
        Some(c) => !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_' | '~'),
    }
}

/// All rules, those with a shape of their own first.
pub const RULES: &[Rule] = &[
    Rule {
        name: "private-key",
        hints: &["private key"],
        pattern: r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:-?[A-Za-z0-9+/=\s\\:,│|>])*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
        accept: is_key_block,
        is_literal: false,
        example: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow/IBAA+KC=\n-----END RSA PRIVATE KEY-----",
        finds: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow/IBAA+KC=\n-----END RSA PRIVATE KEY-----",
        near: &[
            "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
            "a private key",
        ],
    },
    Rule {
        name: "aws-key",
        hints: &["AKIA", "ASIA", "AROA", "AIDA", "AGPA", "ANPA", "ANVA"],
        pattern: r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA)[A-Z0-9]{16}",
        accept: |found| {
            stands_alone(found) && !found.after.starts_with(|c: char| c.is_ascii_alphanumeric())
        },
        is_literal: true,
        example: "id AKIAIOSFODNN7EXAMPLE.",
        finds: "AKIAIOSFODNN7EXAMPLE",
        near: &[
            "AKIAIOSFODNN7",
            "XAKIAIOSFODNN7EXAMPLE",
            "AKIAIOSFODNN7EXAMPLEXY",
        ],
    },
    Rule {
        name: "api-key",
        hints: &[
            "sk-", "sk_", "rk_", "gsk_", "xai-", "pplx-", "r8_", "aiza", "hf_", "whsec_",
            "gocspx-", "csk-", "fw_", "lsv2_", "pk-lf-",
        ],
        pattern: r"(?:sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{30,}|AIza[A-Za-z0-9_-]{35}|hf_[A-Za-z0-9]{30,}|whsec_[A-Za-z0-9+/=]{16,}|GOCSPX-[A-Za-z0-9_-]{20,}|csk-[a-z0-9]{30,}|fw_[A-Za-z0-9]{20,}|lsv2_(?:pt|sk)_[A-Za-z0-9_]{20,}|pk-lf-[a-f0-9-]{36})",
        accept: is_key,
        is_literal: true,
        example: "use sk-ant-api03-Qx7bT9w2LmN4vR8s, please",
        finds: "sk-ant-api03-Qx7bT9w2LmN4vR8s",
        near: &[
            "sk-learn-contrib-and-friends",
            "task-9f8e7d6c5b4a3f2e1d0c",
            "sk-short1",
        ],
    },
    Rule {
        name: "token",
        hints: &[
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "xox",
            "xapp-",
            "hooks.slack.com",
            "npm_",
            "pypi-",
            "dckr_pat_",
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "sg.",
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
            "ya29.",
            "hvs.",
            "dapi",
            "lin_api_",
            "ntn_",
            "cio",
            "age-secret-key-",
        ],
        pattern: r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,}|do[opr]_v1_[a-f0-9]{64}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|ya29\.[A-Za-z0-9_-]{20,}|hvs\.[A-Za-z0-9_-]{20,}|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|cio[A-Za-z0-9]{32}|AGE-SECRET-KEY-1[0-9A-Z]{58})",
        accept: is_key,
        is_literal: true,
        example: "git clone with ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        finds: "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        near: &[
            "ghp_short",
            "xoxo-love",
            "npm_config_registry_is_a_long_variable_name",
        ],
    },
    Rule {
        name: "jwt",
        hints: &["eyj"],
        pattern: r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        accept: stands_alone,
        is_literal: true,
        example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g",
        finds: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g",
        near: &["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ."],
    },
    Rule {
        name: "authorization",
        hints: &["authorization", "bearer", "cookie"],
        pattern: r#"(?i)(?:(?:proxy-)?authorization["'\\]{0,4}\s{0,3}[:=]?\s{0,3}["'\\]{0,4}(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?|bearer\s{1,3}|cookie["'\\]{0,4}\s{0,3}:\s{0,3}["'\\]{0,4})((?:[A-Za-z0-9._~+/=:%,@-]|; ?){8,})"#,
        accept: |found| looks_random(found.secret),
        is_literal: true,
        example: "curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZDE='",
        finds: "dXNlcjpwYXNzd29yZDE=",
        near: &[
            "Authorization: required",
            "the bearer of bad news",
            "Authorization header: none",
        ],
    },
    Rule {
        name: "password",
        hints: &["passw", "passphrase", "pwd"],
        pattern: r#"(?i)(?:passwo?r?d|passphrase|pwd)(?:["'\\]{0,4}(?:\s{0,3}(?:=>|:=|[:=])\s{0,3}|\s{1,3})\\{0,3}["']([^"'\\\r\n‹›]{3,})|["'\\]{0,4}\s?(?:=>|:=|[:=])\s?([^\s"'`\\&;,|<>(){}\[\]‹›=:]{3,}={0,2})|\s([^\s"'`\\&;,|<>(){}\[\]‹›=:]{6,}))"#,
        accept: |found| {
            // Without a sign between them only what no word looks like: `--password hunter22`.
            let assigned = found.lead.contains(['=', ':', '"', '\'']);
            is_password(found) && (assigned || looks_random(found.secret))
        },
        is_literal: true,
        example: "export DB_PASSWORD=correcthorse; run",
        finds: "correcthorse",
        near: &[
            "password: str",
            "password=get_password()",
            "\"password\": {\"type\": \"string\"}",
            "the password is wrong",
            "PWD=/srv/project",
            "PASSWORD=$SECRET",
            "password = config.password",
        ],
    },
    Rule {
        name: "secret",
        hints: &["secret", "token", "key", "credential"],
        pattern: r#"(?i)(?:secret|token|credentials?|(?:api|access|auth|account|secret|private|encryption|signing|client)[_-]?key)["'\\]{0,4}(?:\s{0,3}(?:=>|:=|[:=])\s{0,3}|\s{1,3})\\{0,3}["']?([^\s"'`\\&;,|<>(){}\[\]‹›=:]{8,}={0,2})"#,
        accept: is_token,
        is_literal: true,
        example: "{\"client_secret\": \"8dyfuiRyq-vVc3RRr_edRk\"}",
        finds: "8dyfuiRyq-vVc3RRr_edRk",
        near: &[
            "max_tokens: 4096",
            "token = tokens[index]",
            "the token expires",
            "API_KEY=$OPENAI_API_KEY",
            "secret: description",
        ],
    },
    Rule {
        name: "url-password",
        hints: &["://"],
        pattern: r"://[A-Za-z0-9._~%!$&*+-]*:([!#-&(-.0-;=?A-\[\]-~]+)@",
        accept: |found| !found.secret.starts_with(['$', '{']),
        is_literal: true,
        example: "postgres://app:hunter2@db.example.org/orders",
        finds: "hunter2",
        near: &[
            "http://localhost:8080/@types",
            "https://example.org/a:b@c",
            "postgres://app@db",
        ],
    },
    Rule {
        name: "email",
        hints: &["@"],
        pattern: r"[A-Za-z0-9](?:[A-Za-z0-9._%+-]*)@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*)\.){1,8}[A-Za-z]{2,}",
        accept: is_address,
        is_literal: false,
        example: "write to ines.lund+runs@example.org.",
        finds: "ines.lund+runs@example.org",
        near: &[
            "git@github.com:org/repo.git",
            "icon@2x.png",
            "serde@1.0.200",
            "@types/node",
            "a @ b.c",
        ],
    },
    Rule {
        name: "user",
        hints: &["/home", "users", "-home-"],
        pattern: r"(?:[/\\]{1,4}(?:home|Users)[/\\]{1,4}([\p{L}\p{N}_][\p{L}\p{N}._-]*)|projects/-(?:home|Users)-([A-Za-z0-9_]+))",
        accept: is_home,
        is_literal: false,
        example: "cd /home/ines/orders && ls",
        finds: "ines",
        near: &[
            "/home",
            "https://example.org/home/page",
            "api/Users/list",
            "/homes/x",
            "C:\\Userspace",
        ],
    },
];

/// Names of fields whose text is a secret by the name alone: the rule whose secrets they are, and what
/// such a name ends with.
pub(super) const FIELDS: [(&str, &str); 2] = [
    ("password", r"(?i)(?:passwo?r?d|passphrase|pwd)$"),
    (
        "secret",
        r"(?i)(?:secret|token|credentials?|authorization|cookie|(?:api|access|auth|account|secret|private|encryption|signing|client)[_-]?key)$",
    ),
];
