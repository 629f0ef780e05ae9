// The chart's README: every value with its default and the comment that stands above it in values.yaml. Written by
// `npm run generate`.
import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import { COORDINATES } from './coordinates.mjs';

export function valuesReadme(text) {
  const { contents } = parseDocument(text);
  const rows = [];
  walk(contents, '', rows);
  return `<!-- Generated from values.yaml: change it there, then run \`npm run generate\`. -->

# The chart reloader

Restarts exactly the workloads whose Secrets and ConfigMaps changed, once, across any crash. A drop-in for Stakater
Reloader: its annotations and chart values work as they are.

\`\`\`sh
helm install reloader ${COORDINATES.charts}/reloader --version ${COORDINATES.version} \\
  --namespace reloader --create-namespace --set fullnameOverride=reloader
\`\`\`

- [Installation](${COORDINATES.site}/installation): other ways, permissions, upgrading, removing
- [Coming from Stakater Reloader](${COORDINATES.site}/migration-from-stakater): its release becomes ours in place
- [Verify a release](${COORDINATES.site}/verify-a-release): signature, provenance and SBOM of image and chart

## Values

A null means that nothing was said: the default counts. Only \`resources\` and the security contexts are taken away by it.

${table(rows)}`;
}

function walk(map, prefix, rows) {
  for (const [index, { key, value }] of map.items.entries()) {
    const path = `${prefix}${key.value}`;
    // The comment above the first key of a map belongs to the map, in this library.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined);
    if (isMap(value) && value.items.length > 0) {
      if (comment) rows.push([path, '', sentence(comment)]);
      walk(value, `${path}.`, rows);
    } else rows.push([path, shown(value), sentence(comment)]);
  }
}

function sentence(comment = '') {
  const paragraphs = comment.split(/\n\s*\n|\n?.*--- Ours ---.*\n?/);
  return (paragraphs.at(-1) ?? '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/^\s+/, '')
    .replaceAll('|', '\\|')
    .trim();
}

function shown(value) {
  const json = isScalar(value) ? value.value : value.toJSON();
  return `\`${typeof json === 'string' ? JSON.stringify(json) : stringify(json, { collectionStyle: 'flow', lineWidth: 0 }).trim()}\``;
}

function table(rows) {
  const cells = [['value', 'default', ''], ...rows.map(([path, ...rest]) => [`\`${path}\``, ...rest])];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column].length), 3));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${[line(head), rule, ...body.map(line)].join('\n')}\n`;
}
