import { walks } from './decide.walk.test.suite.ts';

walks(500);
