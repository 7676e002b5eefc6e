import Type, { type Static } from 'typebox';
import { count, issueType, texts, webAddress } from '../../domain/schemas.ts';
import type { IssueDescription, KeptPlaces } from '../engine-description.ts';

const PLACES = Type.Array(
  Type.Object({
    url: webAddress('Where the link leads, without its fragment.'),
    final_url: webAddress('The URL that gave the answer, after redirects.'),
  }),
  { description: 'The links.' },
);

/** How issues of links are shown. */
export const LINK_ISSUES: IssueDescription = {
  aboutCommon: 'A link that does not work, in a whole report.',
  about: 'A link of a web page that does not work.',
  howManySchema: count('Links: 1, but for those that were not checked.', { examples: [1] }),
  messageFilter: { name: 'message', example: '404' },
  datesCommon: true,
  kindSchema: {
    issue_type: issueType(),
    rule_id: Type.String({
      description:
        'What is wrong: `http_404` and the like for a status, else a word such as `name_not_found` or `redirect_loop`; all of them are listed in `docs/link-checks.md`.',
      examples: ['http_404'],
    }),
    message: Type.String({
      description: 'What is wrong, and the URL that the link leads to.',
      examples: ['Link answers 404: https://example.com/gone'],
    }),
    tags: texts('What it is about: `client error`, `server error`, `certificate` and so on.', {
      examples: [['client error']],
    }),
  },
  kindAttributes: ({ issue_type, rule_id, message, tags }) => ({ issue_type, rule_id, message, tags }),
  placesSchema: { links: PLACES },
  placesAttributes: (issue) => ({ links: placesOf(issue) }),
  firstPlace(issue) {
    const [place] = placesOf(issue);
    const isRedirected = place !== undefined && place.final_url !== place.url;
    return isRedirected ? { where: 'redirected to', source: place.final_url } : null;
  },
};

/** The engine keeps each link as it is shown. */
function placesOf({ occurrences }: KeptPlaces): Static<typeof PLACES> {
  return occurrences as Static<typeof PLACES>;
}
