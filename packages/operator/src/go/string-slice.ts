/**
 * pflag's StringSlice: one CSV record for each use of the flag, double quotes protect commas, several uses are
 * concatenated.
 */
export class StringSliceError extends Error {
  override name = 'StringSliceError';
}

interface Field {
  readonly value: string;
  /** Index of its end: a comma, a line break or the end of the text. */
  readonly end: number;
}

/** The fields of the first line, as Go's encoding/csv reads them; further lines are ignored. */
export function parseStringSlice(text: string): string[] {
  if (text === '') return [];
  let index = /^(\r?\n)*/.exec(text)?.[0].length ?? 0;
  if (index === text.length) throw new StringSliceError('there is nothing but line breaks');
  const fields: string[] = [];
  for (;;) {
    const { value, end } = text[index] === '"' ? quotedField(text, index + 1) : plainField(text, index);
    fields.push(value);
    if (text[end] !== ',') return fields;
    index = end + 1;
  }
}

function plainField(text: string, start: number): Field {
  const value = /^[^,\n]*/.exec(text.slice(start))?.[0] ?? '';
  if (value.includes('"')) throw new StringSliceError(`bare " in a field of ${JSON.stringify(text)}`);
  const end = start + value.length;
  const isLineEnd = end === text.length || text[end] === '\n';
  return { value: isLineEnd ? value.replace(/\r$/, '') : value, end };
}

/** A doubled quote stands for one. */
function quotedField(text: string, start: number): Field {
  let value = '';
  for (let index = start; index < text.length; index++) {
    if (text[index] !== '"') value += text[index];
    else if (text[index + 1] === '"') {
      value += '"';
      index += 1;
    } else {
      if (!/^(,|\r?\n|$)/.test(text.slice(index + 1)))
        throw new StringSliceError(`extraneous text behind a quoted field of ${JSON.stringify(text)}`);
      return { value, end: index + 1 };
    }
  }
  throw new StringSliceError(`a quoted field of ${JSON.stringify(text)} is not closed`);
}
