-- Returns null if a call of this price fits its run's cap; `busy` if it may once calls in flight have settled, which cost less than
-- they may; else `over_cap` with what is spent and reserved.
CREATE OR REPLACE FUNCTION find_exceeded_cap(tenant text, run text, call_key text, price numeric, cap numeric, me bigint) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    spent numeric;
    reserved numeric;
BEGIN
    SELECT coalesce(sum(settled_usd), 0), coalesce(sum(reserved_usd) FILTER (WHERE key <> call_key), 0)
        INTO spent, reserved FROM calls WHERE tenant_id = tenant AND run_id = run;
    IF spent + reserved + price <= cap THEN
        RETURN NULL;
    END IF;
    IF spent + price <= cap AND EXISTS (
        SELECT FROM calls WHERE tenant_id = tenant AND run_id = run AND key <> call_key
            AND reserved_usd > 0 AND owner IS NOT NULL AND (owner = me OR owner_lives(owner)))
    THEN
        RETURN '{"is": "busy"}';
    END IF;
    RETURN jsonb_build_object('is', 'over_cap', 'spent', spent, 'reserved', reserved);
END $$;
