import Type, { type Static } from 'typebox';
import { count, issueType, texts, webAddress } from '../../domain/schemas.ts';
import type { IssueDescription, KeptPlaces } from '../engine-description.ts';
import { PLACE_MARKS } from '../place-marks.ts';

/** As it is stored. */
const PLACE = Type.Object({
  url: webAddress('The URL of the link, without its fragment.'),
  final_url: webAddress('The URL that answered, after redirects.'),
});

const PLACES = Type.Array(Type.Object({ ...PLACE.properties, ...PLACE_MARKS }), { description: 'The links.' });

/** How the API shows link issues. */
export const LINK_ISSUES: IssueDescription = {
  aboutCommon: 'A link that does not work, in a whole report.',
  about: 'A link of a web page that does not work.',
  howManySchema: count('Number of links: 1, except for links that were not checked.', { examples: [1] }),
  messageFilter: { name: 'message', example: '404' },
  datesCommon: true,
  kindSchema: {
    issue_type: issueType(),
    rule_id: Type.String({
      description:
        'The kind of problem: a status such as `http_404`, or a code such as `name_not_found` or `redirect_loop`. `docs/link-checks.md` lists them all.',
      examples: ['http_404'],
    }),
    message: Type.String({
      description: 'The problem and the URL of the link.',
      examples: ['Link answers 404: https://example.com/gone'],
    }),
    tags: texts('The category of the problem, such as `client error`, `server error` or `certificate`.', {
      examples: [['client error']],
    }),
  },
  kindAttributes: ({ issue_type, rule_id, message, tags }) => ({ issue_type, rule_id, message, tags }),
  placesSchema: { links: PLACES },
  placesAttributes: (issue) => ({
    links: placesOf(issue).map((place, index) => ({ ...place, ...issue.markOf(index) })),
  }),
  placeClues: (issue) => placesOf(issue).map(({ url }) => ({ markup: url, at: null })),
  shownPlaces: (issue) =>
    placesOf(issue).map(({ url, final_url: finalUrl }) => ({
      ...{ markup: url, extract: null, line: null, column: null, selector: null, box: null },
      failureSummary: null,
      note: finalUrl === url ? null : `redirected to ${finalUrl}`,
    })),
};

function placesOf({ occurrences }: KeptPlaces): readonly Static<typeof PLACE>[] {
  return occurrences as readonly Static<typeof PLACE>[];
}
