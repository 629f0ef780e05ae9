/** The same on a real control plane, as the reference for minicluster. */
import { describe } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { helmSuite } from './helm.ts';
import { kubectlSuite, type Tool } from './kubectl.ts';

const cluster = useControlPlane({ workloads: true });
const kubectl: Tool = (args, input) => cluster().kubectl([...args], input === undefined ? {} : { input });
const helm: Tool = (args) => cluster().helm([...args]);

describe('kubectl on a real control plane', () => kubectlSuite(() => kubectl));
describe('Helm on a real control plane', () =>
  helmSuite(
    () => helm,
    () => kubectl,
  ));
