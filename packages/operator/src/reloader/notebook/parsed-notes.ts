/** Parsed notes by their text: one pass over a workload reads its note several times, also the one that it has just put. */
import { type ParsedNote, parseNote } from '../ledger/note.ts';

/** Larger than the number of concurrent passes. */
const MOST = 128;

export class ParsedNotes {
  readonly #byText = new Map<string | undefined, ParsedNote>();

  of(text: string | undefined): ParsedNote {
    return this.#byText.get(text) ?? this.keep(text, parseNote(text));
  }

  keep(text: string | undefined, note: ParsedNote): ParsedNote {
    if (this.#byText.size >= MOST) this.#byText.clear();
    this.#byText.set(text, note);
    return note;
  }
}
