import Type, { type Static } from 'typebox';
import { IMPACTS } from '../../domain/check.ts';
import { ADDITIVE, count, issueType, nullable, texts, webAddress } from '../../domain/schemas.ts';
import type { IssueDescription, KeptPlaces } from '../engine-description.ts';

/** Selectors that lead to an element: one a frame, each with one a shadow root where there are any. */
const TARGET = Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]));

/** An affected element, as the engine keeps it. */
type AffectedElement = Readonly<{ html: string; target: Static<typeof TARGET>; failure_summary: string }>;

/** How accessibility issues are shown: sections 2.5 and 2.7 of the contract. */
export const A11Y_ISSUES: IssueDescription = {
  aboutCommon: 'One kind of accessibility issue in a whole report.',
  about: 'One rule that a web page, or a frame in it, does not or may not keep, with all affected elements.',
  howManySchema: count('Affected elements.', { examples: [1], ...ADDITIVE }),
  messageFilter: { name: 'help', example: 'contrast' },
  datesCommon: true,
  kindSchema: {
    issue_type: issueType(ADDITIVE),
    rule_id: Type.String({ description: 'The rule of axe.', examples: ['image-alt'], ...ADDITIVE }),
    help: Type.String({ description: 'What the rule asks for.', examples: ['Images must have alternative text'] }),
    help_url: Type.String({
      description: 'Where there is more about it, and how to fix it.',
      examples: ['https://dequeuniversity.com/rules/axe/4.14/image-alt'],
    }),
    impact: Type.Enum([...IMPACTS], { description: 'How much it hinders people.', examples: ['critical'] }),
    impact_order: Type.Integer({
      minimum: 1,
      maximum: IMPACTS.length,
      description: 'The same as a number, from 1 for minor to 4 for critical.',
      examples: [4],
    }),
    tags: texts("Axe's own tags of the rule: standards, success criteria, categories.", {
      examples: [['cat.text-alternatives', 'wcag2a', 'wcag111']],
    }),
  },
  kindAttributes: (issue) => ({
    issue_type: issue.issue_type,
    rule_id: issue.rule_id,
    help: issue.message,
    help_url: issue.help_url,
    impact: issue.impact,
    impact_order: issue.impact_order,
    tags: issue.tags,
  }),
  placesSchema: {
    url: webAddress('The document: the web page, or a frame in it.'),
    html: texts('The affected elements, in the order of the document.', {
      examples: [['<img src="/logo.png">']],
    }),
    targets: Type.Array(TARGET, {
      description:
        'For each element the selectors that lead to it: one a frame, the last for the element itself. Where it is in shadow roots, these are an array.',
      examples: [[['header > img']]],
      ...ADDITIVE,
    }),
    failure_summary: nullable(Type.String(), 'What would fix it, in sentences; null where axe says nothing.', {
      examples: ['Fix any of the following:\n  Element does not have an alt attribute'],
      ...ADDITIVE,
    }),
  },
  placesAttributes(issue, page) {
    const elements = elementsOf(issue);
    return {
      url: issue.url ?? page.url,
      html: elements.map(({ html }) => html),
      targets: elements.map(({ target }) => target),
      failure_summary: summaryOf(elements),
    };
  },
  firstPlace(issue) {
    const [element] = elementsOf(issue);
    // From frame to frame, and from shadow root to shadow root.
    return element === undefined ? null : { where: element.target.flat().join(' >> '), source: element.html };
  },
};

/** The affected elements, in document order. */
function elementsOf({ occurrences }: KeptPlaces): readonly AffectedElement[] {
  return occurrences as readonly AffectedElement[];
}

/** What is wrong with the elements: mostly the same for all of them, so each text once. Null when nothing is said. */
function summaryOf(elements: readonly AffectedElement[]): string | null {
  const texts = new Set(elements.map((element) => element.failure_summary).filter((text) => text !== ''));
  return texts.size === 0 ? null : [...texts].join('\n\n');
}
