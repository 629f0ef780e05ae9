/**
 * The operator as a library: `packages/demo` runs it beside a cluster of its own. Not meant for writing other
 * operators, which use `@reloader/runtime`.
 */
export { sourceName } from '../api/words.ts';
export { applyCrds } from '../crds/apply.ts';
export { runOperator } from '../operator.ts';
export { parseSettings } from '../settings/parse.ts';
export { UsageError } from '../settings/usage-error.ts';
export { openWhenServed } from '../terminal/open-page.ts';
export { type Cell, counted, createStyle, fitted, type Style, table } from '../terminal/style.ts';
