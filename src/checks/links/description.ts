import Type, { type Static } from 'typebox';
import { linkOccurrence } from '../../../packages/client/occurrences.ts';
import { count, issueType, texts, webAddress } from '../../domain/schemas.ts';
import type { EngineDescription, IssueDescription, KeptOccurrences } from '../engine-description.ts';
import { OCCURRENCE_MARKS, withMarks } from '../occurrence-marks.ts';
import { interpretLinks, NOT_CHECKED } from './interpret.ts';

/** As it is stored. */
const OCCURRENCE = Type.Object({
  url: webAddress('The URL of the link, without its fragment.'),
  final_url: webAddress('The final URL, after redirects.'),
});

const OCCURRENCES = Type.Array(Type.Object({ ...OCCURRENCE.properties, ...OCCURRENCE_MARKS }), {
  description: 'The links.',
});

const REMEDIES = {
  error: 'Fix the URL, or remove the link.',
  warning: 'Open the link. If it works, mute the issue: the link could not be checked reliably.',
} as const;

const FOLLOWERS = 'Everyone who follows the link';

/** Whom broken links hinder, and how, by the tag of the problem. */
const EFFECTS: Readonly<Record<string, string>> = {
  name: `${FOLLOWERS} gets an error from the browser, because the address does not exist.`,
  connection: `${FOLLOWERS} gets an error from the browser, because the server cannot be reached.`,
  certificate: `${FOLLOWERS} gets a security warning or an error from the browser.`,
  redirect: `${FOLLOWERS} gets an error from the browser or an empty page.`,
};
const ERROR_PAGE = `${FOLLOWERS} gets an error page.`;
const UNKNOWN_EFFECT = 'Whether visitors reach the target is unknown, because the link could not be checked reliably.';

/** How the API shows link issues. */
const LINK_ISSUES: IssueDescription = {
  aboutCommon: 'A broken link in a whole report.',
  about: 'A broken link on a web page.',
  howManySchema: count('Number of links: 1, except for links that were not checked.', { examples: [1] }),
  messageFilter: { name: 'message', example: '404' },
  datesCommon: true,
  issueTypeSchema: {
    issue_type: issueType(),
    rule_id: Type.String({
      description:
        'The kind of problem: a status such as `http_404`, or a code such as `name_not_found` or `redirect_loop`. `docs/link-checks.md` lists them all.',
      examples: ['http_404'],
    }),
    message: Type.String({
      description: 'The problem and the URL of the link.',
      examples: ['Link returns 404: https://example.com/gone'],
    }),
    tags: texts('The category of the problem, such as `client error`, `server error` or `certificate`.', {
      examples: [['client error']],
    }),
  },
  isUntested: ({ tags }) => tags.includes(NOT_CHECKED),
  issueTypeAttributes: ({ issue_type, rule_id, message, tags }) => ({ issue_type, rule_id, message, tags }),
  remedyOf: ({ issue_type: type }) => REMEDIES[type],
  effectOf: ({ issue_type: type, tags: [tag = ''] }) =>
    type === 'error'
      ? { words: EFFECTS[tag] ?? ERROR_PAGE, hindrance: 'severe' }
      : { words: UNKNOWN_EFFECT, hindrance: 'some' },
  // The URL of the link follows.
  ruleTitleOf: ({ message }) => message.split(': ', 1)[0] ?? message,
  occurrencesSchema: { links: OCCURRENCES },
  *occurrencesAttributes(issue) {
    return { links: yield* withMarks<Static<typeof OCCURRENCE>>(issue) };
  },
  occurrenceClues: (issue) => occurrencesOf(issue).map(({ url }) => ({ markup: url, at: null })),
  shownOccurrences: (issue) => occurrencesOf(issue).map(linkOccurrence),
};

function occurrencesOf({ occurrences }: KeptOccurrences): readonly Static<typeof OCCURRENCE>[] {
  return occurrences as readonly Static<typeof OCCURRENCE>[];
}

/** The link check: requests the links of pages, to find broken links. */
export const LINKS: EngineDescription = {
  kind: 'link',
  words: 'link',
  title: 'Links',
  about: 'Whether to request the links of pages to find broken links.',
  isDefault: false,
  isAdditive: true,
  isPro: false,
  isNamedByRule: false,
  isGraded: false,
  showsPages: false,
  dependsOn: null,
  found: { error: 'broken links', warning: 'links that could not be checked' },
  option: { name: 'links', help: 'check that links work, including those to other sites' },
  issues: LINK_ISSUES,
  aboutRaw: 'the `links` of the page, each with its `answer`',
  texts: {
    // Contains the URL of the link.
    message: 'page',
    fields: { kind: 'engine', reason: 'engine' },
  },
  interpret: interpretLinks,
  async createEngine({ httpClient, limiters }) {
    const { createLinkEngine } = await import('./engine.ts');
    return createLinkEngine({ httpClient, limiters });
  },
};
