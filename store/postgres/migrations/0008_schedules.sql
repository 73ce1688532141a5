-- Whose a schedule is; Temporal has its times, its state and its runs. A row is written before Temporal's
-- schedule and removed after it: nothing starts runs that no user sees.
CREATE TABLE schedules (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    key_id text,  -- by which it was made, or resumed last; its runs start while that key lives; null: without keys
    body jsonb NOT NULL,
    triggered_at timestamptz,  -- when its owner last started a run at once
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON schedules (tenant_id, user_id);
