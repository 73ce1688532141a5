-- Names the ends of all tenants' audit logs, to be logged.
CREATE OR REPLACE FUNCTION sweep_audit_heads() RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT jsonb_build_array(tenant_id, seq, encode(hash, 'hex')) FROM audit_heads
$$;
