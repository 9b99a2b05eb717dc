# Runs Node.js with the given arguments: the project's own (the packages node-…), so that every machine runs the same one; if none
# of them runs here (musl, another processor), the first in PATH that runs TypeScript without a compiler. It replaces this shell, so
# signals reach the program. Memory that contains keys never gets into a file: no core is dumped, and no signal opens the debugger.
# (Node.js 22 calls its SQLite experimental.)

ulimit -c 0
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
set -- --disable-sigusr1 --disable-warning=ExperimentalWarning "$@"

# Large allocations go back to the system when they are freed. By default glibc raises this threshold up to 32 MB.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"

# Not node_modules/.bin: npm 10 removes that link together with the packages for other machines. A binary may exist and not run,
# because musl lacks its loader. Asking for the version takes 6 ms. In a clone the packages are in the project's folder. An installed
# package has its own, or uses those of the package that depends on it.
for node in "$here"/../../node_modules/node-*/bin/node "$here"/../../../node_modules/node-*/bin/node "$here"/../../../../node-*/bin/node; do
  "$node" --version >/dev/null 2>&1 && exec "$node" "$@"
done

machine=$(uname -sm)
for loader in /lib/ld-musl-*.so.*; do
  if [ -e "$loader" ]; then machine="$machine, musl"; fi
done

own='which has none of its own'
set -f
IFS=:
for folder in $PATH; do
  node=${folder:-.}/node
  version=$("$node" --version 2>/dev/null) || continue
  "$node" -e 'process.exit(process.features.typescript && process.threadCpuUsage ? 0 : 1)' && exec "$node" "$@"
  own="whose own, $version, is too old"
done

echo "No Node.js that npm ci installs runs on this machine ($machine), $own: install Node.js 22.19 or later" >&2
exit 1
