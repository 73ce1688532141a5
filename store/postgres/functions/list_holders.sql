-- Returns whose budgets a call counts towards: its tenant, its user, and the key that started its run with those by which
-- that key was made.
CREATE OR REPLACE FUNCTION list_holders(tenant text, whose text, made_by text) RETURNS TABLE (kind text, holder text)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE line AS (
        SELECT made_by AS id WHERE made_by IS NOT NULL
        UNION SELECT k.parent_id FROM api_keys k JOIN line ON k.id = line.id
            WHERE k.tenant_id = tenant AND k.parent_id IS NOT NULL)
    SELECT 'tenant', '' UNION ALL SELECT 'user', whose WHERE whose <> '' UNION ALL SELECT 'key', id FROM line
$$;
