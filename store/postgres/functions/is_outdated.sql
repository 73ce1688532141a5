-- Tells whether a document is to be read again: an older reader read it. It is searched meanwhile.
CREATE OR REPLACE FUNCTION is_outdated(document collection_documents, version int) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT document.status IN ('indexed', 'failed') AND document.reader < version
        AND document.raw_key <> '' AND document.attempts < 3
$$;
