-- Finds the runs of the current tenant on a company. It runs as the owner for its index, as `find_index_rows` does.
CREATE OR REPLACE FUNCTION find_ticker_runs(tenant text, ticker text) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id FROM runs WHERE ticker_keys(tenant_id, request) @> ARRAY[tenant || '/' || upper(ticker)]
        AND tenant_id = tenant AND tenant = current_setting('app.tenant', true)
$$;
