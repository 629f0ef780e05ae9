/** Server-sent events from the pieces in which they arrive. Pure but for what it keeps of the last piece. */

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export class EventParser {
  #rest = '';

  /** Complete events; a comment is none. */
  push(text: string): ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
        if (name !== '') fields.set(name, value);
      }
      const event = fields.get('event');
      return event === undefined ? [] : [{ id: fields.get('id'), event, data: fields.get('data') ?? '' }];
    });
  }
}
