-- Takes one call of the recorder: events always, rows unless newer ones are there. Returns whether
-- more of the log is shown.
CREATE OR REPLACE FUNCTION record_batch(batch jsonb, blobs text[]) RETURNS boolean
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

    -- Each batch with a cache key clears up to a hundred expired ones of its tenant, so that there are never many
    -- more of them than count; those that another session is clearing are left to it.
    IF batch @? '$.phases[*] ? (@.cache_key != null)' THEN
        UPDATE phase_executions SET cache_key = NULL, expires_at = NULL
        WHERE (tenant_id, run_id, phase_id) IN (
            SELECT tenant_id, run_id, phase_id FROM phase_executions
            WHERE tenant_id = tenant AND expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN grew;
END $$;
