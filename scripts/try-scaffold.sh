#!/bin/sh
# An operator's project from the packed packages, in an empty folder, with everything else as npm installs it.
set -eu
packed=$(mktemp -d)
place=$(mktemp -d)
trap 'rm -rf "$packed" "$place"' EXIT
npm pack --ignore-scripts --silent --pack-destination "$packed" \
  --workspace packages/runtime --workspace packages/minicluster --workspace packages/create-operator
cd "$place"
npm exec --yes --package "$packed"/reloader-create-operator-*.tgz -- create-operator website-operator
cd website-operator
# The versions that the project names are not published yet.
npm pkg set "dependencies.@reloader/runtime=file:$(echo "$packed"/reloader-runtime-*.tgz)"
npm pkg set "devDependencies.@reloader/minicluster=file:$(echo "$packed"/reloader-minicluster-*.tgz)"
npm install --no-audit --no-fund
npm test
npm run generate
npm run build
if command -v kubectl > /dev/null; then kubectl kustomize config > /dev/null; fi
