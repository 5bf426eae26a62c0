#!/bin/bash
# Installs what the project needs: npm packages (the pinned Node among them) and Debian packages. Idempotent: a second
# run only looks. It runs before any dependency is there, hence the shell.
set -euo pipefail
cd "$(dirname "$0")/../.."
started=$SECONDS
say() { printf 'setup: %3ds  %s\n' "$((SECONDS - started))" "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# One package a line. A line `package ?command` is wanted only where that command is missing.
mapfile -t lines < <(sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' tools/setup/debian-packages.txt)
wanted=()
for line in "${lines[@]}"; do
  read -r package command <<<"$line"
  [ -n "$command" ] && command -v "${command#\?}" >/dev/null && continue
  wanted+=("$package")
done
if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${wanted[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
      say "installing Debian packages: ${missing[*]}"
      mkdir -p .ledgerhouse
      export DEBIAN_FRONTEND=noninteractive
      # A service that a package would start is not wanted: the local cluster runs its own containerd.
      policy=/usr/sbin/policy-rc.d
      if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod +x "$policy"; trap 'rm -f "$policy"' EXIT
      fi
      { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"; } \
        >.ledgerhouse/setup-apt.log 2>&1 || fail "apt-get failed; see .ledgerhouse/setup-apt.log"
    else
      say "missing, needed for the local Kubernetes and images: ${missing[*]}"
      say "to install them: sudo apt-get install -y --no-install-recommends ${missing[*]}"
    fi
  fi
else
  say "not a Debian: install what tools/setup/debian-packages.txt names, or use a Docker engine for the local Kubernetes"
fi
# The native local Kubernetes is built with Go. A Docker engine or a cluster of yours does without it.
tools/setup/go.sh >/dev/null || say "go is missing: the native local Kubernetes cannot be built"

stamp=node_modules/.ledgerhouse-lock
if ! cmp -s package-lock.json "$stamp"; then
  say "installing npm packages"
  # Not `npm ci`: a lock file written on one platform may lack the optional binaries of another, which `ci` refuses.
  # Versions and integrity come from the lock file all the same.
  tools/setup/npm.sh install --no-save --no-fund --no-audit --loglevel=error
  cp package-lock.json "$stamp"
fi
[ -x node_modules/.bin/node ] || fail "npm brought no Node for this platform ($(uname -sm)); Linux on x64 or arm64 is needed."
say "ready: Node $(node_modules/.bin/node --version), npm packages and Debian packages in place"
