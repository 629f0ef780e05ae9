#!/usr/bin/env node
// kubectl runs this for `kubectl reloader <TAB>`: the words typed so far, and back come candidates.
process.argv.splice(2, 0, '__complete');
await import('./reloader.mjs');
