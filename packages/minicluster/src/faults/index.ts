export { createFaults, type FaultInjector, type FaultOptions, type InjectedFault } from './injector.ts';
export { type FaultRates, NO_FAULTS, ROUGH, TRICKY } from './plan.ts';
