/**
 * Parses server-sent events from the chunks in which they arrive. Its only state is the incomplete rest of the last
 * chunk.
 */

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export class EventParser {
  #rest = '';

  /** Returns the complete events; comments are skipped. */
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
