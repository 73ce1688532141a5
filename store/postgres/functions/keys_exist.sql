-- Tells whether any tenant has a key: from the first one on everybody needs one.
CREATE OR REPLACE FUNCTION keys_exist() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM api_keys WHERE kind = 'key')
$$;
