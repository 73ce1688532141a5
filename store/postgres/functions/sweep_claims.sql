-- Names the ended runs of all tenants with claims of calls that were not given back, each with its tenant.
CREATE OR REPLACE FUNCTION sweep_claims() RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT jsonb_build_array(c.tenant_id, c.run_id)
    FROM calls c JOIN runs r ON (r.tenant_id, r.id) = (c.tenant_id, c.run_id)
    WHERE c.owner IS NOT NULL AND r.closed
$$;
