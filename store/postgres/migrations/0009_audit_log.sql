-- Who decided what: a chain for each tenant. Triggers write it, as its owner, at the end of the transaction that did it; the
-- application may read it and nothing else. It says nothing of what runs were about, since it outlives them.

CREATE TABLE audit_log (
    tenant_id text NOT NULL,
    seq bigint NOT NULL,  -- contiguous from 1
    at timestamptz NOT NULL,
    actor text NOT NULL,  -- the user; empty: a command of the operator's, a sweep, or nobody was asked for a key
    key_id text,
    action text NOT NULL,
    object text NOT NULL,
    details jsonb NOT NULL,
    hash bytea NOT NULL,  -- of all the above and of the hash before it
    PRIMARY KEY (tenant_id, seq)
);

-- The end of each chain: whoever cuts the log has to forge it too, and meets the hash that was printed or logged.
CREATE TABLE audit_heads (
    tenant_id text PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE FUNCTION hash_audit(before bytea, entry audit_log) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(before || convert_to(jsonb_build_array(
        entry.tenant_id, entry.seq, extract(epoch FROM entry.at)::text, entry.actor, entry.key_id, entry.action,
        entry.object, entry.details)::text, 'UTF8'))
$$;

-- A browser's session is told where it is not as the key that it is of.
CREATE FUNCTION note_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entry api_keys := coalesce(NEW, OLD);
BEGIN
    IF entry.kind = 'session' AND (TG_OP = 'INSERT' OR OLD.kind = 'session') AND (TG_OP = 'DELETE' OR EXISTS (
        SELECT FROM api_keys WHERE (tenant_id, id, user_id, role, scope)
            = (entry.tenant_id, entry.parent_id, entry.user_id, entry.role, entry.scope))) THEN
        RETURN NULL;
    END IF;
    PERFORM append_audit(entry.tenant_id, entry.kind || CASE
            WHEN TG_OP = 'INSERT' THEN '.made' WHEN TG_OP = 'DELETE' THEN '.removed'
            WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL THEN '.revoked' ELSE '.changed' END,
        entry.id, jsonb_strip_nulls(jsonb_build_object('user_id', entry.user_id, 'role', nullif(entry.role, ''),
            'scope', entry.scope, 'run_id', entry.run_id, 'parent_id', entry.parent_id)));
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_kept AFTER INSERT OR DELETE ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_key();
CREATE CONSTRAINT TRIGGER note_changed AFTER UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (to_jsonb(OLD) - 'last_used_at' <> to_jsonb(NEW) - 'last_used_at')
    EXECUTE FUNCTION note_key();

CREATE FUNCTION note_start() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM append_audit(NEW.tenant_id, 'run.started', NEW.id, jsonb_build_object(
        'definition_id', NEW.definition_id, 'version', NEW.definition_version), NEW.user_id, NEW.key_id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_created AFTER INSERT ON runs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.opened IS NOT NULL) EXECUTE FUNCTION note_start();
CREATE CONSTRAINT TRIGGER note_opened AFTER UPDATE OF opened ON runs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.opened IS NULL AND NEW.opened IS NOT NULL) EXECUTE FUNCTION note_start();

CREATE FUNCTION note_decision() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    told jsonb := NEW.body -> 'payload';
    kept jsonb;
BEGIN
    SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO kept FROM jsonb_each(told)
        WHERE value NOT IN ('null', 'false', '""') AND key IN ('checkpoint_id', 'phase_id', 'action', 'plan_hash',
            'cap_usd', 'by_link', 'default', 'reused_from', 'vote', 'delegate', 'undo', 'paused');
    PERFORM append_audit(NEW.tenant_id, 'run.' || CASE
            WHEN told ? 'answers' THEN 'answered' WHEN told ? 'vote' THEN 'voted'
            WHEN told ? 'delegate' THEN 'delegated' WHEN told ? 'steer' THEN 'steered'
            WHEN told ? 'undo' THEN 'undone' WHEN told ? 'cancel' THEN 'cancelled'
            WHEN told ? 'paused' THEN CASE told -> 'paused' WHEN 'true' THEN 'paused' ELSE 'resumed' END
            ELSE 'decided' END,
        NEW.run_id, kept, told ->> 'by', told ->> 'key_id');
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_decided AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.body ->> 'type' = 'HumanResponseEvent') EXECUTE FUNCTION note_decision();

CREATE FUNCTION note_removal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM append_audit(NEW.tenant_id, 'run.removed', NEW.run_id, jsonb_build_object('user_id', NEW.user_id));
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_removed AFTER INSERT ON removals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_removal();

CREATE FUNCTION note_setting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    entry jsonb := to_jsonb(coalesce(NEW, OLD));
    kind text := TG_ARGV[0];
BEGIN
    PERFORM append_audit(entry ->> 'tenant_id',
        kind || CASE TG_OP WHEN 'INSERT' THEN '.made' WHEN 'UPDATE' THEN '.changed' ELSE '.removed' END,
        coalesce(entry ->> TG_ARGV[1], ''), jsonb_strip_nulls(jsonb_build_object('user_id', entry -> 'user_id',
            'kind', entry -> 'kind', 'day_usd', entry -> 'day_usd', 'month_usd', entry -> 'month_usd',
            'enabled', entry -> 'enabled', 'events', entry -> 'events', 'version', entry -> 'newest',
            'deleted', nullif(entry -> 'deleted', 'false'))));
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_schedule AFTER INSERT OR DELETE OR UPDATE OF key_id, body, triggered_at ON schedules
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_setting('schedule', 'id');
CREATE CONSTRAINT TRIGGER note_channel AFTER INSERT OR DELETE OR UPDATE OF name, events, enabled ON channels
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_setting('channel', 'id');
CREATE CONSTRAINT TRIGGER note_budget AFTER INSERT OR DELETE OR UPDATE ON budgets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_setting('budget', 'holder');
CREATE CONSTRAINT TRIGGER note_definition AFTER INSERT OR UPDATE ON definition_ids
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_setting('definition', 'id');
CREATE CONSTRAINT TRIGGER note_default AFTER INSERT OR UPDATE ON default_definitions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_setting('default', 'definition_id');
