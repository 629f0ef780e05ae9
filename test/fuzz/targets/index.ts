import type { Target } from '../target.ts';
import { decoders } from './decoders.ts';
import { expressions } from './expressions.ts';
import { ledger } from './ledger.ts';
import { patterns } from './patterns.ts';
import { protobuf } from './protobuf.ts';
import { schedules } from './schedules.ts';
import { templates } from './templates.ts';

export const TARGETS: readonly Target[] = [
  decoders,
  protobuf,
  ledger,
  templates,
  patterns,
  expressions,
  schedules,
];
