-- A table has the columns it is asked by; beside them the contract itself stands as jsonb.

CREATE TABLE definitions (
    tenant_id text NOT NULL,
    id text NOT NULL,
    version int NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id, version)
);

CREATE TABLE runs (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL DEFAULT '',
    definition_id text NOT NULL DEFAULT '',
    definition_version int NOT NULL DEFAULT 1,
    request jsonb NOT NULL DEFAULT '{}',
    opened jsonb,
    status text NOT NULL DEFAULT 'running',
    version int NOT NULL DEFAULT -1,
    snapshot jsonb NOT NULL DEFAULT '{}',
    usage jsonb NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    last_seq bigint NOT NULL DEFAULT 0,
    last_hash bytea NOT NULL DEFAULT '',
    closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX runs_by_age
    ON runs (tenant_id, coalesce(ended_at, 'infinity') DESC, started_at DESC, id DESC);
CREATE INDEX runs_by_ticker ON runs (tenant_id, (request -> 'inputs' ->> 'ticker'));

CREATE TABLE phase_executions (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    phase_id text NOT NULL,
    status text NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (tenant_id, run_id, phase_id)
);

CREATE TABLE events (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    seq bigint NOT NULL,
    key text NOT NULL,
    body jsonb NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, run_id, seq),
    UNIQUE (tenant_id, run_id, key)
);

-- The journal, which is also the ledger: what a call may cost until it is settled, then what it did.
CREATE TABLE calls (
    tenant_id text NOT NULL,
    key text NOT NULL,
    run_id text NOT NULL,
    phase_id text NOT NULL,
    attempt int NOT NULL,
    plan_step text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    model text NOT NULL,
    owner bigint,
    fence int NOT NULL DEFAULT 1,
    taken_over int NOT NULL DEFAULT 0,
    reused int NOT NULL DEFAULT 0,
    reserved_usd numeric NOT NULL DEFAULT 0,
    settled_usd numeric NOT NULL DEFAULT 0,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz,
    usage jsonb,
    result jsonb,
    error text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX calls_by_run ON calls (tenant_id, run_id);

CREATE TABLE sources (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    position int NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (tenant_id, run_id, position)
);

CREATE TABLE artifacts (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    id text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, run_id, id)
);

CREATE TABLE startups (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_accessed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX startups_by_use ON startups (tenant_id, user_id, last_accessed DESC);
