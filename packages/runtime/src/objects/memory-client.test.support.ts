/**
 * An API server's objects in a Map, behind the `Client` interface, for tests of code that uses that interface.
 *
 * Supports resourceVersion conflicts, uid and generation, finalizers and deletion, the status subresource, JSON and
 * merge patches with `test`, preconditions, a log of requests and a hook before each. No watches, no defaulting, no
 * field ownership: those are tested on a real API server.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  PatchOptions,
  RequestOptions,
  WriteOptions,
} from '../client/client.ts';
import { apiErrorFrom } from '../client/errors.ts';
import { apiVersionOf, objectPath, type ResourceType, resourceName } from '../client/resource.ts';
import { type KubernetesObject, keyOf, type ObjectKey, type Stored } from '../model/types.ts';

export interface RecordedRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly resource: string;
  readonly key: ObjectKey;
  readonly subresource?: string;
  readonly body?: unknown;
}

type Dynamic = Stored<KubernetesObject> & { status?: unknown; spec?: unknown };

export class MemoryClient implements Client {
  readonly requests: RecordedRequest[] = [];
  /** Runs before each request; an exception becomes the answer. */
  before: ((request: RecordedRequest) => void | Promise<void>) | undefined;
  readonly #objects = new Map<string, Dynamic>();
  #revision = 0;
  #uid = 0;

  /** Everything but reads. */
  get writes(): RecordedRequest[] {
    return this.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  }

  verbs(): string[] {
    return this.requests.map(({ verb, subresource }) => (subresource ? `${verb}/${subresource}` : verb));
  }

  /** Stores an object without an entry in the log. */
  seed<T extends KubernetesObject>(type: ResourceType<T>, object: T): Stored<T> {
    return this.#insert(type, object);
  }

  /** The object as the server holds it, without a request. */
  peek<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): Stored<T> | undefined {
    const found = this.#objects.get(objectPath(type, key));
    return found && copy(found as unknown as Stored<T>);
  }

  /** Another writer's change. */
  edit<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    change: (object: Stored<T>) => void,
  ): void {
    const object = copy(this.#find(type, key));
    change(object);
    this.#save(type, key, object as unknown as Dynamic);
  }

  remove(type: ResourceType, key: ObjectKey): void {
    this.#objects.delete(objectPath(type, key));
  }

  async get<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey, options?: RequestOptions) {
    await this.#record({ verb: 'get', resource: resourceName(type), key }, options);
    return copy(this.#find(type, key));
  }

  async list<T extends KubernetesObject>(type: ResourceType<T>, options?: ListOptions) {
    await this.#record({ verb: 'list', resource: resourceName(type), key: { name: '' } }, options);
    const items = [...this.#objects.values()]
      .filter((object) => object.kind === type.kind)
      .filter((object) => !options?.namespace || object.metadata.namespace === options.namespace)
      .map((object) => copy(object as unknown as Stored<T>));
    return { metadata: { resourceVersion: String(this.#revision) }, items };
  }

  async create<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions) {
    await this.#record(
      { verb: 'create', resource: resourceName(type), key: keyOf(object), body: copy(object) },
      options,
    );
    return this.#insert(type, object);
  }

  async update<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions) {
    const key = keyOf(object);
    await this.#record(
      { verb: 'update', resource: resourceName(type), key, ...sub(options), body: copy(object) },
      options,
    );
    const current = this.#find(type, key);
    checkVersion(type, key, current, object.metadata);
    return this.#write(
      type,
      key,
      current as unknown as Dynamic,
      object as unknown as Dynamic,
      options,
    ) as unknown as Stored<T>;
  }

  async patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options?: PatchOptions,
  ) {
    const body = patch.type === 'json' ? patch.operations : patch.body;
    const verb = patch.type === 'apply' ? 'apply' : 'patch';
    await this.#record(
      { verb, resource: resourceName(type), key, ...sub(options), body: copy(body) },
      options,
    );
    const current = this.#find(type, key);
    const next =
      patch.type === 'json' ? applyJsonPatch(current, patch.operations) : mergePatch(current, patch.body);
    if (patch.type !== 'json') checkVersion(type, key, current, (patch.body as KubernetesObject).metadata);
    return this.#write(
      type,
      key,
      current as unknown as Dynamic,
      next as Dynamic,
      options,
    ) as unknown as Stored<T>;
  }

  async apply<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: PatchOptions) {
    const key = keyOf(object);
    await this.#record(
      { verb: 'apply', resource: resourceName(type), key, ...sub(options), body: copy(object) },
      options,
    );
    if (!this.#objects.has(objectPath(type, key))) return this.#insert(type, object);
    const current = this.#find(type, key);
    return this.#write(
      type,
      key,
      current as unknown as Dynamic,
      mergePatch(current, object) as Dynamic,
      options,
    ) as unknown as Stored<T>;
  }

  async delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    await this.#record(
      { verb: 'delete', resource: resourceName(type), key, body: options?.preconditions },
      options,
    );
    const current = this.#find(type, key);
    checkVersion(type, key, current, options?.preconditions);
    if (!current.metadata.finalizers?.length) return this.remove(type, key);
    this.edit(type, key, (object) => {
      object.metadata.deletionTimestamp ??= '2030-01-01T00:00:00Z';
    });
  }

  listEach(): never {
    throw new Error('listEach is not part of this fake');
  }
  watch(): never {
    throw new Error('watch is not part of this fake');
  }
  deleteCollection(): never {
    throw new Error('deleteCollection is not part of this fake');
  }
  raw(): never {
    throw new Error('raw is not part of this fake');
  }
  async close(): Promise<void> {}

  async #record(request: RecordedRequest, options: RequestOptions | undefined): Promise<void> {
    options?.signal?.throwIfAborted();
    this.requests.push(request);
    await this.before?.(request);
    options?.signal?.throwIfAborted();
  }

  #find<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): Stored<T> {
    const found = this.#objects.get(objectPath(type, key));
    if (!found)
      throw apiErrorFrom({
        code: 404,
        reason: 'NotFound',
        message: `${type.plural} "${key.name}" not found`,
      });
    return found as unknown as Stored<T>;
  }

  #insert<T extends KubernetesObject>(type: ResourceType<T>, object: T): Stored<T> {
    const name = object.metadata?.name ?? `${object.metadata?.generateName ?? ''}${++this.#uid}`;
    const key = { ...keyOf(object), name };
    if (this.#objects.has(objectPath(type, key))) {
      throw apiErrorFrom({
        code: 409,
        reason: 'AlreadyExists',
        message: `${type.plural} "${name}" already exists`,
      });
    }
    const uid = object.metadata?.uid ?? `uid-${++this.#uid}`;
    const metadata = { generation: 1, ...copy(object.metadata), name, uid, resourceVersion: '' };
    return this.#save(type, key, {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      ...copy(object),
      metadata,
    } as unknown as Dynamic) as unknown as Stored<T>;
  }

  #write(
    type: ResourceType,
    key: ObjectKey,
    current: Dynamic,
    next: Dynamic,
    options?: WriteOptions,
  ): Dynamic {
    const result =
      options?.subresource === 'status'
        ? { ...current, status: copy(next.status) }
        : { ...copy(next), ...('status' in current && { status: current.status }) };
    result.metadata = { ...copy(next.metadata), uid: current.metadata.uid };
    if (!same(result.spec, current.spec)) result.metadata.generation = (current.metadata.generation ?? 0) + 1;
    result.metadata.resourceVersion = current.metadata.resourceVersion;
    if (same(result, current)) return copy(current);
    if (current.metadata.deletionTimestamp && !result.metadata.finalizers?.length) {
      this.remove(type, key);
      return result;
    }
    return this.#save(type, key, result);
  }

  #save(type: ResourceType, key: ObjectKey, object: Dynamic): Dynamic {
    object.metadata.resourceVersion = String(++this.#revision);
    this.#objects.set(objectPath(type, key), copy(object));
    return copy(object);
  }
}

