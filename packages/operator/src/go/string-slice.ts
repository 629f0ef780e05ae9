/** pflag's StringSlice: one CSV record per use of the flag, double quotes protect commas, uses add up. */
export class StringSliceError extends Error {
  override name = 'StringSliceError';
}

export function parseStringSlice(text: string): string[] {
  if (text === '') return [];
  const fields: string[] = [];
  let index = 0;
  while (index <= text.length) {
    if (text[index] === '"') {
      const { value, end } = quotedField(text, index + 1);
      fields.push(value);
      index = end;
    } else {
      const comma = text.indexOf(',', index);
      const end = comma < 0 ? text.length : comma;
      const value = text.slice(index, end);
      if (value.includes('"')) throw new StringSliceError(`bare " in a field of ${JSON.stringify(text)}`);
      fields.push(value);
      index = end;
    }
    if (index >= text.length) break;
    index += 1;
    if (index === text.length) fields.push('');
  }
  return fields;
}

/** A doubled quote stands for one. */
function quotedField(text: string, start: number): { value: string; end: number } {
  let value = '';
  for (let index = start; index < text.length; index++) {
    if (text[index] !== '"') value += text[index];
    else if (text[index + 1] === '"') {
      value += '"';
      index += 1;
    } else {
      const end = index + 1;
      if (end < text.length && text[end] !== ',') {
        throw new StringSliceError(`extraneous text behind a quoted field of ${JSON.stringify(text)}`);
      }
      return { value, end };
    }
  }
  throw new StringSliceError(`a quoted field of ${JSON.stringify(text)} is not closed`);
}
