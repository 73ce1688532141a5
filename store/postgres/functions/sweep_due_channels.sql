-- Names the channels of all tenants that have an alert to send now, each with its tenant.
CREATE OR REPLACE FUNCTION sweep_due_channels() RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT jsonb_build_array(a.tenant_id, a.channel_id)
    FROM alerts a JOIN channels c ON (c.tenant_id, c.id) = (a.tenant_id, a.channel_id)
    WHERE a.status = 'queued' AND a.next_at <= now() AND c.enabled AND c.disabled IS NULL
$$;
