-- Ends the browser's session of a token's hash, of whatever tenant it is.
CREATE OR REPLACE FUNCTION end_session(token_hash bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DELETE FROM api_keys WHERE hash = token_hash AND kind = 'session'
$$;
