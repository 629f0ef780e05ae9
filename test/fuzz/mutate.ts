/** Makes new inputs from known ones: cuts, doubles and exchanges pieces, and inserts words of the language. */
import type { Random } from '@reloader/runtime/testing';

const CHARACTERS = [
  ...' \t\n\0"\'`\\/()[]{}<>.,:;|&!?*+-=^$#@%~_0189azAZ',
  '\u00e9',
  '\u2028',
  '\ud83d',
  '\ud83d\ude00',
  '\ufeff',
  '\u007f',
];
const MOST_CHANGES = 4;
const LONGEST_REPEAT = 64;

export function mutated(
  corpus: readonly string[],
  words: readonly string[],
  longest: number,
  random: Random,
): string {
  let text = random.pick(corpus);
  const changes = 1 + random.int(MOST_CHANGES);
  for (let change = 0; change < changes; change++) text = changed(text, corpus, words, random);
  return text.slice(0, longest);
}

function changed(text: string, corpus: readonly string[], words: readonly string[], random: Random): string {
  const at = random.int(text.length + 1);
  const to = Math.min(text.length, at + random.int(1 + Math.min(32, text.length)));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  const word = (): string => (words.length > 0 ? random.pick(words) : '');
  switch (random.int(9)) {
    case 0:
      return before + after;
    case 1:
      return before + random.pick(CHARACTERS) + piece + after;
    case 2:
      return before + random.pick(CHARACTERS) + after;
    case 3:
      return before + word() + piece + after;
    case 4:
      return before + word() + after;
    case 5:
      return before + piece.repeat(1 + random.int(random.chance(0.1) ? LONGEST_REPEAT : 3)) + after;
    case 6: {
      const other = random.pick(corpus);
      const from = random.int(other.length + 1);
      return before + other.slice(from, from + 1 + random.int(48)) + after;
    }
    case 7:
      return before + numberNear(piece, random) + after;
    default:
      return before + [...piece].reverse().join('') + after;
  }
}

const EDGES = [
  '0',
  '-1',
  '1',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '1e309',
  '-0',
  '60',
  '24',
  '31',
];

function numberNear(piece: string, random: Random): string {
  return piece.replace(/-?\d+/g, (digits) =>
    random.chance(0.5) ? random.pick(EDGES) : String(Number(digits) + random.int(3) - 1),
  );
}
