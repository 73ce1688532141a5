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
CREATE INDEX ON calls (tenant_id, model, claimed_at DESC) WHERE kind = 'search';

-- What calls have cost, and may cost until they are settled, by the UTC day of their claim: of a tenant (holder ''), of
-- each of its users and of each key. It outlives the runs.
CREATE TABLE spent_by_day (
    tenant_id text NOT NULL,
    kind text NOT NULL,
    holder text NOT NULL,
    day date NOT NULL,
    settled_usd numeric NOT NULL DEFAULT 0,
    reserved_usd numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, kind, holder, day)
);

CREATE FUNCTION add_spent(call calls, settled numeric, reserved numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    run runs%ROWTYPE;
BEGIN
    IF settled = 0 AND reserved = 0 THEN
        RETURN;
    END IF;
    SELECT user_id, key_id INTO run.user_id, run.key_id FROM runs WHERE (tenant_id, id) = (call.tenant_id, call.run_id);
    INSERT INTO spent_by_day (tenant_id, kind, holder, day, settled_usd, reserved_usd)
        SELECT call.tenant_id, kind, holder, (call.claimed_at AT TIME ZONE 'UTC')::date, settled, reserved
        FROM list_holders(call.tenant_id, coalesce(run.user_id, call.result ->> 'user_id'), run.key_id)
        ORDER BY kind, holder  -- all lock them in one order
        ON CONFLICT (tenant_id, kind, holder, day) DO UPDATE
        SET settled_usd = spent_by_day.settled_usd + excluded.settled_usd,
            reserved_usd = spent_by_day.reserved_usd + excluded.reserved_usd;
END $$;

-- A removed run's calls give back what they have reserved; what they have cost stays spent.
CREATE FUNCTION note_spent() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM add_spent(NEW, NEW.settled_usd, NEW.reserved_usd);
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM add_spent(OLD, 0, -OLD.reserved_usd);
    ELSIF (OLD.claimed_at AT TIME ZONE 'UTC')::date = (NEW.claimed_at AT TIME ZONE 'UTC')::date THEN
        PERFORM add_spent(NEW, NEW.settled_usd - OLD.settled_usd, NEW.reserved_usd - OLD.reserved_usd);
    ELSE
        PERFORM add_spent(OLD, 0, -OLD.reserved_usd);
        PERFORM add_spent(NEW, NEW.settled_usd - OLD.settled_usd, NEW.reserved_usd);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER note_spent AFTER INSERT OR DELETE OR UPDATE OF claimed_at, settled_usd, reserved_usd ON calls
    FOR EACH ROW EXECUTE FUNCTION note_spent();

-- What an operator allows a tenant, a user or a key to spend by UTC day and by calendar month; null: no limit.
CREATE TABLE budgets (
    tenant_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('tenant', 'user', 'key')),
    holder text NOT NULL,
    day_usd numeric CHECK (day_usd >= 0),
    month_usd numeric CHECK (month_usd >= 0),
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, kind, holder),
    CHECK ((kind = 'tenant') = (holder = '')),
    CHECK (day_usd IS NOT NULL OR month_usd IS NOT NULL)
);

-- What models and search services cost, by run and model or service, of runs that are there, of those that were removed,
-- and of tests of a provider, which are of no run and no definition.
CREATE VIEW spend WITH (security_invoker = true) AS
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
