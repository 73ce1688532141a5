-- The log of a run's events, and what the recorder brings with them.

-- A run's log: `seq` is contiguous from 1, `hash` covers the event and the hash before it. `ahead` is
-- the number of an event that a call brought along before the recorder came with its rows: until
-- then it is not shown, nor what follows it.
CREATE TABLE events (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    seq bigint NOT NULL,
    key text NOT NULL,
    body jsonb NOT NULL,
    hash bytea NOT NULL,
    ahead int,
    PRIMARY KEY (tenant_id, run_id, seq),
    UNIQUE (tenant_id, run_id, key)
);
CREATE INDEX ON events (tenant_id, run_id, seq) WHERE ahead IS NOT NULL;

-- Events that are not as they were appended, and runs whose last ones are missing: none, unless
-- somebody altered the tables.
CREATE VIEW altered_events WITH (security_invoker = true) AS
    SELECT tenant_id, run_id, seq FROM (
        SELECT *, sha256(lag(hash, 1, '') OVER (PARTITION BY tenant_id, run_id ORDER BY seq)
            || convert_to((body || jsonb_build_object('key', key))::text, 'UTF8')) AS expected
        FROM events) AS chain
    WHERE hash <> expected
    UNION ALL
    SELECT r.tenant_id, r.id, r.last_seq FROM runs r
        LEFT JOIN events e ON (e.tenant_id, e.run_id, e.seq) = (r.tenant_id, r.id, r.last_seq)
    WHERE r.last_seq > 0 AND r.last_hash IS DISTINCT FROM e.hash;

-- Batches that record_batch refused for good, each as its JSON, for an operator to look at.
CREATE TABLE rejected_batches (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    version int NOT NULL,
    reason text NOT NULL,
    batch text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, run_id, version)
);
