-- Adds what is new of a batch of events to a run's log, each chained to the one before it, and
-- tells whether the log grew.
CREATE FUNCTION append_events(tenant text, run text, batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    head record;
    event jsonb;
    first_seq bigint;
    link bytea;
BEGIN
    INSERT INTO runs (tenant_id, id) VALUES (tenant, run) ON CONFLICT DO NOTHING;
    -- The row's lock is what makes seq contiguous: writers of one run queue here.
    SELECT last_seq AS seq, last_hash AS hash, closed INTO head
        FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    first_seq := head.seq;
    FOR event IN SELECT value FROM jsonb_array_elements(batch) LOOP
        EXIT WHEN head.closed;
        INSERT INTO events (tenant_id, run_id, seq, key, body, hash)
            VALUES (tenant, run, head.seq + 1, event ->> 'key', event - 'key',
                    sha256(head.hash || convert_to(event::text, 'UTF8')))
            ON CONFLICT (tenant_id, run_id, key) DO NOTHING
            RETURNING hash INTO link;
        IF FOUND THEN
            head.seq := head.seq + 1;
            head.hash := link;
            head.closed := event ->> 'type' = 'workflow_complete';
        END IF;
    END LOOP;
    IF head.seq > first_seq THEN
        UPDATE runs SET last_seq = head.seq, last_hash = head.hash, closed = head.closed
            WHERE tenant_id = tenant AND id = run;
    END IF;
    RETURN head.seq > first_seq;
END $$;

-- Takes one call of the recorder: events always, rows unless newer ones are there. Tells whether
-- the log grew.
CREATE FUNCTION record_batch(batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := batch ->> 'tenant_id';
    run text := batch ->> 'run_id';
    grew boolean := append_events(tenant, run, batch -> 'events');
BEGIN
    UPDATE runs
        SET version = (batch ->> 'version')::int,
            status = batch ->> 'status',
            snapshot = batch -> 'snapshot',
            usage = batch -> 'usage',
            ended_at = (batch ->> 'ended_at')::timestamptz
        WHERE tenant_id = tenant AND id = run AND version <= (batch ->> 'version')::int;
    IF NOT FOUND THEN
        RETURN grew;
    END IF;
    INSERT INTO phase_executions (tenant_id, run_id, phase_id, status, body)
        SELECT tenant, run, phase ->> 'id', phase ->> 'status', phase
        FROM jsonb_array_elements(batch -> 'phases') AS phase
        ON CONFLICT (tenant_id, run_id, phase_id)
        DO UPDATE SET status = excluded.status, body = excluded.body;
    INSERT INTO sources (tenant_id, run_id, position, body)
        SELECT tenant, run, nth, source
        FROM jsonb_array_elements(batch -> 'sources') WITH ORDINALITY AS each (source, nth)
        ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET body = excluded.body;
    RETURN grew;
END $$;

-- Wakes who waits for events of some runs; does not wait for the disk.
CREATE FUNCTION announce(grown text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    PERFORM pg_notify('greenlight_events', run) FROM unnest(grown) AS run;
END $$;
