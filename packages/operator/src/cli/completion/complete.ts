/**
 * Computes the candidates for completion.
 *
 * In: the words after `reloader`, the last one unfinished and perhaps empty. Out: candidates in the format of
 * `scripts.ts`. Commands and options come from the definitions, names from the cluster. Guarantees: an answer within
 * two seconds, and no candidates if the cluster cannot be read; it never fails.
 */
import type { Command, Option } from 'commander';
import type { CommandIO } from '../command-io.ts';
import type { Candidate, Candidates } from './candidates.ts';
import { clusterNames } from './names.ts';

const NO_SPACE = 2;
const NO_FILES = 4;

const NONE: Candidates = { candidates: [] };

export async function complete(words: readonly string[], program: Command, io: CommandIO): Promise<string> {
  const last = words.at(-1) ?? '';
  const { candidates, goesOn = false, files = false } = await found(words, last, program, io);
  const lines = candidates
    .filter(({ word }) => word.startsWith(last))
    .map(({ word, about }) => (about ? `${word}\t${about}` : word));
  const directive = (goesOn ? NO_SPACE : 0) + (files ? 0 : NO_FILES);
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

async function found(
  words: readonly string[],
  last: string,
  program: Command,
  io: CommandIO,
): Promise<Candidates> {
  const visible = program.commands.filter((each) => !each.name().startsWith('__'));
  const names = visible.map((each) => ({ word: each.name(), about: each.summary() }));
  if (words.length <= 1) return { candidates: names };
  const [name = ''] = words;
  if (name === 'help') return words.length === 2 ? { candidates: names } : NONE;
  const command = visible.find((each) => each.name() === name);
  if (!command) return NONE;
  const previous = words.at(-2) ?? '';
  const option = command.options.find(({ short, long }) => previous === short || previous === long);
  if (option && (option.required || option.optional)) return valuesOf(option, words, io);
  const [flag, value] = last.split('=');
  const equals = command.options.find(({ long }) => long === flag);
  if (value !== undefined && equals) {
    const { candidates } = await valuesOf(equals, words, io);
    return { candidates: candidates.map((each) => ({ ...each, word: `${flag}=${each.word}` })) };
  }
  if (last.startsWith('-')) return { candidates: command.options.flatMap(optionWords) };
  return argumentsOf(command, words, io);
}

function optionWords({ short, long, description }: Option): readonly Candidate[] {
  return [long, short].filter((word) => word != null).map((word) => ({ word, about: description }));
}

async function valuesOf(
  { long, argChoices }: Option,
  words: readonly string[],
  io: CommandIO,
): Promise<Candidates> {
  if (argChoices) return { candidates: argChoices.map((word) => ({ word })) };
  switch (long) {
    case '--namespace':
    case '--operator-namespace':
      return clusterNames('namespaces', words, io);
    case '--kubeconfig':
    case '--filename':
      return { candidates: [], files: true };
    default:
      return NONE;
  }
}

async function argumentsOf(command: Command, words: readonly string[], io: CommandIO): Promise<Candidates> {
  switch (command.name()) {
    case 'explain':
    case 'history':
    case 'approve':
    case 'now':
    case 'freeze':
    case 'unfreeze':
      return clusterNames('workloads', words, io);
    case 'what-if':
      return clusterNames('sources', words, io);
    case 'lint':
      return { candidates: [], files: true };
    default:
      return {
        candidates: command.registeredArguments
          .flatMap(({ argChoices = [] }) => argChoices)
          .map((word) => ({ word })),
      };
  }
}
