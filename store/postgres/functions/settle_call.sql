-- Settles a call, appends its last events and returns the result that is kept. A call that was taken
-- over may come back to life: the first to settle wins, and both go on with its result; what the
-- other one paid is spent all the same, as is what a try has cost that came to nothing.
CREATE OR REPLACE FUNCTION settle_call(paid jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := paid ->> 'tenant_id';
    usd float8 := paid ->> 'usd';
    kept jsonb;
BEGIN
    UPDATE calls SET settled_at = now(), owner = NULL, reserved_usd = 0, error = '',
            settled_usd = settled_usd + usd, usage = paid -> 'usage', result = paid -> 'result'
        WHERE tenant_id = tenant AND key = paid ->> 'key' AND settled_at IS NULL
        RETURNING result INTO kept;
    IF NOT FOUND THEN
        -- The same to the letter is the same call, whose writer lost the answer and asks again.
        UPDATE calls SET settled_usd = settled_usd + usd
            WHERE tenant_id = tenant AND key = paid ->> 'key'
                AND (result, usage) IS DISTINCT FROM (paid -> 'result', paid -> 'usage');
        SELECT result INTO kept FROM calls WHERE tenant_id = tenant AND key = paid ->> 'key';
    END IF;
    PERFORM append_events(tenant, paid ->> 'run_id', paid -> 'events') WHERE paid -> 'events' <> '[]';
    RETURN coalesce(kept, paid -> 'result');
END $$;
