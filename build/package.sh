# npm pack: collects the package's own files in dist/. Files have the same paths in dist/ as in the project, so they
# find each other in the same way.
set -eu
cd "$(dirname "$0")/.."
# In a fresh clone nothing is installed yet.
[ -e node_modules/.bin/tsc ] || npm ci --silent >&2
rm -rf dist
tsc -p tsconfig.package.json
tsc -p src/web --noEmit false --rootDir . --outDir dist --rewriteRelativeImportExtensions

copy() { # FOLDER NAME…: files of the project
  folder=$1
  shift
  for name; do
    mkdir -p "dist/$(dirname "$folder/$name")"
    cp -R "$folder/$name" "dist/$folder/$name"
  done
}
# Between releases, the package says its commit.
commit=$(git rev-parse HEAD 2>&- || true)
sed "${commit:+s/^  \"version\": .*/&\n  \"commit\": \"$commit\",/}" package.json >dist/package.json
copy src api/description/examples.json process/node.sh web/icon.svg web/style
copy snapshots cards history sets
copy docs api.md

# Copies from large packages only what the program needs: the HTTP library for Linux, and for the
# version of Node.js that the package depends on.
vendor() { # PACKAGE NAME…
  package=$1
  shift
  for name in package.json "$@"; do
    mkdir -p "dist/packages/$(dirname "$package/$name")"
    cp "node_modules/$package/$name" "dist/packages/$package/$name"
  done
}
vendor @btc-vision/uwebsockets.js uws_linux_x64_127.node uws_linux_arm64_127.node
vendor uWebSockets.js LICENSE dist/bin/uws_linux_x64_127.node dist/bin/uws_linux_arm64_127.node
