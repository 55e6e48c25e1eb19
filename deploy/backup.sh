#!/bin/sh
# Writes a backup into a folder, and keeps the newest ones only:
#
#   backup.sh FOLDER [KEEP]
#
# It runs beside the service, which DATABASE_URL names as for any command. A backup gets its name when it is complete, so
# that one that was interrupted neither counts nor is mistaken for one.
set -eu
folder=${1:?usage: backup.sh FOLDER [KEEP]}
keep=${2:-14}
case $keep in
  '' | *[!0-9]* | 0*) echo "backup.sh: KEEP must be a whole number of at least 1" >&2 && exit 1 ;;
esac

umask 077
name=itemwright-$(date -u +%Y%m%dT%H%M%SZ).backup
trap 'rm -f "$folder/$name.part"' EXIT
itemwright backup "$folder/$name.part"
mv "$folder/$name.part" "$folder/$name"

# Names sort by time.
find "$folder" -maxdepth 1 -name 'itemwright-*Z.backup' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
  rm -f "$old"
done
