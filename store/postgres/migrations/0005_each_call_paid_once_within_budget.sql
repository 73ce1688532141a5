-- The journal of calls, which is also the ledger: each is claimed, within the cap, before it is made and settled after.

-- What a call may cost until it is settled, then what it did. `owner` is the advisory lock of the
-- process that makes it, `taken_over` counts the claims whose owner had died: each of these may have
-- been paid twice. A call that waits in a `batch` is nobody's: what it may cost stays reserved.
CREATE TABLE calls (
    tenant_id text NOT NULL,
    key text NOT NULL,
    run_id text NOT NULL,
    phase_id text NOT NULL,
    attempt int NOT NULL,
    plan_step text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    model text NOT NULL,
    owner bigint,
    taken_over int NOT NULL DEFAULT 0,
    reused int NOT NULL DEFAULT 0,
    reserved_usd numeric NOT NULL DEFAULT 0,
    settled_usd numeric NOT NULL DEFAULT 0,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz,
    batch jsonb,
    usage jsonb,
    result jsonb,
    error text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX ON calls (tenant_id, run_id);
CREATE INDEX ON calls (tenant_id, run_id) WHERE owner IS NOT NULL;

-- What models and search services cost, by run and model or service, of runs that are there, of those that were removed,
-- and of tests of a provider, which are of no run and no definition.
CREATE VIEW spend AS
    SELECT r.tenant_id, r.id AS run_id, r.user_id, r.definition_id, r.started_at,
           coalesce((r.opened -> 'terms' -> 'offline')::boolean, false) AS offline, c.model,
           count(*) AS calls,
           coalesce(sum((c.usage ->> 'input_tokens')::bigint), 0) AS input_tokens,
           coalesce(sum((c.usage ->> 'output_tokens')::bigint), 0) AS output_tokens,
           coalesce(sum(c.settled_usd), 0) AS usd
    FROM runs r JOIN calls c ON (c.tenant_id, c.run_id) = (r.tenant_id, r.id)
    WHERE (c.kind = 'model' OR (c.kind = 'search' AND c.settled_usd > 0)) AND c.settled_at IS NOT NULL
    GROUP BY r.tenant_id, r.id, c.model
    UNION ALL
    SELECT tenant_id, run_id, user_id, definition_id, started_at, offline, s.model, s.calls,
           s.input_tokens, s.output_tokens, s.usd
    FROM removals, jsonb_to_recordset(spent)
        AS s (model text, calls bigint, input_tokens bigint, output_tokens bigint, usd numeric)
    UNION ALL
    SELECT tenant_id, run_id, result ->> 'user_id', '', settled_at, (result -> 'offline')::boolean, model, 1,
           (usage ->> 'input_tokens')::bigint, (usage ->> 'output_tokens')::bigint, settled_usd
    FROM calls WHERE phase_id = 'provider-test' AND settled_at IS NOT NULL AND (kind = 'model' OR settled_usd > 0);

-- Claims and the removal of one run go one at a time, until the transaction ends.
CREATE FUNCTION lock_calls(tenant text, run text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtext('calls'), hashtext(tenant || '/' || run))
$$;

-- An owner holds the advisory lock of its id for as long as its process lives. After a restart of
-- the server nobody holds anything: owners get a moment to come back before they count as dead.
CREATE FUNCTION owner_lives(owner bigint) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
    SELECT now() < pg_postmaster_start_time() + interval '5 seconds'
        OR NOT pg_try_advisory_xact_lock(owner)
$$;

-- Claims a call and appends its first events, after those that led to it, or says why not: it is settled, its owner lives, the
-- run's cap is near, or the run was removed. Where the cap is near only for what calls in flight may cost, the caller waits
-- for them: they cost less than they may.
CREATE FUNCTION claim_call(spec jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := spec ->> 'tenant_id';
    run text := spec ->> 'run_id';
    me bigint := spec ->> 'owner';
    price numeric := spec ->> 'reserved_usd';
    call calls%ROWTYPE;
    spent numeric;
    reserved numeric;
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

    SELECT coalesce(sum(settled_usd), 0),
           coalesce(sum(reserved_usd) FILTER (WHERE key <> spec ->> 'key'), 0)
        INTO spent, reserved FROM calls WHERE tenant_id = tenant AND run_id = run;
    IF price > 0 AND call.batch IS NULL AND spent + reserved + price > (spec ->> 'cap_usd')::numeric THEN
        IF spent + price <= (spec ->> 'cap_usd')::numeric AND EXISTS (
            SELECT FROM calls WHERE tenant_id = tenant AND run_id = run AND key <> spec ->> 'key'
                AND reserved_usd > 0 AND owner IS NOT NULL AND (owner = me OR owner_lives(owner)))
        THEN
            RETURN '{"is": "busy"}';
        END IF;
        RETURN jsonb_build_object('is', 'over_cap', 'spent', spent, 'reserved', reserved);
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

-- Closes the claims of ended runs, or of one, whose owner has died: nobody will come back to them.
CREATE FUNCTION close_claims(tenant text DEFAULT NULL, run text DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
    UPDATE calls c SET owner = NULL, reserved_usd = 0, error = 'worker-lost'
    FROM runs r
    WHERE c.owner IS NOT NULL AND (r.tenant_id, r.id) = (c.tenant_id, c.run_id) AND r.closed
        AND (run IS NULL OR (c.tenant_id, c.run_id) = (tenant, run))
        AND NOT owner_lives(c.owner)
$$;

-- Settles a call, appends its last events and returns the result that is kept. A call that was taken
-- over may come back to life: the first to settle wins, and both go on with its result; what the
-- other one paid is spent all the same, as is what a try has cost that came to nothing.
CREATE FUNCTION settle_call(paid jsonb) RETURNS jsonb
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
