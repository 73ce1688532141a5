-- Startups that users keep, and the keys by which they come in.

CREATE TABLE startups (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_accessed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON startups (tenant_id, user_id, last_accessed DESC);

-- Keys of the gateway, sessions of browsers and share links, each kept as its hash alone. A revoked
-- one stays: from the first key on everybody needs one.
CREATE TABLE api_keys (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL DEFAULT '',
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    last_used_at timestamptz,
    expires_at timestamptz,
    run_id text,  -- of a share link: the one run whose report it opens
    kind text NOT NULL DEFAULT 'key' CHECK (kind IN ('key', 'session', 'link')),
    parent_id text,  -- the key by which it was made, and with which it is revoked
    scope text NOT NULL DEFAULT 'decide' CHECK (scope IN ('ask', 'decide', 'approve', 'admin', 'payloads', 'budgets')),
    PRIMARY KEY (tenant_id, id),
    CHECK ((kind = 'link') = (run_id IS NOT NULL))
);
CREATE INDEX ON api_keys (tenant_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ON api_keys (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
