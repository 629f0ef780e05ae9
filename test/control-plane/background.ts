/**
 * The one background control plane for a person at a shell.
 *
 * A separate process holds it and listens on a socket in its directory; a file in the cache has the path. Whether it
 * runs is checked with the socket, not with a process id, which may by now belong to another process.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cacheRoot } from './build.ts';
import type { ControlPlane } from './control-plane.ts';

export interface BackgroundState {
  readonly server: string;
  readonly kubeconfig: string;
  readonly directory: string;
  readonly socket: string;
}

export function stateFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheRoot(env), 'cluster.json');
}

/** The running control plane; leftovers of a killed one are ignored. */
export async function findRunning(
  env: NodeJS.ProcessEnv = process.env,
): Promise<BackgroundState | undefined> {
  const found = await readFile(stateFile(env), 'utf8').catch(() => undefined);
  if (found === undefined) return undefined;
  const state = JSON.parse(found) as BackgroundState;
  const answer = await ask(state, 'status').catch(() => undefined);
  if (answer === 'running') return state;
  await rm(stateFile(env), { force: true });
  return undefined;
}

/** Resolves when the control plane is stopped and its directory removed. */
export async function stopRunning(state: BackgroundState): Promise<void> {
  const answer = await ask(state, 'stop');
  if (answer !== 'stopped')
    throw new Error(`the control plane in ${state.directory} did not stop: ${answer}`);
}

/** Keeps the control plane until it is asked to stop, by `stopRunning` or by a signal. */
export async function hold(
  controlPlane: ControlPlane,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { server, kubeconfig, directory } = controlPlane;
  const state: BackgroundState = { server, kubeconfig, directory, socket: join(directory, 'control.sock') };
  const { stop } = await listen(state.socket, signal);
  await publish(stateFile(env), JSON.stringify(state));
  const answer = await stop;
  await rm(stateFile(env), { force: true });
  await controlPlane.stop();
  answer('stopped');
}

type Answer = (text: string) => void;

/** Resolves once listening; `stop` resolves on a stop request, with a function that answers it. */
async function listen(path: string, signal: AbortSignal): Promise<{ readonly stop: Promise<Answer> }> {
  const server = createServer({ allowHalfOpen: true });
  const stop = new Promise<Answer>((resolve) => {
    server.on('connection', (socket: Socket) => {
      let question = '';
      socket.on('error', () => {});
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        question += chunk;
      });
      socket.once('end', () => {
        if (question === 'stop') resolve((answer) => socket.end(answer));
        else socket.end('running');
      });
    });
    signal.addEventListener('abort', () => resolve(() => {}), { once: true });
    if (signal.aborted) resolve(() => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return { stop: stop.finally(() => server.close()) };
}

function ask(state: BackgroundState, question: 'status' | 'stop'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(state.socket);
    socket.once('error', reject);
    socket.end(question);
    text(socket).then(resolve, reject);
  });
}

/** Renamed into place: readers see the whole file. */
async function publish(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, content);
  await rename(partial, path);
}
