-- Sorts into the index of words what waits for it: only its owner may.
CREATE OR REPLACE FUNCTION sort_index_rows() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT gin_clean_pending_list('index_rows_words')
$$;
