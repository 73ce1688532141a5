-- Queues a run's alerts for the channels of its owner, and of those who are asked to decide; again makes
-- no difference. Returns the channels that have any of them to send.
CREATE OR REPLACE FUNCTION queue_alerts(tenant text, run text, news jsonb, hidden_definition text)
RETURNS SETOF text
LANGUAGE sql AS $$
    WITH told AS (
        SELECT c.id AS channel_id, news.*, jsonb_typeof(deciders) = 'array' AS is_vote,
            deciders @> to_jsonb(c.user_id) OR EXISTS (
                SELECT FROM api_keys k WHERE (k.tenant_id, k.user_id) = (tenant, c.user_id)
                    AND k.kind = 'key' AND k.revoked_at IS NULL AND k.role <> '' AND roles @> to_jsonb(k.role)
            ) AS is_asked,
            c.user_id = r.user_id AS is_owner
        FROM runs r
        JOIN channels c ON c.tenant_id = r.tenant_id
        CROSS JOIN jsonb_to_recordset(news) AS news (
            id text, type text, at timestamptz, due_at timestamptz, deciders jsonb, roles jsonb, facts jsonb)
        WHERE (r.tenant_id, r.id) = (tenant, run) AND r.definition_id <> hidden_definition
            AND news.type = ANY(c.events)),
    queued AS (
        INSERT INTO alerts (tenant_id, channel_id, id, run_id, type, facts, decides, at, due_at, next_at)
        SELECT tenant, channel_id, id, run, type, facts,
            CASE WHEN is_vote THEN is_asked ELSE is_owner END, at, due_at, due_at
        FROM told WHERE is_owner OR (is_vote AND is_asked)
        ORDER BY at
        ON CONFLICT DO NOTHING RETURNING channel_id)
    SELECT channel_id FROM queued
    UNION SELECT channel_id FROM alerts
        WHERE (tenant_id, run_id, status) = (tenant, run, 'queued')
            AND id IN (SELECT value ->> 'id' FROM jsonb_array_elements(news))
$$;
