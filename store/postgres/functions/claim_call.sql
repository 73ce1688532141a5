-- Claims a call and appends its first events, after those that led to it, or says why not: it is settled, its owner lives, the
-- run was removed, or it does not fit the run's cap or a budget of its tenant, user or key, perhaps until calls in flight settle.
CREATE OR REPLACE FUNCTION claim_call(spec jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := spec ->> 'tenant_id';
    run text := spec ->> 'run_id';
    me bigint := spec ->> 'owner';
    price numeric := spec ->> 'reserved_usd';
    call calls%ROWTYPE;
    met jsonb;
BEGIN
    PERFORM lock_calls(tenant, run);
    IF is_removed(tenant, run) THEN
        RETURN '{"is": "removed"}';
    END IF;
    SELECT * INTO call FROM calls WHERE tenant_id = tenant AND key = spec ->> 'key' FOR UPDATE;
    IF call.settled_at IS NOT NULL THEN
        UPDATE calls SET reused = reused + 1
            WHERE tenant_id = tenant AND key = call.key AND NOT (spec -> 'batch')::boolean;
        RETURN jsonb_build_object('is', 'settled', 'result', call.result, 'usage', call.usage);
    END IF;
    -- A process asks for no call that it has in flight: its own claim is one it has given up.
    IF call.owner <> me AND owner_lives(call.owner) THEN
        RETURN '{"is": "busy"}';
    END IF;

    IF price > 0 AND call.batch IS NULL THEN
        met := coalesce(
            find_exceeded_cap(tenant, run, spec ->> 'key', price, (spec ->> 'cap_usd')::numeric, me),
            find_exceeded_budget(tenant, run, spec ->> 'key', price, (spec ->> 'kept_usd')::numeric, me));
        IF met IS NOT NULL THEN
            RETURN met;
        END IF;
    END IF;

    INSERT INTO calls (tenant_id, key, run_id, phase_id, attempt, plan_step, name, kind, model,
                       owner, reserved_usd)
        VALUES (tenant, spec ->> 'key', run, spec ->> 'phase_id', (spec ->> 'attempt')::int,
                spec ->> 'plan_step', spec ->> 'name', spec ->> 'kind', spec ->> 'model', me, price)
        ON CONFLICT (tenant_id, key) DO UPDATE
        SET owner = me, reserved_usd = price, claimed_at = now(), error = '',
            taken_over = calls.taken_over + (calls.owner IS NOT NULL AND calls.batch IS NULL)::int;
    PERFORM append_events(tenant, run, spec -> 'told', (spec ->> 'told_from')::int) WHERE spec -> 'told' <> '[]';
    IF call.batch IS NULL AND spec -> 'events' <> '[]' THEN
        PERFORM append_events(tenant, run, spec -> 'events');
    END IF;
    RETURN jsonb_build_object('is', 'claimed', 'batch', call.batch);
END $$;
