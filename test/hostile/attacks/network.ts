/** Attacks through the port. They do not depend on the API server; the long run plays them on a real one, too. */
import type { Attack } from '../harness.ts';
import { PORT_ATTACKS } from './port.ts';
import { REBINDING } from './rebinding.ts';

export const NETWORK_ATTACKS: readonly Attack[] = [...PORT_ATTACKS, REBINDING];
