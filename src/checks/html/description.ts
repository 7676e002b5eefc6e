import Type, { type Static } from 'typebox';
import { type HtmlOccurrence, htmlOccurrence } from '../../../packages/client/occurrences.ts';
import { count, issueType, nullable, texts } from '../../domain/schemas.ts';
import type { EngineDescription, IssueDescription, KeptOccurrences, SharedEdit } from '../engine-description.ts';
import { OCCURRENCE_MARKS, withMarks } from '../occurrence-marks.ts';
import { htmlEffect } from './effects.ts';
import { interpretVnuAnswer } from './interpret.ts';
import { htmlRemedy } from './remedies.ts';

/** As it is stored. */
const OCCURRENCE = Type.Object({
  extract: Type.String({ description: 'The source code around the occurrence.', examples: ['<div id="main">'] }),
  coordinates: Type.Object(
    {
      first_line: count('The line where the occurrence starts, counted from 1.', { examples: [12] }),
      last_line: count('The line where it ends.', { examples: [12] }),
      first_column: nullable(
        Type.Integer({ minimum: 0 }),
        'The column where it starts, counted from 1; null if the validator reports none.',
        { examples: [5] },
      ),
      last_column: count('The column where it ends.', { examples: [19] }),
      hilite_start: count('Where the occurrence starts in `extract`, in characters, counted from 0.', {
        examples: [0],
      }),
      hilite_length: count('The length of the occurrence in `extract`, in characters.', { examples: [15] }),
    },
    { description: 'The position in the source code.' },
  ),
});

const OCCURRENCES = Type.Array(Type.Object({ ...OCCURRENCE.properties, ...OCCURRENCE_MARKS }), {
  description: 'The occurrences, in document order.',
});

/** Messages about problems that the accessibility check also reports: a tag, and what they name. */
const SHARED_EDITS: readonly (readonly [tag: string, name: RegExp, edit: SharedEdit['what']])[] = [
  ['missing attribute', /attribute “alt”|“alt” attribute/, 'alternative text'],
  ['heading', /^The heading “h[1-6]”.* skipping [0-9]+ heading level/, 'heading level'],
  ['bad value', /for attribute “lang”/, 'language code'],
  ['bad value', /for attribute “role”/, 'role'],
];

/** How the API shows HTML issues. */
const HTML_ISSUES: IssueDescription = {
  aboutCommon: 'An HTML issue type in a whole report.',
  about: 'An HTML issue type on one web page, with all its occurrences.',
  howManySchema: count('Occurrences on this page.', { examples: [1] }),
  messageFilter: { name: 'message', example: 'duplicate' },
  datesCommon: false,
  issueTypeSchema: {
    issue_type: issueType(),
    issue_sub_type: nullable(
      Type.String(),
      'A finer classification: `fatal` for errors that stopped the parser, `info` for informational warnings; null for most issues.',
      { examples: [null] },
    ),
    message: Type.String({
      description:
        "The validator's message. Messages of more than 4,096 characters are shortened in the middle, with `…`.",
      examples: ['Duplicate ID “main”.'],
    }),
    tags: texts('What the message is about, in a fixed vocabulary that does not change with the wording of messages.', {
      examples: [['duplicate id', 'id']],
    }),
  },
  issueTypeAttributes: ({ issue_type, issue_sub_type, message, tags }) => ({
    issue_type,
    issue_sub_type,
    message,
    tags,
  }),
  remedyOf: ({ tags }) => htmlRemedy(tags),
  effectOf: ({ message, tags }) => htmlEffect(message, tags),
  editOf({ tags, message }) {
    const edit = SHARED_EDITS.find(([tag, name]) => tags.includes(tag) && name.test(message));
    return edit === undefined ? null : { what: edit[2], of: 'element' };
  },
  occurrencesSchema: { html: OCCURRENCES },
  *occurrencesAttributes(issue) {
    return { html: yield* withMarks<Static<typeof OCCURRENCE>>(issue) };
  },
  occurrenceClues: (issue) =>
    occurrencesOf(issue).map((occurrence) => {
      const { last_line: line, last_column: column } = occurrence.coordinates;
      return { markup: htmlOccurrence(occurrence).markup, at: line === 0 ? null : { line, column } };
    }),
  shownOccurrences: (issue) => occurrencesOf(issue).map(htmlOccurrence),
};

function occurrencesOf({ occurrences }: KeptOccurrences): readonly HtmlOccurrence[] {
  return occurrences as readonly Static<typeof OCCURRENCE>[];
}

/** The HTML check: the W3C's Nu Html Checker. */
export const HTML: EngineDescription = {
  kind: 'html',
  words: 'HTML',
  title: 'HTML',
  about: 'Whether to check the HTML of pages.',
  isDefault: true,
  isAdditive: false,
  isPro: false,
  isNamedByRule: false,
  isGraded: false,
  showsPages: false,
  dependsOn: 'validator',
  found: { error: 'HTML errors', warning: 'HTML warnings' },
  option: { name: 'html', help: 'skip the HTML check' },
  issues: HTML_ISSUES,
  aboutRaw: "the HTML validator's `url`, `messages` and `language`",
  texts: {
    message: 'sentence',
    fields: {
      extract: 'page',
      message: 'sentence',
      type: 'engine',
      subType: 'engine',
      language: 'engine',
      version: 'engine',
      url: 'engine',
    },
  },
  interpret: interpretVnuAnswer,
  async createEngine({ htmlConcurrency, vnuUrl, isLongLived, restMs, children, log }) {
    const { createHtmlEngine } = await import('./engine.ts');
    return createHtmlEngine({
      concurrency: htmlConcurrency,
      externalUrl: vnuUrl ?? undefined,
      compiler: isLongLived ? 'optimizing' : 'quick',
      restMs,
      children,
      logger: log,
    });
  },
};
