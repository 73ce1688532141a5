-- What users are told of runs through channels of their own.

-- `secret` is what signs a webhook; it and `target` are read by whoever sends alone. A channel acts with
-- the key that made it: without that key its decision links are void.
CREATE TABLE channels (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    key_id text,
    kind text NOT NULL,
    target text NOT NULL,
    shown_target text NOT NULL,
    secret text NOT NULL,
    name text NOT NULL,
    events text[] NOT NULL,
    language text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    disabled jsonb,  -- the notice why its receiver wants no more
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON channels (tenant_id, user_id);

-- Alerts of a channel, in the order in which they are sent. A failed one holds back those behind it; one
-- that is not due yet does not.
CREATE TABLE alerts (
    tenant_id text NOT NULL,
    channel_id text NOT NULL,
    id text NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    run_id text,  -- null: a test of the channel
    type text NOT NULL,
    facts jsonb NOT NULL,
    decides boolean NOT NULL DEFAULT false,  -- the user may decide at the checkpoint that it is about
    at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'delivered', 'failed', 'lapsed')),
    attempts int NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL,
    settled_at timestamptz,
    failure jsonb,
    PRIMARY KEY (tenant_id, channel_id, id),
    FOREIGN KEY (tenant_id, channel_id) REFERENCES channels ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES runs ON DELETE CASCADE
);
CREATE INDEX ON alerts (tenant_id, channel_id, seq) WHERE status = 'queued';
CREATE INDEX ON alerts (tenant_id, channel_id, seq DESC);
CREATE INDEX ON alerts (tenant_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ON alerts (settled_at) WHERE settled_at IS NOT NULL;

-- Decision links that were used, each by the digest of its token.
CREATE TABLE used_decision_links (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    digest bytea NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, run_id, digest),
    FOREIGN KEY (tenant_id, run_id) REFERENCES runs ON DELETE CASCADE
);
