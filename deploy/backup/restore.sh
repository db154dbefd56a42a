#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a data directory of PostgreSQL that recovers to a moment, out of a base backup (pg_basebackup) and an archive of WAL.
#
#   restore.sh BASE WAL DATA                            to the end of the archive
#   restore.sh BASE WAL DATA 2026-11-23T08:00:00Z       to a time
#   restore.sh BASE WAL DATA name=before-the-import     to a point named with pg_create_restore_point()
#
# Run it as the user of the server, then start the server on DATA. It takes writes as soon as the moment is reached.
set -eu
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
  sed -n '4,6s/^# *//p' "$0" >&2
  exit 2
fi
base=$1 wal=$2 data=$3 target=${4:-}
[ -f "$base/PG_VERSION" ] || { echo "expected a base backup in $base, got no PG_VERSION" >&2; exit 1; }
[ -d "$wal" ] || { echo "expected the archive of WAL in $wal, got no directory" >&2; exit 1; }
[ -z "$(ls -A "$data" 2>/dev/null)" ] || { echo "expected $data to be empty" >&2; exit 1; }
mkdir -p "$data"
chmod 700 "$data"
cp -R "$base/." "$data"
rm -f "$data/postmaster.pid" "$data/standby.signal"
# Where the backup is of a server that was itself restored: there is one target.
{
  grep -v -e '^restore_command' -e '^recovery_target' "$base/postgresql.auto.conf" || true
  echo "restore_command = 'cp \"$wal/%f\" \"%p\"'"
  case $target in
    '') ;;
    name=*) echo "recovery_target_name = '${target#name=}'" ;;
    *) echo "recovery_target_time = '$target'" ;;
  esac
  echo "recovery_target_action = 'promote'"
} > "$data/postgresql.auto.conf"
: > "$data/recovery.signal"
