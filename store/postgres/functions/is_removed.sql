CREATE OR REPLACE FUNCTION is_removed(tenant text, run text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM removals WHERE (tenant_id, run_id) = (tenant, run))
$$;
