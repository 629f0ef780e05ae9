/**
 * The custom resources of a stage: ours as shipped, and definitions without a schema for kinds whose controllers do not
 * run here.
 */
import { AlreadyExistsError, type Client, type KubernetesObject, kinds } from '@reloader/runtime';
import { reloaderConfigCrd } from '../../packages/operator/src/crds/reloader-config.ts';
import {
  DeploymentConfig,
  definition,
  Rollout,
  SecretProviderClass,
  SecretProviderClassPodStatus,
} from './kinds.ts';

export async function installDefinitions(client: Client): Promise<void> {
  await install(client, reloaderConfigCrd);
}

/** Only for the scenarios about these kinds; elsewhere their absence is part of the test. */
export async function installForeignKinds(client: Client): Promise<void> {
  for (const type of [Rollout, DeploymentConfig, SecretProviderClass, SecretProviderClassPodStatus]) {
    await install(client, definition(type));
  }
}

async function install(client: Client, crd: object): Promise<void> {
  try {
    await client.create(kinds.CustomResourceDefinition, crd as KubernetesObject);
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}
