import { configWalks } from './configs.walk.test.suite.ts';

configWalks(300);
