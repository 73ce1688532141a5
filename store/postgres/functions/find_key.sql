-- Finds the live key of a token's hash, a session's in a cookie alone, and whether a live key is required: from the
-- first key on, and of who shows one that is no longer live. It asks for every tenant, since a token names none.
CREATE OR REPLACE FUNCTION find_key(token_hash bytea, by_cookie boolean) RETURNS jsonb
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH used AS (UPDATE api_keys SET last_used_at = now()
        WHERE hash = token_hash AND revoked_at IS NULL AND coalesce(expires_at, 'infinity') > now()
        AND coalesce(last_used_at, '-infinity') < now() - interval '1 minute')
    SELECT jsonb_build_array(
        (SELECT to_jsonb(api_keys) - 'hash' FROM api_keys
            WHERE hash = token_hash AND revoked_at IS NULL AND coalesce(expires_at, 'infinity') > now()
            AND (kind = 'session') = by_cookie),
        EXISTS (SELECT FROM api_keys WHERE kind = 'key' OR hash = token_hash))
$$;
