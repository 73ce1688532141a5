-- Names the runs to remove of all tenants, the oldest first, each with its tenant: unfinished removals, too.
CREATE OR REPLACE FUNCTION sweep_due_runs(before_temporary timestamptz, before_kept timestamptz, most int) RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT jsonb_build_array(tenant_id, id) FROM (
        SELECT tenant_id, run_id AS id, begun_at AS since FROM removals
            WHERE done_at IS NULL AND begun_at < now() - interval '1 minute'
        UNION ALL SELECT tenant_id, id, ended_at FROM runs
            WHERE closed AND temporary AND ended_at < before_temporary
        UNION ALL SELECT tenant_id, id, ended_at FROM runs
            WHERE closed AND NOT temporary AND ended_at < before_kept) AS due
    ORDER BY since LIMIT most
$$;
