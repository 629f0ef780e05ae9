/**
 * Where a process spends its processor time, sampled by Linux `perf` over all of its threads.
 *
 * In: a process id. Out: milliseconds of processor time, and the share of each kind of work. The symbols of the Node
 * binary tell the kinds apart, so the process needs no flags. Without `perf`, only the times.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const WORK = [
  'JavaScript, ours and Node’s',
  'V8: objects, properties, calls',
  'JSON',
  'HTTP/2, sockets, Node’s C++',
  'TLS and hashes',
  'garbage collection, main thread',
  'garbage collection, other threads',
  'compilers, main thread',
  'compilers, other threads',
  'memory allocation, C library',
  'kernel',
] as const;
export type Work = (typeof WORK)[number];

export interface Profile {
  readonly cpuMs: number;
  /** Empty without `perf`. */
  readonly shares: ReadonlyMap<Work, number>;
}

const SAMPLES_PER_SECOND = 1_999;
/** The time that `perf` needs to attach to every thread of the process. */
const ATTACH_MS = 500;

/** Profiles the process while `work` runs. */
export async function profiled(pid: number, work: () => Promise<void>): Promise<Profile> {
  const samples = await startSampling(pid);
  const before = cpuMs(pid);
  await work();
  const spent = cpuMs(pid) - before;
  return { cpuMs: spent, shares: await samples.stop() };
}

/** Processor time of all threads, in fractions of a millisecond. */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
}

async function startSampling(pid: number): Promise<{ stop(): Promise<Map<Work, number>> }> {
  if (spawnSync('perf', ['--version']).status !== 0) return { stop: async () => new Map() };
  const folder = mkdtempSync(join(tmpdir(), 'bench-perf-'));
  const file = join(folder, 'perf.data');
  const args = ['record', '-q', '-e', 'cpu-clock', '-F', String(SAMPLES_PER_SECOND), '-p', String(pid)];
  const child = spawn('perf', [...args, '-o', file], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, ATTACH_MS));
  return {
    async stop() {
      child.kill('SIGINT');
      await once(child, 'exit');
      const script = ['script', '-i', file, '-F', 'pid,tid,ip,sym,dso', '--no-inline'];
      const { stdout } = await promisify(execFile)('perf', script, { maxBuffer: 2 ** 30 });
      rmSync(folder, { recursive: true });
      return sharesOf(stdout);
    },
  };
}

/** Shares from the output of `perf script`. */
export function sharesOf(script: string): Map<Work, number> {
  const counts = new Map<Work, number>();
  let all = 0;
  for (const line of script.split('\n')) {
    const sample = /^\s*(\d+)\/(\d+)\s+[0-9a-f]+\s+(.*) \((.*)\)$/.exec(line);
    if (!sample) continue;
    const [, pid, thread, symbol = '', file = ''] = sample;
    const work = workOf(symbol, file, pid === thread);
    counts.set(work, (counts.get(work) ?? 0) + 1);
    all += 1;
  }
  return new Map([...counts].map(([work, count]) => [work, count / all]));
}

const COMPILER =
  /compiler::|maglev|baseline::|BaselineBatch|::Compil|interpreter::|Parser|Scanner|turboshaft|LinearScan|Assembler|Bytecode(Array|Gen)|Scope|AstValue|Zone|SourcePosition|OptimizingCompile|LiveRange|Deoptimi/;
const JSON_WORK = /Json/;
const COLLECTOR =
  /Scaveng|Mark|Sweep|GCTracer|Heap::|Evacuat|cppgc|Worklist|BodyDescriptor|IterateObjectCache|RootVisitor|ObjectVisitor|GlobalHandles|FreeList|SizeFromMap|PagedSpace|MemoryChunk|MemoryAllocator|RememberedSet|EphemeronTable/;
const CRYPTO =
  /^(SSL|EVP|aes|AES|gcm|CRYPTO|tls|ssl|BIO|ossl|sha\d|SHA|HMAC|bn_|BN_|ec_|ERR_|OPENSSL|_?vpaes|PACKET|WPACKET|X509|ASN1|asn1)|node::crypto/;
const NODE = /^(node::|uv_|uv__|nghttp2|llhttp)/;
const LIBC = /malloc|free|mem(cpy|move|set|cmp)|_int_|pthread|calloc|operator (new|delete)/;

function workOf(symbol: string, file: string, isMain: boolean): Work {
  if (file.includes('kernel') || file === '[vdso]') return 'kernel';
  if (/JIT|anon|perf-\d+/.test(file) || symbol.startsWith('Builtins_') || symbol.startsWith('JS:'))
    return 'JavaScript, ours and Node’s';
  if (JSON_WORK.test(symbol)) return 'JSON';
  if (COMPILER.test(symbol)) return isMain ? 'compilers, main thread' : 'compilers, other threads';
  if (COLLECTOR.test(symbol))
    return isMain ? 'garbage collection, main thread' : 'garbage collection, other threads';
  if (CRYPTO.test(symbol)) return 'TLS and hashes';
  if (NODE.test(symbol)) return 'HTTP/2, sockets, Node’s C++';
  if (symbol.includes('v8::')) return 'V8: objects, properties, calls';
  return LIBC.test(symbol) || file.includes('libc') || file.includes('libstdc++')
    ? 'memory allocation, C library'
    : 'V8: objects, properties, calls';
}
