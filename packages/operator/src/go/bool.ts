/** Go's strconv.ParseBool: exactly these spellings; undefined for anything else. */
export function parseGoBool(text: string): boolean | undefined {
  switch (text) {
    case '1':
    case 't':
    case 'T':
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case '0':
    case 'f':
    case 'F':
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
    default:
      return undefined;
  }
}
