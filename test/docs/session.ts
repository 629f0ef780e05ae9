/**
 * A terminal in which the commands of a page are typed, one block after the other.
 *
 * In: blocks. Out: their output; an error if a command fails. Variables, background processes and files persist from
 * block to block, as for a reader. A block with shown output is repeated until it prints that, as readers repeat it,
 * too. Such blocks must therefore be read-only.
 */
import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { type Block, printsAs } from './blocks.ts';

const AGAIN_MS = 400;
const PATIENCE_MS = 30_000;

export interface SessionOptions {
  /** The working directory of the commands, in which files of the page are saved. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

export class Session {
  readonly #directory: string;
  readonly #shell: ChildProcess;
  readonly #ended: Promise<void>;
  #next = 0;
  #answer: ((status: string) => void) | undefined;
  #over = false;

  constructor({ directory, env }: SessionOptions) {
    this.#directory = directory;
    this.#shell = spawnGuarded('/bin/bash', ['--noprofile', '--norc'], {
      cwd: directory,
      env,
      input: 'pipe',
      output: 'pipe',
    });
    createInterface(this.#shell.stdout as Readable).on('line', (line) => this.#answer?.(line));
    this.#ended = new Promise((resolve) => {
      this.#shell.once('close', () => {
        this.#over = true;
        this.#answer?.('1');
        resolve();
      });
    });
  }

  async run(block: Block): Promise<string> {
    if (block.prints === undefined) {
      const { failed, output } = await this.#type(block.text, false);
      if (failed) throw new Error(`the commands failed:\n${output}`);
      return output;
    }
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { failed, output } = await this.#type(block.text, true);
      if (!failed && printsAs(output, block.prints)) return output;
      if (performance.now() > deadline)
        throw new Error(`the page shows\n${block.prints}\nand it is\n${output}`);
      await delay(AGAIN_MS);
    }
  }

  async save(name: string, text: string): Promise<void> {
    await writeFile(join(this.#directory, name), text);
  }

  /** Ends the shell and everything that was started in it. */
  async close(): Promise<void> {
    if (this.#over || this.#shell.pid === undefined) return;
    process.kill(-this.#shell.pid, 'SIGKILL');
    await this.#ended;
  }

  /** `apart`: in a subshell, so that a failure does not end this one. */
  async #type(text: string, apart: boolean): Promise<{ failed: boolean; output: string }> {
    if (this.#over) throw new Error('an earlier command ended the shell');
    const number = ++this.#next;
    const script = join(this.#directory, `.block-${number}.sh`);
    const output = join(this.#directory, `.block-${number}.out`);
    await writeFile(script, `set -e -o pipefail\n${text}`);
    const answered = new Promise<string>((resolve) => {
      this.#answer = resolve;
    });
    const command = apart ? `( source ${script} )` : `source ${script}`;
    (this.#shell.stdin as Writable).write(`${command} >${output} 2>&1 </dev/null; echo $?\nset +e\n`);
    const status = await answered;
    this.#answer = undefined;
    return { failed: status !== '0', output: await readFile(output, 'utf8') };
  }
}
