-- Names up to a thousand blobs to delete with their tenants, of one tenant or of all.
CREATE OR REPLACE FUNCTION sweep_loose_blobs(minutes int, only_tenant text) RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT jsonb_build_array(tenant_id, key) FROM loose_blobs
    WHERE since < now() - make_interval(mins => minutes)
        AND (only_tenant IS NULL OR tenant_id = only_tenant) LIMIT 1000
$$;
