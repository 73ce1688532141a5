-- Who may ask the gateway, and as whom. A key is kept as its hash alone; a revoked one stays, since
-- from the first key on everybody needs one.
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
    PRIMARY KEY (tenant_id, id)
);
