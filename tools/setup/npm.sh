#!/bin/bash
# Runs npm with the given arguments. By default that is the one on the PATH. If it or its Node is too old, the npm and the Node of
# npm/package-lock.json are installed once into the user's cache; nothing outside the cache is touched.
#
# Too old means: npm before 11 removes node_modules/.bin/node with the Node of the other platform
# (https://github.com/npm/cli/issues/4362), and on a Node before 20.19 npm leaves out optional packages that need a newer one, such
# as the programs inside oxlint and rolldown. Debian 12 has npm 9 on Node 18.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

command -v npm >/dev/null ||
  fail "npm is missing. On Debian: apt-get install -y npm; elsewhere: install Node.js with npm, then run make setup again."

is_new_enough() {
  local major
  major=$(npm --version | cut -d. -f1)
  [ "$major" -ge 11 ] && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    const isNewEnough = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
    process.exit(isNewEnough ? 0 : 1)'
}
if is_new_enough; then exec npm "$@"; fi

# The cache folder of tools/cluster/config.ts.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/ledgerhouse"
folder="$cache/npm-$(sha256sum "$here/npm/package-lock.json" | cut -c 1-12)"
if [ ! -d "$folder" ]; then
  printf 'setup: installing a newer npm into %s\n' "$folder" >&2
  mkdir -p "$cache"
  # Another run may install it at the same time: each works beside it, and the first rename wins.
  unfinished=$(mktemp -d "$cache/npm-unfinished-XXXXXX")
  trap 'rm -rf "$unfinished"' EXIT
  cp "$here/npm/package.json" "$here/npm/package-lock.json" "$unfinished/"
  (cd "$unfinished" && npm ci --no-fund --no-audit --loglevel=error >/dev/null) || fail "npm could not be installed"
  mv -T "$unfinished" "$folder" 2>/dev/null || [ -d "$folder" ] || fail "$folder is in the way"
fi
node=$(echo "$folder"/node_modules/node-linux-*/bin/node)
[ -x "$node" ] || fail "npm brought no Node for this platform ($(uname -sm)); Linux on x64 or arm64 is needed."
PATH="$(dirname "$node"):$PATH" exec "$node" "$folder/node_modules/npm/bin/npm-cli.js" "$@"
