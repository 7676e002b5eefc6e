import type { FileStep } from '../../../packages/client/recorded-steps.ts';

/** A configuration of another tool, translated to `sitewarden.yaml`. */
export interface Imported {
  readonly urls: readonly string[];
  /** Settings for all sites. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly journeys: readonly ImportedJourney[];
  readonly mutings: readonly ImportedMuting[];
  readonly budgets: readonly { readonly rule: string; readonly max: number }[];
  /** What is not imported, and what to do instead: a sentence each. */
  readonly remarks: readonly string[];
  /** What to know about the rest: a sentence each. */
  readonly notes: readonly string[];
}

export interface ImportedJourney {
  readonly name: string;
  readonly steps: readonly FileStep[];
}

export interface ImportedMuting {
  readonly rule?: string;
  readonly message?: string;
  readonly selector?: string;
  readonly url?: string;
  readonly reason: string;
}

export const NOTHING: Imported = {
  urls: [],
  settings: {},
  journeys: [],
  mutings: [],
  budgets: [],
  remarks: [],
  notes: [],
};

/** Returns the strings in a list, or a single string as a list. */
export function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((item) => typeof item === 'string' && item !== '') as string[];
}

/** Returns a value as a remark shows it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const CREDENTIALS_REMARK =
  'pass headers on the command line, as in check --header @FILE: credentials do not belong in a repository';
