/** A range of offsets in the original document: the first one, and the one after the last. */
export type Range = readonly [start: number, end: number];

/** An edited document that knows where each of its characters comes from, so that no code has to recognize anything. */
export interface EditedDocument {
  readonly text: string;
  /** The offset of each character in the original document; -1 for an added character. */
  readonly origins: Int32Array;
  /** Start tags of the original that the edit changed on purpose: occurrences in them are not untouched. */
  readonly touched: readonly Range[];
}

export function unedited(text: string): EditedDocument {
  return { text, origins: Int32Array.from({ length: text.length }, (_, offset) => offset), touched: [] };
}

/** Writes an edited document from beginning to end. */
export class Draft {
  readonly #source: EditedDocument;
  readonly #pieces: string[] = [];
  readonly #origins: Int32Array[] = [];
  readonly #touched: Range[] = [];

  constructor(source: EditedDocument) {
    this.#source = source;
  }

  /** Copies a range of the source. It is the same text at another position if the range is left out elsewhere. */
  keep(from: number, to: number): this {
    this.#pieces.push(this.#source.text.slice(from, to));
    this.#origins.push(this.#source.origins.subarray(from, to));
    return this;
  }

  add(text: string): this {
    this.#pieces.push(text);
    this.#origins.push(new Int32Array(text.length).fill(-1));
    return this;
  }

  /** Marks a range of the source as changed on purpose. */
  touch([from, to]: Range): this {
    for (let offset = from; offset < to; offset += 1) {
      const origin = this.#source.origins[offset] ?? -1;
      if (origin >= 0) this.#touched.push([origin, origin + 1]);
    }
    return this;
  }

  finish(): EditedDocument {
    const text = this.#pieces.join('');
    const origins = new Int32Array(text.length);
    let end = 0;
    for (const piece of this.#origins) {
      origins.set(piece, end);
      end += piece.length;
    }
    return { text, origins, touched: [...this.#source.touched, ...this.#touched] };
  }
}

/** What is written instead of a range. */
export interface Change {
  readonly range: Range;
  readonly write: (draft: Draft) => void;
}

/** Returns the document with some of its ranges replaced, which do not overlap. */
export function replaced(source: EditedDocument, changes: readonly Change[]): EditedDocument {
  const draft = new Draft(source);
  let done = 0;
  for (const { range, write } of changes.toSorted((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1])) {
    draft.keep(done, range[0]);
    write(draft);
    done = range[1];
  }
  return draft.keep(done, source.text.length).finish();
}
