#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  console.error('create-operator is not built: run "npm run build" in the repository first');
  process.exit(1);
}
await import(built.href);
