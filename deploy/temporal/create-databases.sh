#!/bin/sh
# Creates Temporal's role and its two databases; the image of PostgreSQL runs it once, for an empty volume.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --set password="$TEMPORAL_PASSWORD" <<'SQL'
CREATE ROLE temporal LOGIN PASSWORD :'password';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
SQL
