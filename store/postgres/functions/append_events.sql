-- Appends those of a batch whose key is new, up to the run's last event; returns whether the log
-- grew. The one writer of events. Whoever writes has a clock of its own, and some write late: an
-- event is never dated before the one it follows.
CREATE OR REPLACE FUNCTION append_events(tenant text, run text, batch jsonb, ahead_from int DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    log record;
    first_seq bigint;
    latest text;
    event jsonb;
    place int;
    chained bytea;
BEGIN
    INSERT INTO runs (tenant_id, id) VALUES (tenant, run) ON CONFLICT DO NOTHING;
    -- The row's lock is what makes seq contiguous: writers of one run queue here.
    SELECT last_seq AS seq, last_hash AS hash, closed INTO log
        FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    -- Only under the lock: a removal may have been under way.
    IF is_removed(tenant, run) THEN
        DELETE FROM runs WHERE tenant_id = tenant AND id = run;
        RETURN false;
    END IF;
    first_seq := log.seq;
    SELECT body ->> 'at' INTO latest
        FROM events WHERE tenant_id = tenant AND run_id = run AND seq = log.seq;
    FOR event, place IN SELECT * FROM jsonb_array_elements(batch) WITH ORDINALITY LOOP
        EXIT WHEN log.closed;
        IF (event ->> 'at')::timestamptz < latest::timestamptz THEN
            event := jsonb_set(event, '{at}', to_jsonb(latest));
        END IF;
        INSERT INTO events (tenant_id, run_id, seq, key, body, hash, ahead)
            VALUES (tenant, run, log.seq + 1, event ->> 'key', event - 'key',
                    sha256(log.hash || convert_to(event::text, 'UTF8')),
                    ahead_from + place - 1)
            ON CONFLICT (tenant_id, run_id, key) DO NOTHING
            RETURNING hash INTO chained;
        IF FOUND THEN
            log.seq := log.seq + 1;
            log.hash := chained;
            latest := event ->> 'at';
            log.closed := event ->> 'type' = 'workflow_complete';
        END IF;
    END LOOP;
    IF log.seq > first_seq THEN
        UPDATE runs SET last_seq = log.seq, last_hash = log.hash, closed = log.closed
            WHERE tenant_id = tenant AND id = run;
    END IF;
    RETURN log.seq > first_seq;
END $$;
