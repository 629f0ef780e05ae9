import { walks } from './decide.walk.test.suite.ts';

walks(100_000);
