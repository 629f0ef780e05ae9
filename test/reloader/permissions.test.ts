import { playVirtually } from './play-virtually.ts';
import { permissions } from './scenarios/permissions.ts';

playVirtually('Permissions', permissions);
