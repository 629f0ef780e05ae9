import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { variableOf } from './variable.ts';

describe('the variable of a source', () => {
  it.each([
    ['ConfigMap', 'settings', 'STAKATER_SETTINGS_CONFIGMAP'],
    ['Secret', 'settings', 'STAKATER_SETTINGS_SECRET'],
    ['SecretProviderClass', 'vault', 'STAKATER_VAULT_SECRETPROVIDERCLASS'],
    ['ConfigMap', 'www.example.com', 'STAKATER_WWW_EXAMPLE_COM_CONFIGMAP'],
    ['ConfigMap', 'a-b', 'STAKATER_A_B_CONFIGMAP'],
    ['ConfigMap', 'a.b', 'STAKATER_A_B_CONFIGMAP'],
    ['ConfigMap', 'a.-b--c', 'STAKATER_A_B_C_CONFIGMAP'],
    ['ConfigMap', 'kube-root-ca.crt', 'STAKATER_KUBE_ROOT_CA_CRT_CONFIGMAP'],
    ['Secret', '1st', 'STAKATER_1ST_SECRET'],
    ['Secret', '..a', 'STAKATER_A_SECRET'],
    ['Secret', 'a-', 'STAKATER_A__SECRET'],
  ] as const)('of the %s %s is %s', (kind, name, expected) => {
    expect(variableOf({ kind, name })).toBe(expected);
  });

  it('is a name that every shell and the API server accept', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/), (name) => {
        expect(variableOf({ kind: 'Secret', name })).toMatch(/^STAKATER_[A-Z0-9]([_A-Z0-9]*)_SECRET$/);
      }),
    );
  });
});
