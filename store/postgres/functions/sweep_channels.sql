-- Names the channels of all tenants whose secrets are not encrypted by the newest key, each with its tenant.
CREATE OR REPLACE FUNCTION sweep_channels(prefix text) RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT jsonb_build_array(tenant_id, id) FROM channels
    WHERE NOT starts_with(target, prefix) AND disabled IS NULL
$$;
