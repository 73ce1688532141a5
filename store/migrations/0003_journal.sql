-- Claims a call, or says why not: it is settled, somebody is at it, or the run's cap is near.
CREATE FUNCTION claim_call(ask jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := ask ->> 'tenant_id';
    run text := ask ->> 'run_id';
    me bigint := ask ->> 'owner';
    price numeric := ask ->> 'reserved_usd';
    call calls%ROWTYPE;
    spent numeric;
    reserved numeric;
BEGIN
    -- The cap is checked against a sum, so claims of one run go one at a time.
    PERFORM pg_advisory_xact_lock(hashtext('calls'), hashtext(tenant || '/' || run));
    SELECT * INTO call FROM calls WHERE tenant_id = tenant AND key = ask ->> 'key' FOR UPDATE;
    IF call.settled_at IS NOT NULL THEN
        UPDATE calls SET reused = reused + 1 WHERE tenant_id = tenant AND key = call.key;
        RETURN jsonb_build_object('is', 'settled', 'result', call.result, 'usage', call.usage);
    END IF;
    -- A process asks for no call that it has in flight: its own claim is one it has given up.
    IF call.owner <> me AND owner_lives(call.owner) THEN
        RETURN jsonb_build_object('is', 'busy');
    END IF;

    SELECT coalesce(sum(settled_usd), 0),
           coalesce(sum(reserved_usd) FILTER (WHERE key <> ask ->> 'key'), 0)
        INTO spent, reserved FROM calls WHERE tenant_id = tenant AND run_id = run;
    IF price > 0 AND spent + reserved + price > (ask ->> 'cap_usd')::numeric THEN
        RETURN jsonb_build_object('is', 'refused', 'spent', spent, 'reserved', reserved);
    END IF;

    INSERT INTO calls (tenant_id, key, run_id, phase_id, attempt, plan_step, name, kind, model,
                       owner, reserved_usd)
        VALUES (tenant, ask ->> 'key', run, ask ->> 'phase_id', (ask ->> 'attempt')::int,
                ask ->> 'plan_step', ask ->> 'name', ask ->> 'kind', ask ->> 'model', me, price)
        ON CONFLICT (tenant_id, key) DO UPDATE
        SET owner = me, reserved_usd = price, claimed_at = now(), error = '',
            fence = calls.fence + 1,
            taken_over = calls.taken_over + (calls.owner IS NOT NULL)::int
        RETURNING * INTO call;
    RETURN jsonb_build_object('is', 'claimed', 'fence', call.fence);
END $$;

-- An owner holds the advisory lock of its id for as long as its process lives. After a restart of
-- the server nobody holds anything: owners get a moment to come back before they count as dead.
CREATE FUNCTION owner_lives(owner bigint) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
    SELECT now() < pg_postmaster_start_time() + interval '5 seconds'
        OR NOT pg_try_advisory_xact_lock(owner)
$$;
