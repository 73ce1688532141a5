-- Takes a run out of every table at once and leaves its row in `removals`. Returns 'removed', also
-- if it was before; 'unknown'; 'live', which `lost` says it cannot be; or 'busy', while a process
-- is still at one of its calls: what is being paid for is to be counted.
CREATE OR REPLACE FUNCTION remove_run(tenant text, run text, lost boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found_run runs%ROWTYPE;
BEGIN
    PERFORM lock_calls(tenant, run);
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
    INSERT INTO removals
        (tenant_id, run_id, user_id, definition_id, started_at, offline, spent, blobs)
        SELECT tenant, run, found_run.user_id, found_run.definition_id, found_run.started_at,
            coalesce((found_run.opened -> 'terms' -> 'offline')::boolean, false),
            (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM (
                SELECT model, calls, input_tokens, output_tokens, usd FROM spend
                WHERE tenant_id = tenant AND run_id = run) s),
            release_blobs(tenant, ARRAY[run] || ARRAY(
                SELECT id FROM files WHERE tenant_id = tenant AND user_id IN (found_run.user_id, '')
                    AND found_run.request -> 'files' ? id));
    DELETE FROM phase_executions WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM rejected_batches WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM events WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM calls WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM sources WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM artifacts WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM api_keys WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM files WHERE tenant_id = tenant AND user_id IN (found_run.user_id, '')
        AND found_run.request -> 'files' ? id;
    DELETE FROM runs WHERE tenant_id = tenant AND id = run;
    RETURN 'removed';
END $$;
