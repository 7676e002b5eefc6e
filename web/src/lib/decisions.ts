import type { DECISION_SCOPES, VERDICTS } from 'sitewarden-client/values';
import { type Kind, OCCURRENCE_WORDS } from './kinds.ts';

/** What a person decides about issues, and what the decision applies to, in words. */

export type Verdict = (typeof VERDICTS)[number];

export type Scope = (typeof DECISION_SCOPES)[number];

interface VerdictWords {
  readonly title: string;
  /** As part of a sentence. */
  readonly words: string;
  /** Its single-key shortcut. */
  readonly key: string;
  readonly effect: string;
}

export const VERDICT_WORDS: Readonly<Record<Verdict, VerdictWords>> = {
  error: { title: 'Error', words: 'error', key: 'e', effect: 'It counts as an error.' },
  not_an_error: { title: 'Not an error', words: 'not an error', key: 'x', effect: 'It does not count.' },
  later: {
    title: 'Later',
    words: 'later',
    key: 'l',
    effect: 'It counts as before, but is no longer listed for review.',
  },
};

interface ScopeWords {
  readonly title: string;
  readonly words: string;
  readonly key: string;
}

/** Returns the words for what a decision applies to. */
export function scopeWords(scope: Scope, kind: Kind): ScopeWords {
  const one = OCCURRENCE_WORDS[kind];
  if (scope === 'occurrence') return { title: `This ${one} only`, words: `this ${one} only`, key: '1' };
  // Other checks have no rules with ids.
  const type = kind === 'a11y' ? 'rule' : 'issue type';
  if (scope === 'rule') return { title: `The whole ${type}`, words: `the whole ${type}`, key: '3' };
  return { title: 'All with this cause', words: `all ${one}s with this cause`, key: '2' };
}
