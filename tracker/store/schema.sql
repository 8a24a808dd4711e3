-- Evidence store, version 4. Times: seconds since 1970. Costs: seconds and bytes.
CREATE TABLE run (
    number      INTEGER PRIMARY KEY,
    started_at  REAL NOT NULL,
    ended_at    REAL,
    state       TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
    toolchain   TEXT NOT NULL,
    toolchain_identity TEXT NOT NULL,
    machine     TEXT NOT NULL,
    commit_hash TEXT,
    dirty       INTEGER NOT NULL,
    tracker_version TEXT NOT NULL
) STRICT;

CREATE TABLE module_check (
    id          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL REFERENCES run (number),
    module      TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    passed      INTEGER NOT NULL,
    started_at  REAL NOT NULL,
    wall_s      REAL,
    user_s      REAL,
    system_s    REAL,
    peak_rss_bytes  INTEGER,
    peak_anon_bytes INTEGER,
    minor_faults    INTEGER,
    major_faults    INTEGER,
    exit_code   INTEGER,
    signal      INTEGER,
    stopped_by  TEXT,
    wall_limit_s REAL,
    memory_limit_bytes INTEGER,
    olean_digest TEXT,
    failures    TEXT NOT NULL,  -- JSON list
    curve       TEXT NOT NULL,  -- JSON list of [seconds, resident bytes, anonymous bytes or null]
    lake_output TEXT NOT NULL,
    stderr      TEXT NOT NULL,
    seal        TEXT NOT NULL DEFAULT '', -- SHA-256 of the row and its messages
    instructions INTEGER,
    repeats     TEXT            -- JSON list of the costs of each time, figures in the order of the columns
) STRICT;
CREATE INDEX module_check_newest ON module_check (module, id);

CREATE TABLE message (
    check_id    INTEGER NOT NULL REFERENCES module_check (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    severity    TEXT NOT NULL,
    kind        TEXT NOT NULL,
    declaration TEXT,
    body        TEXT NOT NULL,  -- JSON object, the whole message
    PRIMARY KEY (check_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE probe (
    id          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL REFERENCES run (number),
    module      TEXT NOT NULL,
    declaration TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    found       INTEGER NOT NULL,
    kind        TEXT,
    axioms      TEXT NOT NULL,  -- JSON list
    statement   TEXT NOT NULL,
    digest      TEXT NOT NULL,
    absurd      INTEGER NOT NULL,
    location    TEXT,           -- JSON object: file, line, column
    uses        TEXT NOT NULL,  -- JSON object: declaration -> count
    note        TEXT NOT NULL,
    seal        TEXT NOT NULL DEFAULT ''  -- SHA-256 of the row
) STRICT;
CREATE INDEX probe_newest ON probe (module, declaration, id);

CREATE TABLE measurement (
    id          INTEGER PRIMARY KEY,
    measured_at REAL NOT NULL,
    machine     TEXT NOT NULL,
    module      TEXT NOT NULL,
    declaration TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('headroom', 'profile')),
    subject     TEXT NOT NULL,  -- the option whose headroom it is; empty for a profile
    body        TEXT NOT NULL,  -- JSON object
    seal        TEXT NOT NULL DEFAULT ''  -- SHA-256 of the row
) STRICT;
CREATE INDEX measurement_newest ON measurement (kind, module, declaration, subject, id);
