# Runs Node.js with the given arguments. The project brings its own Node.js (the packages node-…), so every machine runs
# the same one. If none of these packages runs here (musl, another processor), this runs the first Node.js in PATH that
# is recent enough and runs TypeScript without a compiler. Node.js replaces this shell, so signals reach the program.
# Memory that contains keys never gets into a file: no core is dumped, and no signal opens the debugger. (Node.js 22
# calls its SQLite experimental.)

ulimit -c 0
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
set -- --disable-sigusr1 --disable-warning=ExperimentalWarning "$@"

# Allocations of 1 MB and more go back to the system when they are freed. By default glibc raises this threshold to as
# much as 32 MB.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"

# The three places are the node_modules of a clone, those of an installed package, and the folder that the package is
# installed in. node_modules/.bin would not do: npm 10 removes that link together with the packages for other machines.
# A binary may exist and not run, because musl lacks its loader. So each binary is asked for its version, which takes 6
# ms.
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
