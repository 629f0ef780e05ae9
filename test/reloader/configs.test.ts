import { playVirtually } from './play-virtually.ts';
import { configs } from './scenarios/configs.ts';

playVirtually('ReloaderConfigs', configs);
