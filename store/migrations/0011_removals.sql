-- A run that was removed: what it cost stays, nothing of what it was about. From the moment the row
-- is here its id is taken and nothing more is written for it; `done_at` says that blobs and
-- Temporal's execution are gone too.
CREATE TABLE removals (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    user_id text NOT NULL,
    definition_id text NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    spent jsonb NOT NULL,
    borrowed text[] NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    PRIMARY KEY (tenant_id, run_id)
);
CREATE INDEX removals_to_finish ON removals (begun_at) WHERE done_at IS NULL;

ALTER TABLE runs ADD COLUMN temporary boolean NOT NULL
    GENERATED ALWAYS AS (coalesce(request ->> 'temp_workflow' = 'true', false)) STORED;
CREATE INDEX runs_by_end ON runs (ended_at) WHERE closed;
CREATE INDEX temporary_runs_by_end ON runs (ended_at) WHERE closed AND temporary;

-- What models cost, by run and model, of runs that are there and of those that were removed.
CREATE VIEW spend AS
    SELECT r.tenant_id, r.id AS run_id, r.user_id, r.definition_id, r.started_at, c.model,
           count(*) AS calls,
           coalesce(sum((c.usage ->> 'input_tokens')::bigint), 0) AS input_tokens,
           coalesce(sum((c.usage ->> 'output_tokens')::bigint), 0) AS output_tokens,
           coalesce(sum(c.settled_usd), 0) AS usd
    FROM runs r JOIN calls c ON (c.tenant_id, c.run_id) = (r.tenant_id, r.id)
    WHERE c.kind = 'model' AND c.settled_at IS NOT NULL
    GROUP BY r.tenant_id, r.id, c.model
    UNION ALL
    SELECT tenant_id, run_id, user_id, definition_id, started_at, s.model, s.calls,
           s.input_tokens, s.output_tokens, s.usd
    FROM removals, jsonb_to_recordset(spent)
        AS s (model text, calls bigint, input_tokens bigint, output_tokens bigint, usd numeric);

-- Which blobs runs name, be they their own or taken over from another run.
CREATE VIEW named_blobs AS
    SELECT tenant_id, run_id, body ->> 'text_key' AS key FROM sources
    UNION ALL SELECT tenant_id, run_id, body ->> 'raw_key' FROM sources
    UNION ALL SELECT tenant_id, run_id, body ->> 'key' FROM artifacts;
CREATE INDEX sources_by_text ON sources ((body ->> 'text_key'));
CREATE INDEX sources_by_raw ON sources ((body ->> 'raw_key'));
CREATE INDEX artifacts_by_key ON artifacts ((body ->> 'key'));

-- Keys of blobs in what a live run started from or was given by its phases so far: it may read them
-- before it has recorded them as its own.
CREATE FUNCTION live_blobs(tenant text, but text) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
    SELECT (regexp_matches(held, '[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/[0-9a-f]{64}', 'g'))[1]
    FROM runs r, LATERAL (
        SELECT opened::text AS held
        UNION ALL SELECT body::text FROM phase_executions p
        WHERE (p.tenant_id, p.run_id) = (r.tenant_id, r.id)) held
    WHERE r.tenant_id = tenant AND NOT r.closed AND r.id <> but
$$;

CREATE FUNCTION is_removed(tenant text, run text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM removals WHERE (tenant_id, run_id) = (tenant, run))
$$;

-- Takes a run out of every table at once and leaves its row in `removals`. Returns 'removed', also
-- if it was before; 'unknown'; 'live', which `lost` says it cannot be; or 'busy', while a process
-- is still at one of its calls: what is being paid for is to be counted.
CREATE FUNCTION remove_run(tenant text, run text, lost boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found_run runs%ROWTYPE;
BEGIN
    -- Claims of one run go one at a time: none can come in between.
    PERFORM pg_advisory_xact_lock(hashtext('calls'), hashtext(tenant || '/' || run));
    SELECT * INTO found_run FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    IF NOT FOUND THEN
        RETURN CASE WHEN is_removed(tenant, run) THEN 'removed' ELSE 'unknown' END;
    END IF;
    IF NOT (found_run.closed OR lost) THEN
        RETURN 'live';
    END IF;
    IF EXISTS (SELECT FROM calls WHERE tenant_id = tenant AND run_id = run
               AND settled_at IS NULL AND owner IS NOT NULL AND owner_lives(owner)) THEN
        RETURN 'busy';
    END IF;
    INSERT INTO removals (tenant_id, run_id, user_id, definition_id, started_at, ended_at, spent,
                          borrowed)
        SELECT tenant, run, found_run.user_id, found_run.definition_id, found_run.started_at,
            found_run.ended_at,
            (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM (
                SELECT model, calls, input_tokens, output_tokens, usd FROM spend
                WHERE tenant_id = tenant AND run_id = run) s),
            ARRAY(SELECT DISTINCT key FROM named_blobs n
                WHERE n.tenant_id = tenant AND n.run_id = run AND split_part(key, '/', 2) <> run);
    DELETE FROM phase_executions WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM events WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM calls WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM sources WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM artifacts WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM runs WHERE tenant_id = tenant AND id = run;
    RETURN 'removed';
END $$;

-- Whoever still writes for a run that was removed writes nothing.
ALTER FUNCTION append_events(text, text, jsonb) RENAME TO add_events;

CREATE FUNCTION append_events(tenant text, run text, batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF is_removed(tenant, run) THEN
        RETURN false;
    END IF;
    RETURN add_events(tenant, run, batch);
END $$;

ALTER FUNCTION record_batch(jsonb) RENAME TO record_all;

CREATE FUNCTION record_batch(batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF is_removed(batch ->> 'tenant_id', batch ->> 'run_id') THEN
        RETURN false;
    END IF;
    RETURN record_all(batch);
END $$;

ALTER FUNCTION claim_call(jsonb) RENAME TO claim_live_call;

CREATE FUNCTION claim_call(ask jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := ask ->> 'tenant_id';
    run text := ask ->> 'run_id';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('calls'), hashtext(tenant || '/' || run));
    IF is_removed(tenant, run) THEN
        RETURN '{"is": "removed"}';
    END IF;
    RETURN claim_live_call(ask);
END $$;
