-- A run that was removed: what it cost stays, nothing of what it was about. From the moment the row
-- is here its id is taken and nothing more is written for it; `done_at` says that blobs and
-- Temporal's execution are gone too.
CREATE TABLE removals (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    user_id text NOT NULL,
    definition_id text NOT NULL,
    started_at timestamptz NOT NULL,
    offline boolean NOT NULL,
    spent jsonb NOT NULL,
    blobs text[] NOT NULL,  -- that it referred to and nobody else does
    begun_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    PRIMARY KEY (tenant_id, run_id)
);
CREATE INDEX ON removals (begun_at) WHERE done_at IS NULL;
