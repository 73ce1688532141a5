-- Compares a tenant's audit log with its hashes. Returns its head and the first entries that are not as they were appended, each
-- with its number: `changed`, `missing` before it, or `cut` after it. An `expected` hash has to be in the chain.
CREATE OR REPLACE FUNCTION verify_audit(tenant text, expected text) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    WITH chain AS (
        SELECT a.seq, a.hash, lag(a.seq, 1, 0::bigint) OVER w AS before,
            hash_audit(lag(a.hash, 1, '') OVER w, a) AS computed
        FROM audit_log a WHERE tenant_id = tenant WINDOW w AS (ORDER BY seq)),
    head AS (SELECT coalesce(max(seq), 0) AS seq, coalesce(max(hash), '') AS hash FROM audit_heads WHERE tenant_id = tenant),
    last AS (SELECT coalesce((SELECT seq FROM chain ORDER BY seq DESC LIMIT 1), 0) AS seq,
        coalesce((SELECT hash FROM chain ORDER BY seq DESC LIMIT 1), '') AS hash),
    faults AS (
        SELECT seq, 'missing' AS fault FROM chain WHERE seq <> before + 1
        UNION ALL SELECT seq, 'changed' FROM chain WHERE seq = before + 1 AND hash <> computed
        UNION ALL SELECT last.seq, 'cut' FROM last, head WHERE (last.seq, last.hash) <> (head.seq, head.hash)
        UNION ALL SELECT 0, 'unexpected' WHERE expected <> ''
            AND NOT EXISTS (SELECT FROM chain WHERE encode(hash, 'hex') = expected))
    SELECT jsonb_build_object('tenant_id', tenant, 'entries', (SELECT count(*) FROM chain),
        'head', (SELECT encode(hash, 'hex') FROM head),
        'faults', coalesce((SELECT jsonb_agg(jsonb_build_object('seq', seq, 'fault', fault) ORDER BY seq, fault)
            FROM (SELECT * FROM faults ORDER BY seq LIMIT 100) AS first), '[]'))
$$;
