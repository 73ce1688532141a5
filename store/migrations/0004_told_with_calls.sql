-- A call and what the log says of it are one transaction: claimed with its first events, settled
-- with its last.
ALTER FUNCTION claim_call(jsonb) RENAME TO take_call;

CREATE FUNCTION claim_call(ask jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    answer jsonb := take_call(ask);
BEGIN
    IF answer ->> 'is' = 'claimed' THEN
        PERFORM append_events(ask ->> 'tenant_id', ask ->> 'run_id', ask -> 'events');
    END IF;
    RETURN answer;
END $$;

-- The first to settle wins: a call that was taken over may come back to life.
CREATE FUNCTION settle_call(paid jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE calls SET settled_at = now(), owner = NULL, reserved_usd = 0, error = '',
            settled_usd = (paid ->> 'usd')::float8, usage = paid -> 'usage',
            result = paid -> 'result'
        WHERE tenant_id = paid ->> 'tenant_id' AND key = paid ->> 'key' AND settled_at IS NULL;
    PERFORM append_events(paid ->> 'tenant_id', paid ->> 'run_id', paid -> 'events');
END $$;
