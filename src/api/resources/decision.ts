import Type from 'typebox';
import { owned } from '../../accounts/access.ts';
import { occurrenceTextMaxCharacters } from '../../checks/limits.ts';
import { engineOf } from '../../checks/registry.ts';
import { DECIDED_OCCURRENCES_MAX } from '../../domain/decision.ts';
import { count, DECIMAL_ID, fingerprint, nullable, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { changeDecision, DECISIONS_MAX, decide, undoDecision } from '../../reports/apply-decisions.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { inSnapshot } from '../../store/database.ts';
import {
  currentOccurrence,
  type DecisionRow,
  findDecision,
  findTarget,
  listDecisions,
} from '../../store/decisions/decisions.ts';
import { readSingleOccurrences } from '../../store/issues/occurrences.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import { findOwnSite } from '../../store/reports/shared-sites.ts';
import { storable } from '../../store/storable.ts';
import { ASSESSOR, NOTE, SCOPE, VERDICT } from '../attributes/decision-attributes.ts';
import { NAMED_ISSUE } from '../attributes/issue-type.ts';
import { PAGING_QUERY, REPORT_PARAMS } from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { shownOccurrence } from './occurrence.ts';
import { reportToChange } from './report.ts';

const DECISION = resourceType('decision', {
  description:
    'What a person has decided about issues of a site. It applies to the report in which it was made, to its later reports, and to results of re-checks.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    site_id: Type.With(UUID, { description: 'The site.' }),
    scope: SCOPE,
    verdict: VERDICT,
    note: Type.String(NOTE),
    assessor: Type.String(ASSESSOR),
    decided_at: Type.With(TIMESTAMP, { description: 'When it was made or last changed.' }),
    ...NAMED_ISSUE,
    fingerprint: fingerprint('the issue type', {}),
    markup: Type.String({
      description: `The start tag or other source code of the occurrence for which it was made, shortened to ${occurrenceTextMaxCharacters} characters.`,
      examples: ['<h1 class="hero">'],
    }),
    page_url: nullable(Type.String(), 'The page, with the scope `occurrence`; otherwise null.', { examples: [null] }),
    how_many: count(
      'Number of occurrences in the newest report of the site that it applies to. Updated in the background.',
      {
        examples: [12],
      },
    ),
  }),
  relationships: { site: { description: 'The site.', path: '/sites/{site_id}' } },
});

const NEW = Type.Object(
  {
    occurrence: Type.String({
      pattern: String.raw`^[1-9]\d{0,14}-\d{1,9}$`,
      description: 'The id of an occurrence of the report: the id of its issue and its position in it, from 0.',
      examples: ['4711-0'],
    }),
    scope: SCOPE,
    verdict: VERDICT,
    note: Type.Optional(Type.String({ ...NOTE, default: '' })),
    assessor: Type.Optional(
      Type.String({ ...ASSESSOR, description: 'Who decides. By default, the name of your account.' }),
    ),
  },
  { additionalProperties: false },
);

const CHANGES = Type.Object(
  {
    verdict: Type.Optional(VERDICT),
    note: Type.Optional(Type.String(NOTE)),
    assessor: Type.Optional(
      Type.String({ ...ASSESSOR, description: 'Who decides. By default, the name of your account.' }),
    ),
  },
  { additionalProperties: false },
);

const PARAMS = Type.Object({ decision_id: DECIMAL_ID });
const SITE_PARAMS = Type.Object({ site_id: UUID });

