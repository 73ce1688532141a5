-- Counts what an operator watches, over all tenants and without naming any: active runs by definition and status, those that
-- ended within a day, waits for humans, what was spent of budgets, documents and alerts that wait.
CREATE OR REPLACE FUNCTION count_installation() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH active AS (SELECT definition_id, status, snapshot FROM runs WHERE ended_at IS NULL),
    waits AS (
        SELECT (SELECT max((phase ->> 'started_at')::timestamptz)
            FROM jsonb_array_elements(snapshot -> 'phases') AS phase
            WHERE phase ->> 'status' = 'waiting') AS since
        FROM active WHERE status = 'waiting'),
    today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
    spent AS (
        SELECT b.kind, b.day_usd, b.month_usd,
            coalesce(sum(s.settled_usd + s.reserved_usd) FILTER (WHERE s.day = t.day), 0) AS of_day,
            coalesce(sum(s.settled_usd + s.reserved_usd), 0) AS of_month
        FROM today t CROSS JOIN budgets b LEFT JOIN spent_by_day s
            ON (s.tenant_id, s.kind, s.holder) = (b.tenant_id, b.kind, b.holder) AND s.day >= date_trunc('month', t.day)
        GROUP BY b.tenant_id, b.kind, b.holder),
    used AS (
        SELECT kind, 'day' AS period, of_day AS usd, day_usd AS most FROM spent WHERE day_usd IS NOT NULL
        UNION ALL SELECT kind, 'month', of_month, month_usd FROM spent WHERE month_usd IS NOT NULL)
    SELECT jsonb_build_object(
        'active', (SELECT coalesce(jsonb_agg(jsonb_build_object('definition', definition_id, 'status', status, 'n', n)), '[]')
            FROM (SELECT definition_id, status, count(*) AS n FROM active GROUP BY 1, 2) AS counted),
        'ended', (SELECT coalesce(jsonb_agg(jsonb_build_object('definition', definition_id, 'status', status, 'n', n)), '[]')
            FROM (SELECT definition_id, status, count(*) AS n FROM runs
                -- both values, for the index on (temporary, ended_at)
                WHERE closed AND temporary IN (false, true) AND ended_at > now() - interval '1 day' GROUP BY 1, 2) AS counted),
        'waits', (SELECT count(*) FROM waits),
        'oldest_wait_seconds', (SELECT coalesce(extract(epoch FROM now() - min(since)), 0) FROM waits),
        'spent_today_usd', (SELECT coalesce(sum(settled_usd), 0) FROM spent_by_day, today
            WHERE kind = 'tenant' AND spent_by_day.day = today.day),
        'budgets', (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'period', period, 'n', n, 'used_up', used_up,
                'largest_share', share)), '[]')
            FROM (SELECT kind, period, count(*) AS n, count(*) FILTER (WHERE usd >= most) AS used_up,
                    max(CASE WHEN most > 0 THEN usd / most ELSE 1 END) AS share
                FROM used GROUP BY 1, 2) AS counted),
        'documents_waiting', (SELECT count(*) FROM collection_documents WHERE status IN ('waiting', 'reading')),
        'alerts_due', (SELECT count(*) FROM alerts WHERE status = 'queued' AND next_at <= now()))
$$;
