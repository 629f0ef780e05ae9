import { orderWalks } from './order.walk.test.suite.ts';

orderWalks(100_000);
