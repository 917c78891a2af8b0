#!/bin/sh
# Installs the npm packages that a folder's lock file pins, below that folder, for targets that are not judged without them.
#   tools/npm_packages.sh FOLDER STAMP    makes STAMP when they are there, else STAMP.missing with the reason; always exits 0
set -u

folder=$1
stamp=$2
mkdir -p "$(dirname "$stamp")"
rm -f "$stamp" "$stamp.missing"

missing() {
    echo "$1" >"$stamp.missing"
    echo "not available: $folder: $1"
    exit 0
}

command -v node >/dev/null || missing "node is not installed"
command -v npm >/dev/null || missing "npm is not installed"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A registry that does not answer is found out soon; the packages are small.
if ! (cd "$folder" && timeout 120 npm ci --no-audit --no-fund --ignore-scripts --fetch-retries 1 --fetch-timeout 20000) >"$log" 2>&1; then
    missing "npm ci failed: $(grep -m 1 -v '^$' "$log" || echo 'it gave no reason')"
fi
touch "$stamp"
