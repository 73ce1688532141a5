-- Finds the rows of the current tenant that match a query. Row-level security keeps PostgreSQL from the index of words,
-- whose operator may leak: so this runs as the owner, and compares the tenant by itself.
CREATE OR REPLACE FUNCTION find_index_rows(tenant text, query tsquery) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    -- without statistics PostgreSQL would prefer any index on tenants to that of words
    SELECT ARRAY(SELECT id FROM index_rows WHERE tenant_id || '' = tenant AND words @@ query
        AND tenant = current_setting('app.tenant', true))
$$;
