-- Of a collection that mirrors a folder: the identity of the folder whose files it last had, and notices of what of
-- it could not be listed since, whose documents are kept.
ALTER TABLE collections
    ADD COLUMN folder_identity text NOT NULL DEFAULT '',
    ADD COLUMN unlisted jsonb NOT NULL DEFAULT '[]';
