-- Names the tenants with files uploaded before a time.
CREATE OR REPLACE FUNCTION sweep_stale_files(before timestamptz) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT tenant_id FROM files WHERE created_at < before
$$;
