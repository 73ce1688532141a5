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

-- How far a log is shown that goes on to `last_seq`.
CREATE FUNCTION shown_seq(tenant text, run text, last_seq bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce(min(seq) - 1, last_seq) FROM events
    WHERE tenant_id = tenant AND run_id = run AND ahead IS NOT NULL
$$;

-- Appends those of a batch whose key is new, up to the run's last event; returns whether the log
-- grew. The one writer of events. Whoever writes has a clock of its own, and some write late: an
-- event is never dated before the one it follows.
CREATE FUNCTION append_events(tenant text, run text, batch jsonb, ahead_from int DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    log record;
    first_seq bigint;
    latest text;
    event jsonb;
    place int;
    chained bytea;
BEGIN
    INSERT INTO runs (tenant_id, id) VALUES (tenant, run) ON CONFLICT DO NOTHING;
    -- The row's lock is what makes seq contiguous: writers of one run queue here.
    SELECT last_seq AS seq, last_hash AS hash, closed INTO log
        FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    -- Only under the lock: a removal may have been under way.
    IF is_removed(tenant, run) THEN
        DELETE FROM runs WHERE tenant_id = tenant AND id = run;
        RETURN false;
    END IF;
    first_seq := log.seq;
    SELECT body ->> 'at' INTO latest
        FROM events WHERE tenant_id = tenant AND run_id = run AND seq = log.seq;
    FOR event, place IN SELECT * FROM jsonb_array_elements(batch) WITH ORDINALITY LOOP
        EXIT WHEN log.closed;
        IF (event ->> 'at')::timestamptz < latest::timestamptz THEN
            event := jsonb_set(event, '{at}', to_jsonb(latest));
        END IF;
        INSERT INTO events (tenant_id, run_id, seq, key, body, hash, ahead)
            VALUES (tenant, run, log.seq + 1, event ->> 'key', event - 'key',
                    sha256(log.hash || convert_to(event::text, 'UTF8')),
                    ahead_from + place - 1)
            ON CONFLICT (tenant_id, run_id, key) DO NOTHING
            RETURNING hash INTO chained;
        IF FOUND THEN
            log.seq := log.seq + 1;
            log.hash := chained;
            latest := event ->> 'at';
            log.closed := event ->> 'type' = 'workflow_complete';
        END IF;
    END LOOP;
    IF log.seq > first_seq THEN
        UPDATE runs SET last_seq = log.seq, last_hash = log.hash, closed = log.closed
            WHERE tenant_id = tenant AND id = run;
    END IF;
    RETURN log.seq > first_seq;
END $$;

-- Events that are not as they were appended, and runs whose last ones are missing: none, unless
-- somebody altered the tables.
CREATE VIEW altered_events AS
    SELECT tenant_id, run_id, seq FROM (
        SELECT *, sha256(lag(hash, 1, '') OVER (PARTITION BY tenant_id, run_id ORDER BY seq)
            || convert_to((body || jsonb_build_object('key', key))::text, 'UTF8')) AS expected
        FROM events) AS chain
    WHERE hash <> expected
    UNION ALL
    SELECT r.tenant_id, r.id, r.last_seq FROM runs r
        LEFT JOIN events e ON (e.tenant_id, e.run_id, e.seq) = (r.tenant_id, r.id, r.last_seq)
    WHERE r.last_seq > 0 AND r.last_hash IS DISTINCT FROM e.hash;

-- Takes one call of the recorder: events always, rows unless newer ones are there. Returns whether
-- more of the log is shown.
CREATE FUNCTION record_batch(batch jsonb, blobs text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := batch ->> 'tenant_id';
    run text := batch ->> 'run_id';
    grew boolean := append_events(tenant, run, batch -> 'events');
BEGIN
    UPDATE events SET ahead = NULL
        WHERE tenant_id = tenant AND run_id = run AND ahead <= (batch ->> 'version')::int;
    grew := grew OR FOUND;
    UPDATE runs
        SET version = (batch ->> 'version')::int,
            status = batch ->> 'status',
            snapshot = batch -> 'snapshot',
            usage = batch -> 'usage',
            ended_at = (batch ->> 'ended_at')::timestamptz
        WHERE tenant_id = tenant AND id = run AND version <= (batch ->> 'version')::int;
    IF NOT FOUND THEN
        RETURN grew;
    END IF;

    PERFORM lock_blobs(tenant);
    INSERT INTO blob_references SELECT tenant, run, unnest(blobs) ON CONFLICT DO NOTHING;
    INSERT INTO phase_executions
        (tenant_id, run_id, phase_id, status, body, cache_key, expires_at)
        SELECT tenant, run, phase ->> 'id', phase ->> 'status', phase, phase ->> 'cache_key',
            (phase ->> 'expires_at')::timestamptz
        FROM jsonb_array_elements(batch -> 'phases') AS phase
        ON CONFLICT (tenant_id, run_id, phase_id) DO UPDATE
        SET (status, body, cache_key, expires_at)
            = (excluded.status, excluded.body, excluded.cache_key, excluded.expires_at);
    INSERT INTO sources (tenant_id, run_id, position, body)
        SELECT tenant, run, nth, source
        FROM jsonb_array_elements(batch -> 'sources') WITH ORDINALITY AS each (source, nth)
        ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET body = excluded.body
        WHERE sources.body <> excluded.body;
    INSERT INTO artifacts (tenant_id, run_id, id, position, body)
        SELECT tenant, run, artifact ->> 'id', nth, artifact
        FROM jsonb_array_elements(batch -> 'artifacts') WITH ORDINALITY AS each (artifact, nth)
        ON CONFLICT DO NOTHING;

    IF batch ->> 'ended_at' IS NOT NULL THEN
        PERFORM close_claims(tenant, run);
    END IF;

    -- Each batch with a cache key clears up to a hundred expired ones, so that there are never many
    -- more of them than count; those that another session is clearing are left to it.
    IF batch @? '$.phases[*] ? (@.cache_key != null)' THEN
        UPDATE phase_executions SET cache_key = NULL, expires_at = NULL
        WHERE (tenant_id, run_id, phase_id) IN (
            SELECT tenant_id, run_id, phase_id FROM phase_executions
            WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN grew;
END $$;

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
