-- Binds the application's role to one tenant a transaction: applied at each migration, it changes only what lacks it.
-- `app.role` is that role, `app.tenant` what `Pool.fetch` sets: without it no row is seen. The owner's policy lets
-- the functions that are `SECURITY DEFINER` see all tenants, where the owner is no superuser either.
DO $$
DECLARE
    app text := current_setting('app.role');
    current constant text := 'tenant_id = nullif(current_setting(''app.tenant'', true), '''')';
    name text;
    routine regprocedure;
    is_granted boolean;
BEGIN
    FOR name IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attname = 'tenant_id' AND NOT a.attisdropped
            AND NOT (c.relrowsecurity AND c.relforcerowsecurity
                AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'of_tenant'))
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON %I', name);
        EXECUTE format('DROP POLICY IF EXISTS of_owner ON %I', name);
        EXECUTE format('CREATE POLICY of_tenant ON %I USING (%s) WITH CHECK (%2$s)', name, current);
        EXECUTE format('CREATE POLICY of_owner ON %I TO %I USING (true)', name, current_user);
    END LOOP;
    -- Older clusters let anybody create functions there, which would run in place of ours.
    EXECUTE format('REVOKE CREATE ON SCHEMA public FROM PUBLIC, %I', app);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO %I', app);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON migrations, audit_log, audit_heads FROM %I', app);
    -- Whoever may execute a trigger's function may put it on a table of their own, and log what they like.
    FOR routine, is_granted IN
        SELECT oid::regprocedure, prorettype <> 'trigger'::regtype AND proname <> 'append_audit' FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND prosecdef
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC, %I', routine, app);
        IF is_granted THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', routine, app);
        END IF;
    END LOOP;
END $$;
