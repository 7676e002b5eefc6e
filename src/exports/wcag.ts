import type { KeptIssueType } from '../checks/engine-description.ts';

/** The levels of WCAG, each of which contains the ones before. */
export const WCAG_LEVELS = ['A', 'AA', 'AAA'] as const;
export type WcagLevel = (typeof WCAG_LEVELS)[number];

/** A success criterion of WCAG 2.2, or 4.1.1, which 2.2 removed. */
export interface Criterion {
  /** Such as `1.4.3`. */
  readonly number: string;
  readonly name: string;
  readonly level: WcagLevel;
  readonly url: string;
}

const NAMES: Readonly<Record<WcagLevel, string>> = {
  A: `1.1.1 Non-text Content
1.2.1 Audio-only and Video-only (Prerecorded)
1.2.2 Captions (Prerecorded)
1.2.3 Audio Description or Media Alternative (Prerecorded)
1.3.1 Info and Relationships
1.3.2 Meaningful Sequence
1.3.3 Sensory Characteristics
1.4.1 Use of Color
1.4.2 Audio Control
2.1.1 Keyboard
2.1.2 No Keyboard Trap
2.1.4 Character Key Shortcuts
2.2.1 Timing Adjustable
2.2.2 Pause, Stop, Hide
2.3.1 Three Flashes or Below Threshold
2.4.1 Bypass Blocks
2.4.2 Page Titled
2.4.3 Focus Order
2.4.4 Link Purpose (In Context)
2.5.1 Pointer Gestures
2.5.2 Pointer Cancellation
2.5.3 Label in Name
2.5.4 Motion Actuation
3.1.1 Language of Page
3.2.1 On Focus
3.2.2 On Input
3.2.6 Consistent Help
3.3.1 Error Identification
3.3.2 Labels or Instructions
3.3.7 Redundant Entry
4.1.1 Parsing
4.1.2 Name, Role, Value`,
  AA: `1.2.4 Captions (Live)
1.2.5 Audio Description (Prerecorded)
1.3.4 Orientation
1.3.5 Identify Input Purpose
1.4.3 Contrast (Minimum)
1.4.4 Resize Text
1.4.5 Images of Text
1.4.10 Reflow
1.4.11 Non-text Contrast
1.4.12 Text Spacing
1.4.13 Content on Hover or Focus
2.4.5 Multiple Ways
2.4.6 Headings and Labels
2.4.7 Focus Visible
2.4.11 Focus Not Obscured (Minimum)
2.5.7 Dragging Movements
2.5.8 Target Size (Minimum)
3.1.2 Language of Parts
3.2.3 Consistent Navigation
3.2.4 Consistent Identification
3.3.3 Error Suggestion
3.3.4 Error Prevention (Legal, Financial, Data)
3.3.8 Accessible Authentication (Minimum)
4.1.3 Status Messages`,
  AAA: `1.2.6 Sign Language (Prerecorded)
1.2.7 Extended Audio Description (Prerecorded)
1.2.8 Media Alternative (Prerecorded)
1.2.9 Audio-only (Live)
1.3.6 Identify Purpose
1.4.6 Contrast (Enhanced)
1.4.7 Low or No Background Audio
1.4.8 Visual Presentation
1.4.9 Images of Text (No Exception)
2.1.3 Keyboard (No Exception)
2.2.3 No Timing
2.2.4 Interruptions
2.2.5 Re-authenticating
2.2.6 Timeouts
2.3.2 Three Flashes
2.3.3 Animation from Interactions
2.4.8 Location
2.4.9 Link Purpose (Link Only)
2.4.10 Section Headings
2.4.12 Focus Not Obscured (Enhanced)
2.4.13 Focus Appearance
2.5.5 Target Size (Enhanced)
2.5.6 Concurrent Input Mechanisms
3.1.3 Unusual Words
3.1.4 Abbreviations
3.1.5 Reading Level
3.1.6 Pronunciation
3.2.5 Change on Request
3.3.5 Help
3.3.6 Error Prevention (All)
3.3.9 Accessible Authentication (Enhanced)`,
};

/** By level, then by number. */
export const WCAG_CRITERIA: readonly Criterion[] = WCAG_LEVELS.flatMap((level) =>
  NAMES[level].split('\n').map((line) => {
    const [number = '', ...words] = line.split(' ');
    const name = words.join(' ');
    const anchor = name
      .toLowerCase()
      .replaceAll(' ', '-')
      .replace(/[^a-z-]/g, '');
    return { number, name, level, url: `https://www.w3.org/TR/WCAG22/#${anchor}` };
  }),
);

const BY_TAG = new Map(WCAG_CRITERIA.map((criterion) => [`wcag${criterion.number.replaceAll('.', '')}`, criterion]));

/** Returns the success criteria among the tags of a rule: `wcag143` is 1.4.3. */
export function criteriaOf(tags: readonly string[]): Criterion[] {
  return tags.flatMap((tag) => BY_TAG.get(tag) ?? []);
}

/**
 * Criteria of level AAA that are stricter versions of others: what fails `wcag143` also fails `wcag146`. axe-core reports such an
 * element only for the milder criterion.
 */
const STRICTER: Readonly<Record<string, string>> = { wcag143: 'wcag146', wcag244: 'wcag249', wcag258: 'wcag255' };

/** Returns the tags of the criteria that an issue type fails; without failures, the tags of its rule. */
export function failedTags({ issue_type: type, tags }: Pick<KeptIssueType, 'issue_type' | 'tags'>): readonly string[] {
  if (type !== 'error') return tags;
  return [...new Set(tags.flatMap((tag) => [tag, STRICTER[tag] ?? tag]))];
}
