/** A system outside Kubernetes: a database server. In tests it is in memory, in production it is an HTTP API. */
export interface DatabaseServer {
  /** The databases that exist, by name. */
  find(name: string, signal: AbortSignal): Promise<Database | undefined>;
  /** Creating an existing database returns it: a pass that failed half-way calls this again. */
  create(name: string, owner: string, signal: AbortSignal): Promise<Database>;
  setPassword(name: string, password: string, signal: AbortSignal): Promise<void>;
  drop(name: string, signal: AbortSignal): Promise<void>;
}

export interface Database {
  readonly name: string;
  /** The uid of the claim it was created for: databases of others are not touched. */
  readonly owner: string;
  readonly state: 'creating' | 'ready';
  readonly address: string;
}

/** A REST API: `GET`, `PUT` and `DELETE` of `/databases/<name>`. */
export function httpDatabaseServer(base: string): DatabaseServer {
  const ask = async (method: string, name: string, signal: AbortSignal, body?: object) => {
    const answer = await fetch(new URL(`/databases/${encodeURIComponent(name)}`, base), {
      method,
      signal,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${method} of database "${name}" was answered with ${answer.status}`);
    return answer.status === 204 ? undefined : ((await answer.json()) as Database);
  };
  return {
    find: (name, signal) => ask('GET', name, signal),
    async create(name, owner, signal) {
      const made = await ask('PUT', name, signal, { owner });
      if (!made) throw new Error(`The server did not say what became of database "${name}"`);
      return made;
    },
    setPassword: async (name, password, signal) => void (await ask('PUT', name, signal, { password })),
    drop: async (name, signal) => void (await ask('DELETE', name, signal)),
  };
}
