import { __plural__Operator } from './operator.ts';

await __plural__Operator.run();
