-- Returns null if a call of this price fits all budgets that apply; `over_budget` with the budget that opens last if one has no
-- room for it; `busy` if there may be room once calls in flight have settled. What is `kept` for later phases of the run must fit,
-- too. The budgets are locked until the transaction ends, so that only one of several runs takes the last dollar.
CREATE OR REPLACE FUNCTION find_exceeded_budget(tenant text, run text, call_key text, price numeric, kept numeric, me bigint) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    applying text[];
    today date := (now() AT TIME ZONE 'UTC')::date;
    budget record;
    sums record;
    opens date;
    latest date := '-infinity';
    met jsonb;
    waits boolean := false;
BEGIN
    SELECT array_agg(h.kind || '/' || h.holder) INTO applying
        FROM (SELECT 1) AS once LEFT JOIN runs r ON (r.tenant_id, r.id) = (tenant, run)
        CROSS JOIN LATERAL list_holders(tenant, r.user_id, r.key_id) AS h;
    PERFORM FROM budgets b WHERE b.tenant_id = tenant AND b.kind || '/' || b.holder = ANY (applying)
        ORDER BY b.kind, b.holder FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    FOR budget IN
        SELECT b.kind, b.holder, p.period, p.most, p.since FROM budgets b
        CROSS JOIN LATERAL (VALUES ('day', b.day_usd, today),
            ('month', b.month_usd, date_trunc('month', today)::date)) AS p (period, most, since)
        WHERE b.tenant_id = tenant AND p.most IS NOT NULL
            AND b.kind || '/' || b.holder = ANY (applying)
    LOOP
        SELECT coalesce(sum(s.settled_usd), 0) AS spent, coalesce(sum(s.reserved_usd), 0) - coalesce((
                SELECT c.reserved_usd FROM calls c WHERE c.tenant_id = tenant AND c.key = call_key
                    AND (c.claimed_at AT TIME ZONE 'UTC')::date >= budget.since), 0) AS reserved
            INTO sums FROM spent_by_day s
            WHERE (s.tenant_id, s.kind, s.holder) = (tenant, budget.kind, budget.holder) AND s.day >= budget.since;
        CONTINUE WHEN sums.spent + sums.reserved + price + kept <= budget.most;
        IF sums.spent + price + kept <= budget.most AND EXISTS (
            SELECT FROM calls c LEFT JOIN runs r ON (r.tenant_id, r.id) = (c.tenant_id, c.run_id)
            WHERE c.tenant_id = tenant AND c.owner IS NOT NULL AND c.reserved_usd > 0 AND c.key <> call_key
                AND (budget.kind, budget.holder) IN (SELECT * FROM list_holders(tenant, r.user_id, r.key_id))
                AND (c.owner = me OR owner_lives(c.owner)))
        THEN
            waits := true;
            CONTINUE;
        END IF;
        opens := CASE WHEN price + kept > budget.most THEN 'infinity'::date
            WHEN budget.period = 'day' THEN today + 1
            ELSE (date_trunc('month', today) + interval '1 month')::date END;
        CONTINUE WHEN opens <= latest;
        latest := opens;
        met := jsonb_build_object('is', 'over_budget', 'kind', budget.kind, 'holder', budget.holder,
            'period', budget.period, 'limit_usd', budget.most, 'spent_usd', sums.spent + sums.reserved,
            'price_usd', price, 'opens_on', nullif(opens, 'infinity'));
    END LOOP;
    RETURN CASE WHEN met IS NULL AND waits THEN '{"is": "busy"}' ELSE met END;
END $$;
