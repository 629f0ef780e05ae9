import { configWalks } from './configs.walk.test.suite.ts';

configWalks(50_000);
