import { greetings } from './operator.ts';

await greetings.run();
