import type { Change, ChangeCause } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { FINGERPRINT_BYTES } from './identity.ts';

/** The issues of one check of a page. */
export interface CheckedPage {
  /** Of the document, in hexadecimal. */
  readonly document: string;
  readonly engineVersion: string | null;
  readonly issues: readonly PlacedIssue[];
}

export interface PlacedIssue {
  /** Fingerprint of the kind of issue, in hexadecimal. */
  readonly fingerprint: string;
  /** The fingerprints of its places, `FINGERPRINT_BYTES` each. */
  readonly places: Uint8Array;
}

/** A page of both reports; null where it is missing, or its check failed. */
export interface PageOfBoth {
  readonly now: CheckedPage | null;
  readonly before: CheckedPage | null;
  /** Returns whether a place was on the page in a report before that. */
  wasEarlier(place: string): boolean;
}

/** Counts of places of one kind of issue with one change. */
export interface ChangeCount {
  readonly kind: CheckKind;
  readonly fingerprint: string;
  readonly change: Change;
  readonly cause: ChangeCause;
  places: number;
  pages: number;
}

/** Returns the fingerprints of places, in hexadecimal. */
export function placesIn(packed: Uint8Array): string[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: Math.floor(bytes.length / FINGERPRINT_BYTES) }, (_, index) =>
    bytes.toString('hex', index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES),
  );
}

/** Returns what became of a place that is on a page now. */
export function changeOf(place: string, before: ReadonlySet<string> | null, wasEarlier: (place: string) => boolean) {
  if (before?.has(place)) return 'persisting';
  return wasEarlier(place) ? (before === null ? 'persisting' : 'regressed') : 'new';
}

/** Adds up what changed on pages, by kind of issue. */
export class ChangeTally {
  readonly #counts = new Map<string, ChangeCount>();
  readonly #isSameSite: boolean;

  /** @param isSameSite whether both reports have the same settings */
  constructor(isSameSite: boolean) {
    this.#isSameSite = isSameSite;
  }

  counts(): ChangeCount[] {
    return [...this.#counts.values()];
  }

  /**
   * Adds the check of one kind of a page. Places of a page that was not checked now are unverified. A page that was not
   * checked before is compared with the report before that.
   */
  add(kind: CheckKind, { now, before, wasEarlier }: PageOfBoth): void {
    const cause = this.#causeOf(now, before);
    const placesBefore = before === null ? null : new Set(before.issues.flatMap(({ places }) => placesIn(places)));
    const placesNow = new Set<string>();
    const onPage = new Map<string, number>();
    const count = (fingerprint: string, change: Change): void => {
      const key = `${fingerprint} ${change}`;
      onPage.set(key, (onPage.get(key) ?? 0) + 1);
    };
    for (const { fingerprint, places } of now?.issues ?? []) {
      for (const place of placesIn(places)) {
        placesNow.add(place);
        count(fingerprint, changeOf(place, placesBefore, wasEarlier));
      }
    }
    for (const { fingerprint, places } of before?.issues ?? []) {
      const gone = placesIn(places).filter((place) => !placesNow.has(place));
      for (const _ of gone) count(fingerprint, now === null ? 'unverified' : 'fixed');
    }
    for (const [key, places] of onPage) {
      const [fingerprint = '', change] = key.split(' ') as [string, Change];
      this.#addTo({ kind, fingerprint, change, cause: change === 'persisting' ? 'site' : cause, places, pages: 1 });
    }
  }

  #addTo(count: ChangeCount): void {
    const key = `${count.kind} ${count.fingerprint} ${count.change} ${count.cause}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, count);
      return;
    }
    known.places += count.places;
    known.pages += count.pages;
  }

  /** On an unchanged document, only an upgrade of the engine or other settings can change the result. */
  #causeOf(now: CheckedPage | null, before: CheckedPage | null): ChangeCause {
    if (now === null || before === null) return this.#isSameSite ? 'site' : 'settings';
    if (now.document !== before.document) return 'site';
    if (now.engineVersion !== before.engineVersion) return 'engine';
    return this.#isSameSite ? 'site' : 'settings';
  }
}
