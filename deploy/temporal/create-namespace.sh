#!/bin/sh
# Creates the namespace of Greenlight's runs, and the search attributes that they write; safe to run again.
set -eu
temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 720h
attempts=0 # every part of the server learns of a new namespace within seconds
until temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" \
  --name RunStatus --type Keyword --name RunDefinition --type Keyword; do
  attempts=$((attempts + 1))
  test "$attempts" -lt 60
  sleep 1
done
