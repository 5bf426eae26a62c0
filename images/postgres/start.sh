#!/bin/sh
# PostgreSQL for an installation that brings none of its own. The first start makes the data folder, whole or not at all;
# the password is read from a file at each start, so that changing the Secret and restarting changes it.
#   PGDATA           the data folder, below a volume
#   PASSWORD_FILE    the password of the user `ledgerhouse`
set -eu

password=$(cat "$PASSWORD_FILE")
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA.unfinished"
  initdb --pgdata="$PGDATA.unfinished" --username=ledgerhouse --pwfile="$PASSWORD_FILE" \
    --auth-local=reject --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --data-checksums
  echo 'host all all all scram-sha-256' >>"$PGDATA.unfinished/pg_hba.conf"
  echo 'CREATE DATABASE ledgerhouse' | postgres --single -D "$PGDATA.unfinished" postgres >/dev/null
  sync
  mv "$PGDATA.unfinished" "$PGDATA"
fi
# A quote in the password is doubled, as SQL wants it; the server is not reachable while this runs.
quoted=$(printf '%s' "$password" | sed "s/'/''/g")
echo "ALTER USER ledgerhouse PASSWORD '$quoted'" | postgres --single -D "$PGDATA" postgres >/dev/null
exec postgres -D "$PGDATA" \
  -c listen_addresses='*' -c unix_socket_directories= -c max_connections=100 -c shared_buffers=64MB \
  -c log_destination=stderr -c logging_collector=off -c log_min_duration_statement=1000 "$@"
