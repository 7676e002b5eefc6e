import type { CheckNote } from '../../domain/check-note.ts';

/** Renders the notes on a check as sentences; null if there are none. */
export function noteText(notes: readonly CheckNote[]): string | null {
  return notes.length === 0 ? null : notes.map(sentenceOf).join(' ');
}

function sentenceOf(note: CheckNote): string {
  switch (note.code) {
    case 'never_at_rest': {
      const { seconds, waiting_for: url } = note.params;
      const reason = url === null ? 'it kept changing' : `a request was still under way (${url})`;
      return `The page was judged as it stood after ${inSeconds(seconds)}: ${reason}.`;
    }
    case 'wait_for_missing': {
      const { selector, seconds } = note.params;
      return seconds === 0
        ? `No element matches “${selector}”, and the page has no script that could add one.`
        : `No element matched “${selector}” within ${inSeconds(seconds)}, and the page was judged as it stood then.`;
    }
    case 'nearly_empty':
      return 'The page was nearly empty even after its scripts ran, so there was hardly anything to judge.';
  }
}

function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
