import { gateWalks } from './gates.walk.test.suite.ts';

gateWalks(100_000);
