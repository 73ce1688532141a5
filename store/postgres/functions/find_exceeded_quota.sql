-- Says which quota of a user one more file would exceed, `count` or `bytes`; null: none.
CREATE OR REPLACE FUNCTION find_exceeded_quota(
    tenant text, owner text, file_id text, size bigint, max_files int, max_bytes bigint
) RETURNS text
LANGUAGE sql AS $$
    SELECT CASE WHEN count(*) >= max_files THEN 'count'
        WHEN coalesce(sum(bytes), 0) + size > max_bytes THEN 'bytes' END
    FROM files WHERE (tenant_id, user_id) = (tenant, owner) AND id <> file_id
$$;
