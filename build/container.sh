#!/usr/bin/env bash
# Builds a container image with only the executable and the system's C and C++ libraries. Needs buildah (a Debian package) and no
# registry: npm run build:binary && build/container.sh journal-api.tar
set -euo pipefail
cd "$(dirname "$0")/.."
archive=${1:?usage: build/container.sh ARCHIVE.tar}
executable=dist/journal-api
[ -x "$executable" ] || { echo "$executable is missing; run \"npm run build:binary\" first" >&2; exit 1; }
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}

folder=$(mktemp -d)
container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null; rm -rf "$folder"' EXIT
mkdir -p "$folder/root/tmp" "$folder/user/data"
chmod 1777 "$folder/root/tmp"
chmod 0700 "$folder/user/data"

buildah copy --quiet "$container" "$folder/root" /
buildah copy --quiet --chown 1000:1000 "$container" "$folder/user" /
buildah copy --quiet "$container" "$executable" /usr/local/bin/journal-api
for library in $(ldd "$executable" | grep -o '/[^ ]*'); do buildah copy --quiet "$container" "$library" "$library"; done
buildah config --user 1000:1000 --env JOURNAL_API_HOME=/data --env JOURNAL_API_HOST=0.0.0.0 --volume /data --port 4747 \
  --label org.opencontainers.image.title=journal-api --label org.opencontainers.image.licenses=MIT \
  --label "org.opencontainers.image.source=$(node -p 'require("./package.json").homepage.split("#")[0]')" \
  --label "org.opencontainers.image.version=$(node -p 'require("./package.json").version')" \
  --label "org.opencontainers.image.revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
  --entrypoint '["journal-api"]' --cmd serve "$container"
buildah run "$container" -- journal-api --version
buildah commit --quiet "$container" "oci-archive:$archive"
