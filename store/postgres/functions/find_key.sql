-- Returns the live key with this hash, or null, and whether the caller needs one: there are keys, or this one is no longer
-- live. A session is found only by its cookie, a key only by its header. A token names no tenant, so all are searched.
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