function copy<T>(value: T): T {
  return value === undefined ? value : structuredClone(value);
}

function sub(options: WriteOptions | undefined): { subresource?: string } {
  return options?.subresource ? { subresource: options.subresource } : {};
}

function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}

function checkVersion(
  type: ResourceType,
  key: ObjectKey,
  current: Stored<KubernetesObject>,
  wanted: { readonly resourceVersion?: string; readonly uid?: string } | undefined,
): void {
  const { resourceVersion, uid } = current.metadata;
  if ((wanted?.resourceVersion ?? resourceVersion) === resourceVersion && (wanted?.uid ?? uid) === uid)
    return;
  const message = `Operation cannot be fulfilled on ${type.plural} "${key.name}": the object has been modified`;
  throw apiErrorFrom({ code: 409, reason: 'Conflict', message });
}

type Json = Record<string, unknown>;

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return copy(patch);
  const result: Json = typeof target === 'object' && target && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** A failed `test` is answered with 422, as the real server does. */
export function applyJsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root = { value: copy(target) } as Json;
  for (const operation of operations) {
    const names = ['value', ...operation.path.split('/').slice(1).map(unescapePointer)];
    const last = names.pop() ?? '';
    let parent: unknown = root;
    for (const name of names) parent = (parent as Json | undefined)?.[name];
    const fail = (why: string): never => {
      throw apiErrorFrom({
        code: 422,
        reason: 'Invalid',
        message: `json patch: ${operation.op} ${operation.path}: ${why}`,
      });
    };
    if (typeof parent !== 'object' || parent === null) fail('the parent does not exist');
    const holder = parent as Json;
    if (operation.op === 'test') {
      if (!same(holder[last] ?? null, operation.value ?? null)) fail('the value differs');
    } else if (operation.op === 'remove') {
      if (!(last in holder)) fail('there is nothing to remove');
      if (Array.isArray(holder)) holder.splice(Number(last), 1);
      else delete holder[last];
    } else if (operation.op === 'add' || operation.op === 'replace') {
      if (operation.op === 'replace' && !(last in holder)) fail('there is nothing to replace');
      if (Array.isArray(holder) && operation.op === 'add') {
        holder.splice(last === '-' ? holder.length : Number(last), 0, copy(operation.value));
      } else holder[last] = copy(operation.value);
    } else fail('this fake knows no such operation');
  }
  return root.value;
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
