/**
 * A DatabaseClaim becomes a database on a server outside the cluster, and a Secret with its credentials.
 *
 * The server sends no events, so every claim is requeued after a minute; a dropped database is created again.
 * Deleting a claim deletes its database, unless it says `keep`.
 */
import { randomBytes } from 'node:crypto';
import {
  ConfigurationError,
  kinds,
  type ObjectOf,
  operator,
  type Pass,
  type PassResult,
} from '@reloader/runtime';
import { defineKind, oneOf, rules, Type } from '@reloader/runtime/kind';
import type { DatabaseServer } from './database-server.ts';

export const DatabaseClaims = defineKind({
  group: 'databases.example.com',
  version: 'v1',
  kind: 'DatabaseClaim',
  shortNames: ['dbc'],
  description: 'A database for an application, with a Secret that holds the way in.',
  spec: Type.Object({
    database: Type.String({
      description: 'Its name on the server.',
      maxLength: 63,
      pattern: '^[a-z][a-z0-9_]*$',
      ...rules({ rule: 'self == oldSelf', message: 'database cannot be changed: make a new claim' }),
    }),
    onDelete: Type.Optional(
      oneOf(['drop', 'keep'], { description: 'What becomes of it with the claim.', default: 'drop' }),
    ),
  }),
  status: {
    address: Type.Optional(Type.String({ description: 'Where the database answers.' })),
  },
  columns: [
    { name: 'Database', type: 'string', jsonPath: '.spec.database' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Address', type: 'string', jsonPath: '.status.address' },
  ],
});

export type DatabaseClaim = ObjectOf<typeof DatabaseClaims>;

const LOOK_AGAIN_MS = 60_000;
const CREATION_MS = 5_000;

export const databaseClaims = (server: DatabaseServer) =>
  operator(DatabaseClaims, { resyncMs: LOOK_AGAIN_MS })
    .owns(kinds.Secret)
    .cleanup(async ({ object: { spec, metadata }, signal, event }) => {
      const found = await server.find(spec.database, signal);
      if (found?.owner !== metadata.uid || spec.onDelete === 'keep') return;
      await server.drop(spec.database, signal);
      event('Normal', 'Dropped', `Database ${spec.database} was dropped`);
    })
    .reconcile((pass) => provide(server, pass));

async function provide(server: DatabaseServer, pass: Pass<DatabaseClaim>): Promise<PassResult | undefined> {
  const { object, signal, status } = pass;
  const { database: name } = object.spec;
  const database =
    (await server.find(name, signal)) ?? (await server.create(name, object.metadata.uid, signal));
  if (database.owner !== object.metadata.uid) {
    throw new ConfigurationError(
      `Database "${name}" belongs to somebody else: choose another spec.database`,
      {
        reason: 'NameTaken',
      },
    );
  }
  if (database.state === 'creating') {
    const reconciling = { reason: 'Creating', message: `The server makes database ${name}` };
    return { reconciling, requeueAfterMs: CREATION_MS };
  }
  status.address = database.address;
  await ensureSecret(server, pass, database.address);
  return undefined;
}

/** The password is generated once and exists only in the Secret; if the Secret is deleted, a new one is generated. */
async function ensureSecret(
  server: DatabaseServer,
  pass: Pass<DatabaseClaim>,
  address: string,
): Promise<void> {
  const { object, signal, cached, ensure } = pass;
  const known = cached(kinds.Secret, object.metadata.name)?.data?.password;
  const password = known ?? randomBytes(24).toString('base64url');
  if (known === undefined) await server.setPassword(object.spec.database, password, signal);
  await ensure(kinds.Secret, object.metadata.name, (draft) => {
    draft.data = {
      address: encode(address),
      database: encode(object.spec.database),
      password: known ?? encode(password),
    };
  });
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
