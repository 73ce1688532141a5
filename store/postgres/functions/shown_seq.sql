-- How far a log is shown that goes on to `last_seq`.
CREATE OR REPLACE FUNCTION shown_seq(tenant text, run text, last_seq bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce(min(seq) - 1, last_seq) FROM events
    WHERE tenant_id = tenant AND run_id = run AND ahead IS NOT NULL
$$;
