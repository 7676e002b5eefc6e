import { type Criterion, WCAG_CRITERIA, WCAG_LEVELS, type WcagLevel } from './wcag.ts';

export type WcagVersion = '2.0' | '2.1' | '2.2';

const ADDED_IN_21 = new Set(
  '1.3.4 1.3.5 1.3.6 1.4.10 1.4.11 1.4.12 1.4.13 2.1.4 2.2.6 2.3.3 2.5.1 2.5.2 2.5.3 2.5.4 2.5.5 2.5.6 4.1.3'.split(
    ' ',
  ),
);
const ADDED_IN_22 = new Set('2.4.11 2.4.12 2.4.13 2.5.7 2.5.8 3.2.6 3.3.7 3.3.8 3.3.9'.split(' '));
const REMOVED_IN_22 = '4.1.1';

/** WCAG 2.0 has anchors of its own. Later versions derive them from names. */
const ANCHORS_20 = new Map(
  `1.1.1 text-equiv-all
1.2.1 media-equiv-av-only-alt
1.2.2 media-equiv-captions
1.2.3 media-equiv-audio-desc
1.2.4 media-equiv-real-time-captions
1.2.5 media-equiv-audio-desc-only
1.2.6 media-equiv-sign
1.2.7 media-equiv-extended-ad
1.2.8 media-equiv-text-doc
1.2.9 media-equiv-live-audio-only
1.3.1 content-structure-separation-programmatic
1.3.2 content-structure-separation-sequence
1.3.3 content-structure-separation-understanding
1.4.1 visual-audio-contrast-without-color
1.4.2 visual-audio-contrast-dis-audio
1.4.3 visual-audio-contrast-contrast
1.4.4 visual-audio-contrast-scale
1.4.5 visual-audio-contrast-text-presentation
1.4.6 visual-audio-contrast7
1.4.7 visual-audio-contrast-noaudio
1.4.8 visual-audio-contrast-visual-presentation
1.4.9 visual-audio-contrast-text-images
2.1.1 keyboard-operation-keyboard-operable
2.1.2 keyboard-operation-trapping
2.1.3 keyboard-operation-all-funcs
2.2.1 time-limits-required-behaviors
2.2.2 time-limits-pause
2.2.3 time-limits-no-exceptions
2.2.4 time-limits-postponed
2.2.5 time-limits-server-timeout
2.3.1 seizure-does-not-violate
2.3.2 seizure-three-times
2.4.1 navigation-mechanisms-skip
2.4.2 navigation-mechanisms-title
2.4.3 navigation-mechanisms-focus-order
2.4.4 navigation-mechanisms-refs
2.4.5 navigation-mechanisms-mult-loc
2.4.6 navigation-mechanisms-descriptive
2.4.7 navigation-mechanisms-focus-visible
2.4.8 navigation-mechanisms-location
2.4.9 navigation-mechanisms-link
2.4.10 navigation-mechanisms-headings
3.1.1 meaning-doc-lang-id
3.1.2 meaning-other-lang-id
3.1.3 meaning-idioms
3.1.4 meaning-located
3.1.5 meaning-supplements
3.1.6 meaning-pronunciation
3.2.1 consistent-behavior-receive-focus
3.2.2 consistent-behavior-unpredictable-change
3.2.3 consistent-behavior-consistent-locations
3.2.4 consistent-behavior-consistent-functionality
3.2.5 consistent-behavior-no-extreme-changes-context
3.3.1 minimize-error-identified
3.3.2 minimize-error-cues
3.3.3 minimize-error-suggestions
3.3.4 minimize-error-reversible
3.3.5 minimize-error-context-help
3.3.6 minimize-error-reversible-all
4.1.1 ensure-compat-parses
4.1.2 ensure-compat-rsv`
    .split('\n')
    .map((line) => line.split(' ') as [number: string, anchor: string]),
);

/** Returns the criteria of a version of WCAG up to a level, by level, then by number. */
export function wcagCriteria(version: WcagVersion, highest: WcagLevel): Criterion[] {
  const levels = WCAG_LEVELS.slice(0, WCAG_LEVELS.indexOf(highest) + 1);
  return WCAG_CRITERIA.filter(({ number, level }) => levels.includes(level) && isIn(version, number)).map((criterion) =>
    asIn(version, criterion),
  );
}

function isIn(version: WcagVersion, number: string): boolean {
  if (version === '2.2') return number !== REMOVED_IN_22;
  return !ADDED_IN_22.has(number) && (version === '2.1' || !ADDED_IN_21.has(number));
}

/** Returns a criterion with its name and address in a version. */
function asIn(version: WcagVersion, criterion: Criterion): Criterion {
  if (version === '2.2') return criterion;
  if (version === '2.0') {
    return { ...criterion, url: `https://www.w3.org/TR/WCAG20/#${ANCHORS_20.get(criterion.number) ?? ''}` };
  }
  // The name has changed since, when WCAG 2.2 added a criterion for the minimum.
  const [name, url] = criterion.number === '2.5.5' ? ['Target Size', `#target-size`] : [criterion.name, criterion.url];
  return { ...criterion, name, url: `https://www.w3.org/TR/WCAG21/${url.slice(url.indexOf('#'))}` };
}