export const DECISION_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/reports/{report_id}/decisions',
    summary: 'Record a decision about an issue',
    description: `Records a decision about an occurrence of the report, its cause or its rule. Replaces an earlier decision about the same occurrence, cause or rule. Existing reports are updated in the background, from this one on. Only the owner of the site can decide. A site can have ${DECISIONS_MAX} decisions.`,
    pro: true,
    additive: true,
    params: REPORT_PARAMS,
    answers: newOne(DECISION),
    errors: ['forbidden'],
    body: {
      attributes: NEW,
      example: { occurrence: '4711-0', scope: 'cause', verdict: 'not_an_error', note: 'Decorative.' },
      parse: (given) => readAttributes(NEW, given),
    },
    subject: reportToChange,
    async answer({ call, subject, body }) {
      const { note = '', assessor, ...given } = body;
      const { occurrence, ...target } = await targetOf(call, subject, given);
      const { markup } = shownOccurrence(engineOf(target.kind), occurrence);
      const id = await decide(call.db, {
        ...target,
        ...{ verdict: given.verdict, note: note.trim(), markup: storable(markup) },
        assessor: await assessorOf(call, assessor),
      });
      return renderDecision(await ownDecision(call, { decision_id: String(id) }), call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}/decisions',
    summary: 'List the decisions about a site',
    description: 'Returns the newest first.',
    pro: true,
    additive: true,
    params: SITE_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(DECISION),
    subject: decidableSite,
    async answer({ call, subject, paging }) {
      return listed(await listDecisions(call.db, subject.id, paging), (decision) => renderDecision(decision, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/decisions/{decision_id}',
    summary: 'Get a decision',
    description: 'Returns a decision about one of your sites.',
    pro: true,
    additive: true,
    params: PARAMS,
    answers: one(DECISION),
    subject: ownDecision,
    answer: async ({ call, subject }) => renderDecision(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/decisions/{decision_id}',
    summary: 'Change a decision',
    description: 'Changes the given attributes. Existing reports are updated in the background.',
    pro: true,
    additive: true,
    params: PARAMS,
    answers: one(DECISION),
    body: { attributes: CHANGES, example: { verdict: 'error' }, parse: (given) => readAttributes(CHANGES, given) },
    subject: ownDecision,
    async answer({ call, subject, body }) {
      const { verdict, note, assessor } = body;
      await changeDecision(call.db, subject.id, {
        verdict,
        note: note?.trim(),
        assessor: await assessorOf(call, assessor),
      });
      return renderDecision(await ownDecision(call, { decision_id: String(subject.id) }), call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/decisions/{decision_id}',
    summary: 'Undo a decision',
    description: 'Restores what the checks found, after an update in the background.',
    pro: true,
    additive: true,
    params: PARAMS,
    answers: NOTHING,
    subject: ownDecision,
    answer: ({ call, subject }) => undoDecision(call.db, subject.id),
  }),
];

async function ownDecision({ db, viewer }: Call, params: { readonly decision_id: string }): Promise<DecisionRow> {
  return owned(viewer, await findDecision(db, Number(params.decision_id)));
}

async function decidableSite({ db, viewer }: Call, { site_id: id }: { readonly site_id: string }) {
  return owned(viewer, await findOwnSite(db, viewer.accountId, id));
}

/** Returns what a decision is about, with the occurrence for which it is made. */
async function targetOf(
  call: Call,
  report: ReportWithChecks,
  { occurrence: id, scope }: { readonly occurrence: string; readonly scope: DecisionRow['scope'] },
) {
  const { db } = call;
  const { id: siteId } = await decidableSite(call, report);
  const [issue = 0, position = 0] = id.split('-').map(Number);
  // Decisions that are being applied replace issues.
  const { occurrence, type } = await inSnapshot(db, async (trx) => {
    const named = await currentOccurrence(trx, report.id, { issue, position });
    if (named === undefined) return {};
    const [found] = await readSingleOccurrences(trx, [named]);
    return { occurrence: found, type: await findTarget(trx, report.id, named.issue) };
  });
  // A position after the last occurrence has no fingerprint.
  if (!occurrence?.fingerprint || type === undefined)
    throw invalid('occurrence', 'must be the id of an occurrence of the report; get the issue again if it has changed');
  if (scope !== 'rule' && type.how_many > DECIDED_OCCURRENCES_MAX)
    throw invalid(
      'scope',
      `must be rule, because the issue has more than ${DECIDED_OCCURRENCES_MAX} occurrences on the page`,
    );
  const { how_many: _, ...about } = type;
  return {
    ...{ ...about, site_id: siteId, scope, since_report: report.id, occurrence },
    cluster: scope === 'cause' ? Buffer.from(occurrence.cluster, 'hex') : null,
    page_url: scope === 'occurrence' ? occurrence.url : null,
    fingerprint: scope === 'occurrence' ? Buffer.from(occurrence.fingerprint, 'hex') : null,
  };
}

function invalid(name: string, title: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, title)]);
}

/** Returns the name of the person who decides. By default, it is the name of the account. */
async function assessorOf({ db, viewer }: Call, given: string | undefined): Promise<string> {
  const named = given?.trim() ?? '';
  if (named !== '') return named;
  const account = await findAccount(db, viewer.accountId);
  return account?.name ?? '';
}

function renderDecision(decision: DecisionRow, { links }: Call): Resource {
  const { id, site_id, scope, kind, verdict, note, assessor, message, rule_id, impact, markup, page_url, how_many } =
    decision;
  return resource(DECISION, {
    id,
    attributes: {
      ...{ site_id, scope, kind, verdict, note, assessor, message, rule_id, impact, markup, page_url, how_many },
      fingerprint: decision.type_fingerprint.toString('hex'),
      decided_at: utcTime(decision.decided_at),
    },
    related: { site: links(`/sites/${site_id}`) },
    self: links(`/decisions/${id}`),
  });
}
