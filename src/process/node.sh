# Runs Node.js with the arguments given: the one that the project brings along (the packages node-…), so that every machine
# runs the same; where none of them runs (musl, another processor), the first on the path that runs TypeScript as it is.
# No process stays beside it, so signals reach the program. Nor does memory that holds keys get into a file: no core is dumped,
# and no signal opens the debugger. (Node.js 22 calls its SQLite experimental.)

ulimit -c 0
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
set -- --disable-sigusr1 --disable-warning=ExperimentalWarning "$@"

# What is large goes back to the system as soon as it is free: glibc would keep pieces of up to 32 MB once it has met one.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"

# Not by node_modules/.bin: npm 10 takes the link away again with the packages for other machines. A binary can be there and
# not run: musl has not the loader that it asks for. Asking for the version takes 6 ms.
# In a clone the packages are in the project's folder; beside an installed package its own, or those of whoever depends on it.
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

echo "No Node.js that npm ci brings along runs on this machine ($machine), $own: install Node.js 22.19 or later" >&2
exit 1
