-- Names the tenants whose documents wait to be read, or were begun and perhaps left.
CREATE OR REPLACE FUNCTION sweep_unread_documents(version int) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT tenant_id FROM collection_documents WHERE status IN ('waiting', 'reading')
    UNION SELECT tenant_id FROM collection_documents d
    WHERE reader < version AND is_outdated(d, version)
$$;
