import Type, { type Static } from 'typebox';
import { colorPairIn, elementOccurrence, type StyleRule } from '../../../packages/client/occurrences.ts';
import { IMPACTS } from '../../domain/check.ts';
import { type OpeningStep, reachedByText } from '../../domain/reached-by.ts';
import { ADDITIVE, count, issueType, nullable, texts, webAddress } from '../../domain/schemas.ts';
import type { EngineDescription, IssueDescription, KeptOccurrences } from '../engine-description.ts';
import { OCCURRENCE_MARKS } from '../occurrence-marks.ts';
import { type ColorEdit, colorCauseOf } from './color-edit.ts';
import { sharedEditOf } from './edits.ts';
import { a11yEffect } from './effects.ts';
import type { EditedElement } from './find-edited.ts';
import { interpretAxeAnswer } from './interpret-axe.ts';
import { rulesNotRun, testedTags } from './optional-rules.ts';
import { a11yRemedy } from './remedies.ts';

/** Selectors of an element, one per frame. A selector through shadow roots is a list. */
const TARGET = Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]));

const LOCATION = Type.Object({
  line: nullable(
    Type.Integer({ minimum: 1 }),
    'The line of its start tag, counted from 1; null if it could not be found.',
    { examples: [12] },
  ),
  column: nullable(Type.Integer({ minimum: 1 }), 'The column, from 1, in UTF-16 code units.', { examples: [5] }),
  made_by_script: Type.Boolean({
    description:
      'Whether a script created the element, so that `line` is null. If false and `line` is null, it was not found in the source.',
    examples: [false],
  }),
  reached_by: nullable(
    Type.String(),
    'How to reach the state of the page in which the element has the issue; null for the page as it is when nothing has been opened. See `explore_states`.',
    { examples: ['Click the button “Menu”, then the tab “Details”', null], ...ADDITIVE },
  ),
  box: nullable(
    Type.Array(Type.Integer(), { minItems: 4, maxItems: 4 }),
    '`[x, y, width, height]` in CSS pixels from the top left corner of the page; null if it is invisible, is in a frame, or is in a state that has to be reached.',
    { examples: [[16, 24, 120, 40]] },
  ),
});

/** An affected element, as it is stored. The names are part of stored results. */
type AffectedElement = Readonly<{
  html: string;
  target: Static<typeof TARGET>;
  failure_summary: string;
  place: Omit<Static<typeof LOCATION>, 'reached_by'>;
  /** How its state was reached, if the page does not have the issue when nothing has been opened. */
  reached_by?: readonly OpeningStep[];
  /** The element that has to be edited, if it is a different element. */
  edited?: EditedElement;
  /** What sets the color of the text. Has no `property` in results of earlier versions. */
  style_rule?: Pick<StyleRule, 'selector' | 'url'> & Partial<StyleRule>;
  background_rule?: Pick<StyleRule, keyof StyleRule>;
  /** The color to edit, only if its rule is known. */
  color_edit?: Pick<ColorEdit, keyof ColorEdit>;
}>;

