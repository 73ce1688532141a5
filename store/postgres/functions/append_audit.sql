-- Appends to a tenant's audit log, for its owner's functions alone. The actor is given, or who the transaction is for
-- (`app.actor`). Called by triggers at the end of a transaction: the head's lock is the last one it takes.
CREATE OR REPLACE FUNCTION append_audit(
    tenant text, what text, about text, more jsonb, who text DEFAULT NULL, by_key text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    caller jsonb := coalesce(nullif(current_setting('app.actor', true), ''), '{}');
    head audit_heads%ROWTYPE;
    entry audit_log%ROWTYPE;
BEGIN
    IF tenant IS DISTINCT FROM current_setting('app.tenant', true)
       AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        RAISE insufficient_privilege USING MESSAGE = 'the audit log of another tenant';
    END IF;
    INSERT INTO audit_heads VALUES (tenant, 0, '') ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM audit_heads WHERE tenant_id = tenant FOR UPDATE;
    entry := (tenant, head.seq + 1, clock_timestamp(), coalesce(who, caller ->> 'user', ''),
        coalesce(by_key, CASE WHEN who IS NULL THEN caller ->> 'key' END), what, about, more, NULL);
    entry.hash := hash_audit(head.hash, entry);
    INSERT INTO audit_log SELECT (entry).*;
    UPDATE audit_heads SET (seq, hash) = (entry.seq, entry.hash) WHERE tenant_id = tenant;
END $$;
