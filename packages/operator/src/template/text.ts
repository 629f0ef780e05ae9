/** Go's functions on text, which work by character where JavaScript's work on the whole string. */

/** A letter whose other case has two letters stays unchanged. */
function one(char: string, mapped: string): string {
  return [...mapped].length === 1 ? mapped : char;
}

export function upper(text: string): string {
  return [...text].map((char) => one(char, char.toUpperCase())).join('');
}

export function lower(text: string): string {
  return [...text].map((char) => one(char, char.toLowerCase())).join('');
}

/** Go's strings.Title: capitalizes every letter that follows a separator. */
export function title(text: string): string {
  let before = ' ';
  return [...text]
    .map((char) => {
      const begins = isSeparator(before);
      before = char;
      return begins ? one(char, char.toUpperCase()) : char;
    })
    .join('');
}

function isSeparator(char: string): boolean {
  if (/[\p{L}\p{Nd}_]/u.test(char)) return false;
  return (char.codePointAt(0) ?? 0) < 0x80 || SPACE.test(char);
}

const SPACE = /^[\t\n\v\f\r \u0085\u00a0\p{Z}]$/u;

/** A loop, because a regular expression for the end would examine every run of blanks. */
export function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start] ?? '')) start += 1;
  while (end > start && SPACE.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

/** The first bytes, or with a negative length the last ones. */
export function truncate(length: number, text: string): string {
  const bytes = Buffer.from(text);
  if (length >= 0) return bytes.length > length ? bytes.subarray(0, length).toString() : text;
  return bytes.length + length > 0 ? bytes.subarray(bytes.length + length).toString() : text;
}
