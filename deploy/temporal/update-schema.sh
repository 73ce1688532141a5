#!/bin/sh
# Brings the schemas of Temporal's databases to the version of this image (admin-tools); an empty one is set up first.
set -eu
schema=/etc/temporal/schema/postgresql/v12
update() { # database, folder of its versions
  sql="temporal-sql-tool --plugin postgres12 --ep $SQL_HOST --port ${SQL_PORT:-5432} --user $SQL_USER --db $1"
  $sql update-schema --schema-dir "$schema/$2/versioned" ||
    { $sql setup-schema --version 0.0 && $sql update-schema --schema-dir "$schema/$2/versioned"; }
}
update temporal temporal
update temporal_visibility visibility
