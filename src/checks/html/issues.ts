import Type, { type Static } from 'typebox';
import { count, issueType, nullable, texts } from '../../domain/schemas.ts';
import type { IssueDescription, KeptPlaces } from '../engine-description.ts';

const PLACES = Type.Array(
  Type.Object({
    extract: Type.String({ description: 'The source around the place.', examples: ['<div id="main">'] }),
    coordinates: Type.Object(
      {
        first_line: count('Line in which the place begins, from 1.', { examples: [12] }),
        last_line: count('Line in which it ends.', { examples: [12] }),
        first_column: nullable(
          Type.Integer({ minimum: 0 }),
          'Column in which it begins, from 1; null where the validator names none.',
          { examples: [5] },
        ),
        last_column: count('Column in which it ends.', { examples: [19] }),
        hilite_start: count('Where the place begins in `extract`, in characters from 0.', { examples: [0] }),
        hilite_length: count('How many characters of `extract` it takes.', { examples: [15] }),
      },
      { description: 'Where in the source it is.' },
    ),
  }),
  { description: 'The places, in the order of the document.' },
);

/** How HTML issues are shown: sections 2.4 and 2.6 of the contract. */
export const HTML_ISSUES: IssueDescription = {
  aboutCommon: 'One kind of HTML issue in a whole report.',
  about: 'One kind of HTML issue on one web page, with all its places.',
  howManySchema: count('Places on this page.', { examples: [1] }),
  messageFilter: { name: 'message', example: 'duplicate' },
  datesCommon: false,
  kindSchema: {
    issue_type: issueType(),
    issue_sub_type: nullable(
      Type.String(),
      'A finer classification by the validator: `fatal` for errors that ended its reading, `info` for warnings that are only remarks; null for most issues.',
      { examples: [null] },
    ),
    message: Type.String({
      description:
        "The validator's message. Of one with more than 4,096 characters the start and the end, with `…` between.",
      examples: ['Duplicate ID “main”.'],
    }),
    tags: texts('What the message is about, in words of a fixed vocabulary that outlives its wording.', {
      examples: [['duplicate id', 'id']],
    }),
  },
  kindAttributes: ({ issue_type, issue_sub_type, message, tags }) => ({ issue_type, issue_sub_type, message, tags }),
  placesSchema: { html: PLACES },
  placesAttributes: (issue) => ({ html: placesOf(issue) }),
  firstPlace(issue) {
    const [place] = placesOf(issue);
    if (place === undefined) return null;
    const { first_line: line, first_column: column } = place.coordinates;
    return { where: column === null ? `line ${line}` : `line ${line}, column ${column}`, source: place.extract };
  },
};

/** The engine keeps each place as the contract shows it. */
function placesOf({ occurrences }: KeptPlaces): Static<typeof PLACES> {
  return occurrences as Static<typeof PLACES>;
}
