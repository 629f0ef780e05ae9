import { oneObject } from './measures/one-object.ts';
for (const r of await oneObject.run(undefined as never, undefined as never)) console.log(r.what.padEnd(80), r.ours, r.floor, r.met);
