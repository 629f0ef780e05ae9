/**
 * The operator inside another program: `packages/demo` runs it beside a cluster of its own. Not for operators of
 * others, which stand on `@reloader/runtime`.
 */
export { sourceName } from '../api/words.ts';
export { applyCrds } from '../crds/apply.ts';
export { runOperator } from '../operator.ts';
export { parseSettings } from '../settings/parse.ts';
export { UsageError } from '../settings/usage-error.ts';
export { openWhenServed } from '../terminal/open-page.ts';
export { type Cell, counted, createStyle, fitted, type Style, table } from '../terminal/style.ts';
