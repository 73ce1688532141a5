-- Questions get their vector when there is one to compare it with: those without are looked through, too.
DROP INDEX runs_by_question;
CREATE INDEX runs_by_question ON runs (tenant_id, user_id, definition_id, definition_version);
