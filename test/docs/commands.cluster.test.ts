/** Every command of the documentation works as written, and prints what the page says, on the real control plane. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Block, blocksOf, isOurs, pages, read } from './blocks.ts';
import { buildCommands, cloneInto, type Installation, installOperator } from './installation.ts';
import { Session } from './session.ts';

const cluster = useControlPlane({ workloads: true });
let directory: string;
let bin: string;
let installation: Installation | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reloader-docs-'));
  const commands = await buildCommands(directory);
  bin = commands.bin;
  installation = await installOperator(cluster(), commands.program);
});
afterAll(async () => {
  await installation?.stop();
  await rm(directory, { recursive: true, force: true });
});

const isTyped = (block: Block): boolean => block.language === 'sh' && isOurs(block);
const isSaved = (block: Block): boolean =>
  block.language === 'yaml' && /^[\w.-]+$/.test(block.info) && isOurs(block);

const withCommands = pages()
  .map((page) => [page, blocksOf(read(page)).filter((block) => isTyped(block) || isSaved(block))] as const)
  .filter(([, blocks]) => blocks.some(isTyped));

describe.each(withCommands)('%s', (page, blocks) => {
  let session: Session;
  beforeAll(async () => {
    await installation?.restore();
    const clone = join(directory, page.replaceAll('/', '-'));
    await cloneInto(clone);
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      HOME: clone,
      KUBECONFIG: cluster().kubeconfig,
    };
    session = new Session({ directory: clone, env });
  });
  afterAll(() => session.close());

  test.each(blocks.map((block) => [block.line, block] as const))('line %i', async (_, block) => {
    if (block.language === 'yaml') await session.save(block.info, block.text);
    else {
      await installation?.current();
      await session.run(block);
    }
  });
});
