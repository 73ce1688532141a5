-- Notes that a schedule of the current tenant was paused or resumed, which no row of the database tells: Temporal has it.
CREATE OR REPLACE FUNCTION note_pause(schedule text, paused boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM append_audit(tenant_id, CASE WHEN paused THEN 'schedule.paused' ELSE 'schedule.resumed' END, id, '{}')
    FROM schedules WHERE (tenant_id, id) = (current_setting('app.tenant', true), schedule);
END $$;
