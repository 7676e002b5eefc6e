import type { JsonObject } from '../../platform/json-object.ts';
import type { FilePlace } from '../configuration-file/read-yaml.ts';

/** Values as the API takes them in requests, and as it shows them. Only values that the file has. */
export interface Wanted {
  readonly given: JsonObject;
  readonly shown: JsonObject;
}

/** A site of the file. */
export interface WantedSite extends Wanted {
  readonly place: FilePlace;
  /** Null if the file gives it none. */
  readonly name: string | null;
  /** Normalized. */
  readonly startingUrl: string;
  readonly schedules: readonly WantedSchedule[];
}

/** A schedule of a site of the file, with the settings of the site. */
export interface WantedSchedule extends Wanted {
  readonly place: FilePlace;
}

/** A muting of the file. */
export interface WantedMuting extends Wanted {
  readonly place: FilePlace;
  /** Null for never; undefined if the file has no expiry. */
  readonly expiresAt: Date | null | undefined;
}

/** A notification channel of the file. */
export interface WantedChannel extends Wanted {
  readonly place: FilePlace;
  readonly name: string;
  readonly kind: string;
  /** Only for the kind `email`. */
  readonly email: string | null;
}

export interface WantedState {
  readonly sites: readonly WantedSite[];
  readonly mutings: readonly WantedMuting[];
  readonly channels: readonly WantedChannel[];
}

/** Identifies a site without a name: its starting URL, regardless of the scheme. */
export function addressOf(startingUrl: string): string {
  return startingUrl.replace(/^https?:\/\//, '');
}

/** Identifies a muting. Case is also ignored when mutings are applied. */
export function mutingKey(muting: JsonObject): string {
  const texts = [muting['url_match'], muting['message']].map((text) => String(text).trim().toLowerCase());
  return JSON.stringify([...texts, muting['selector'] ?? null]);
}
