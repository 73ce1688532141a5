-- What a try has cost that came to nothing stays with its call, whoever makes it in the end.
CREATE OR REPLACE FUNCTION settle_call(paid jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE calls SET settled_at = now(), owner = NULL, reserved_usd = 0, error = '',
            settled_usd = settled_usd + (paid ->> 'usd')::float8, usage = paid -> 'usage',
            result = paid -> 'result'
        WHERE tenant_id = paid ->> 'tenant_id' AND key = paid ->> 'key' AND settled_at IS NULL;
    PERFORM append_events(paid ->> 'tenant_id', paid ->> 'run_id', paid -> 'events');
END $$;
