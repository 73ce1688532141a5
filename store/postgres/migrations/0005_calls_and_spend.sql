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
