/** All attacks. Each is played on both servers. */
import type { Attack } from '../harness.ts';
import { patterns } from './patterns.ts';
import { templatesInAlerts, templatesInConfigMaps } from './templates.ts';

export const ATTACKS: readonly Attack[] = [templatesInAlerts(), templatesInConfigMaps(), patterns()];
