import { randomUUID } from 'node:crypto';
import Type, { type TProperties } from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { ENGINES } from '../../checks/registry.ts';
import { count, DECIMAL_ID, PRO, UUID } from '../../domain/schemas.ts';
import { type RecheckedPages, recheckPages } from '../../store/page-recheck.ts';
import { bodyEndpoint, created, newOne } from '../http/endpoint.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { recheckedPagesMax } from './limits.ts';
import { NO_QUERY, REPORT_PARAMS } from './parameters.ts';
import { reportToChange } from './report.ts';

const RECHECK = resourceType('recheck', {
  description: 'Web pages that are fetched and checked again. It is not stored: poll the report until it has ended.',
  id: UUID,
  attributes: Type.Object({
    num_web_pages: count('Number of web pages that are checked again.', { examples: [12] }),
    credits: count(
      'Number of checks to pay for, one credit each. Checks that were still to start are already paid for.',
      {
        examples: [24],
      },
    ),
  }),
  relationships: {
    report: { description: 'Their report.', path: '/reports/{report_id}' },
  },
  self: 'never',
});

/** The attributes that name a common issue, by kind of check. */
const COMMON_ISSUES: TProperties = Object.fromEntries(
  ENGINES.map((engine) => [commonIssueName(engine), commonIssueSchema(engine)]),
);

function commonIssueName({ kind }: EngineDescription): string {
  return `common_${kind}_issue_id`;
}

function commonIssueSchema({ words, isPro }: EngineDescription) {
  const description = `Checks all web pages with this common ${words} issue again, except where it is muted.`;
  return Type.Optional(Type.String({ ...DECIMAL_ID, description, ...(isPro && PRO) }));
}

const NEW = Type.Object(
  {
    web_page_ids: Type.Optional(
      Type.Array(DECIMAL_ID, {
        minItems: 1,
        maxItems: recheckedPagesMax,
        description: `The ids of web pages of the report, at most ${recheckedPagesMax}.`,
      }),
    ),
    ...COMMON_ISSUES,
  },
  { additionalProperties: false },
);

interface Wanted {
  /** The attribute that names the pages. */
  readonly name: string;
  readonly pages: RecheckedPages;
}

/** @throws RequestError invalid if the attributes do not name pages in exactly one way */
function parseNew(attributes: Attributes): Wanted {
  const { web_page_ids: ids, ...common }: { web_page_ids?: string[] } & Attributes = readAttributes(NEW, attributes);
  const ways: Wanted[] = ENGINES.flatMap((engine) => {
    const name = commonIssueName(engine);
    const id = common[name];
    return id === undefined ? [] : [{ name, pages: { kind: engine.kind, commonIssueId: Number(id) } }];
  });
  if (ids !== undefined) ways.push({ name: 'web_page_ids', pages: { webPageIds: ids.map(Number) } });
  const [wanted, other] = ways;
  if (wanted === undefined) throw invalid('web_page_ids', "can't be blank without a common issue");
  if (other !== undefined) throw invalid(other.name, `cannot be combined with ${wanted.name}`);
  return wanted;
}

function invalid(name: string, title: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, title)]);
}

export const RECHECK_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/reports/{report_id}/rechecks',
    summary: 'Check web pages again',
    description:
      'Fetches all web pages with a common issue, or the given ones, and runs their enabled checks again, for the same credits: ' +
      'all of them, or none if the credits do not pay for all. Issues stay until new ones replace them. For those who can change the report.',
    additive: true,
    params: REPORT_PARAMS,
    query: NO_QUERY,
    answers: newOne(RECHECK),
    errors: ['credits_exhausted', 'forbidden'],
    body: { type: 'recheck', isNew: true, attributes: NEW, example: { common_html_issue_id: '4711' }, parse: parseNew },
    subject: reportToChange,
    async answer({ call, body, subject }) {
      const recheck = await recheckPages(call.db, subject.id, body.pages);
      if (recheck === null) {
        const isList = 'webPageIds' in body.pages;
        throw invalid(body.name, isList ? 'must be web pages of the report' : 'must be a common issue with web pages');
      }
      return created(
        resource(RECHECK, {
          id: randomUUID(),
          attributes: { num_web_pages: recheck.numWebPages, credits: recheck.credits },
          related: { report: call.links(`/reports/${subject.id}`) },
        }),
      );
    },
  }),
];