/** How the API shows accessibility issues. */
const A11Y_ISSUES: IssueDescription = {
  aboutCommon: 'An accessibility issue type in a whole report.',
  about: 'A rule that a web page or a frame in it violates or may violate, with all affected elements.',
  howManySchema: count('Affected elements.', { examples: [1], ...ADDITIVE }),
  messageFilter: { name: 'help', example: 'contrast' },
  datesCommon: true,
  issueTypeSchema: {
    issue_type: issueType(ADDITIVE),
    rule_id: Type.String({ description: 'The id of the axe rule.', examples: ['image-alt'], ...ADDITIVE }),
    help: Type.String({ description: 'What the rule requires.', examples: ['Images must have alternative text'] }),
    help_url: Type.String({
      description: 'A page about the rule and how to fix the issue.',
      examples: ['https://dequeuniversity.com/rules/axe/4.14/image-alt'],
    }),
    impact: Type.Enum([...IMPACTS], { description: 'How severely the issue affects people.', examples: ['critical'] }),
    impact_order: Type.Integer({
      minimum: 1,
      maximum: IMPACTS.length,
      description: 'The impact as a number, from 1 for minor to 4 for critical.',
      examples: [4],
    }),
    tags: texts('The tags of the rule in axe: standards, success criteria, categories.', {
      examples: [['cat.text-alternatives', 'wcag2a', 'wcag111']],
    }),
  },
  issueTypeAttributes: (issue) => ({
    issue_type: issue.issue_type,
    rule_id: issue.rule_id,
    help: issue.message,
    help_url: issue.help_url,
    impact: issue.impact,
    impact_order: issue.impact_order,
    tags: issue.tags,
  }),
  remedyOf: ({ rule_id: rule }) => a11yRemedy(rule),
  effectOf: ({ rule_id: rule, impact, issue_type: type }) => ({
    words: a11yEffect(rule, type),
    hindrance: impact === 'critical' || impact === 'serious' ? 'severe' : 'some',
  }),
  editOf: ({ rule_id: rule }) => (rule === null ? null : sharedEditOf(rule)),
  occurrencesSchema: {
    url: webAddress('The URL of the document: the web page or a frame in it.'),
    html: texts('The affected elements, in document order; then the elements of states that have to be reached.', {
      examples: [['<img src="/logo.png">']],
    }),
    targets: Type.Array(TARGET, {
      description:
        'The selectors of each element: one per frame, the last for the element itself. In shadow roots, a selector is an array.',
      examples: [[['header > img']]],
      ...ADDITIVE,
    }),
    occurrences: Type.Array(Type.Object({ ...LOCATION.properties, ...OCCURRENCE_MARKS }), {
      description:
        'Where each element is in the source that the server sent and on the page, and how it changed. Elements in frames and shadow roots have no line.',
      ...ADDITIVE,
    }),
    failure_summary: nullable(
      Type.String(),
      'What axe found wrong with the elements, in sentences; null if axe does not say.',
      {
        examples: ['Fix any of the following:\n  Element does not have an alt attribute'],
        ...ADDITIVE,
      },
    ),
  },
  *occurrencesAttributes({ url, slices, markOf }, page) {
    const html: string[] = [];
    const targets: AffectedElement['target'][] = [];
    const occurrences: object[] = [];
    const summaries = new Set<string>();
    for (const slice of slices) {
      for (const element of slice as readonly AffectedElement[]) {
        html.push(element.html);
        targets.push(element.target);
        const reachedBy = element.reached_by === undefined ? null : reachedByText(element.reached_by);
        occurrences.push({ ...element.place, reached_by: reachedBy, ...markOf(occurrences.length) });
        summaries.add(element.failure_summary);
      }
      yield;
    }
    // Usually there is one summary. An empty string stands for none.
    summaries.delete('');
    const summary = summaries.size === 0 ? null : [...summaries].join('\n\n');
    return { url: url ?? page.url, html, targets, occurrences, failure_summary: summary };
  },
  occurrenceClues: (issue) =>
    elementsOf(issue).map((element) => {
      const { html, place, edited = null } = element;
      const { line, column } = place;
      const at = line === null || column === null ? null : { line, column };
      return { markup: html, at, edited, cause: causeOf(element) };
    }),
  shownOccurrences: (issue) =>
    elementsOf(issue).map((element) => {
      const { html, target, failure_summary: summary, place, edited, reached_by: steps } = element;
      const location = { ...place, reached_by: steps === undefined ? null : reachedByText(steps) };
      const occurrence = elementOccurrence({ html, target, location, failureSummary: summary || null });
      return { ...occurrence, cause: occurrence.cause ?? edited?.markup ?? null, ...stylesOf(element) };
    }),
};

/** Returns what has to be edited for an element with insufficient contrast: a declaration, or else a pair of colors. */
function causeOf({ failure_summary: summary, color_edit: edit, style_rule: text, background_rule }: AffectedElement) {
  const rule = edit?.of === 'background' ? background_rule : text;
  return edit === undefined || rule === undefined ? colorPairIn(summary) : colorCauseOf(edit, { ...NO_RULE, ...rule });
}

/** Defaults for properties that rules in results of earlier versions do not have. */
const NO_RULE = { property: 'color', value: null, line: null, column: null };

function stylesOf({ style_rule: text, background_rule: background, color_edit: edit }: AffectedElement) {
  return {
    styleRule: text === undefined ? null : { ...NO_RULE, ...text },
    backgroundRule: background ?? null,
    editedColor: edit?.of ?? null,
  };
}

/** Returns the affected elements, in document order. */
function elementsOf({ occurrences }: KeptOccurrences): readonly AffectedElement[] {
  return occurrences as readonly AffectedElement[];
}

/** The accessibility check: axe-core in Chromium. */
export const A11Y: EngineDescription = {
  kind: 'a11y',
  words: 'accessibility',
  title: 'Accessibility',
  about: 'Whether to check the accessibility of pages.',
  isDefault: false,
  isAdditive: false,
  isPro: true,
  isNamedByRule: true,
  isGraded: true,
  showsPages: true,
  dependsOn: 'browser',
  found: { error: 'accessibility violations', warning: 'issues that need review' },
  option: { name: 'a11y', help: 'check accessibility with axe-core' },
  issues: A11Y_ISSUES,
  rulesNotRun,
  testedTags,
  aboutRaw: "axe's complete results: `violations`, `incomplete`, `passes`, `inapplicable`",
  texts: {
    // The `help` of the rule.
    message: 'engine',
    fields: {
      html: 'page',
      target: 'page',
      xpath: 'page',
      ancestry: 'page',
      data: 'page',
      message: 'sentence',
      failureSummary: 'sentence',
      failure_summary: 'sentence',
      style_rule: 'page',
      background_rule: 'page',
      id: 'engine',
      impact: 'engine',
      tags: 'engine',
      description: 'engine',
      help: 'engine',
      helpUrl: 'engine',
      testEngine: 'engine',
      testRunner: 'engine',
      testEnvironment: 'engine',
      toolOptions: 'engine',
      timestamp: 'engine',
      url: 'engine',
    },
  },
  interpret: interpretAxeAnswer,
  async createEngine({ browserPool, settleMs, a11yLimits = {}, httpClient, limiters }) {
    const { createA11yEngine } = await import('./engine.ts');
    return createA11yEngine({
      pool: browserPool,
      requests: { httpClient, limiters },
      limits: { settleTimeoutMs: settleMs, ...a11yLimits },
    });
  },
};
