// Files in the sandbox through which bundle.mjs and runner.mjs work together.

/** All tests and the instrumented code of ours that they import, as one script. */
export const SCRIPT = 'mutation/tests.js';
/** The names of the packages and built-in modules that the script takes from `globalThis[OUTSIDE]`. */
export const OUTSIDE_NAMES = 'mutation/outside.json';
/** How long each test took in the run without a mutant. */
export const DURATIONS = 'mutation/durations.json';

export const OUTSIDE = '__outside__';
