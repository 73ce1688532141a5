-- Names the tenants with alerts that were settled longer ago than they are kept.
CREATE OR REPLACE FUNCTION sweep_old_alerts(kept interval) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT tenant_id FROM alerts WHERE settled_at < now() - kept
$$;
