import Type, { type Static } from 'typebox';
import { BASELINE_TAG, KEPT_REASONS, type KeptReason, type RetentionRule } from '../../domain/retention.ts';
import { count, flag, LIFE, UUID, UUID_PATTERN, webAddress } from '../../domain/schemas.ts';
import { attributeFaults, faultsMax } from '../../platform/attribute-faults.ts';
import { isObject } from '../../platform/json-object.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { previewRetention } from '../../reports/apply-retention.ts';
import { checkRules } from '../../reports/check-retention.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { inTransaction } from '../../store/database.ts';
import { readRules, reportsToShow, saveRules } from '../../store/reports/retained-reports.ts';
import { bodyEndpoint, endpoint, newOne, one } from '../http/endpoint.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { invalid } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const RULES_MAX = 50;
const TAG_CHARACTERS_MAX = 100;

const keep = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description, examples: [12] }));

const RULE = Type.Object(
  {
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TAG_CHARACTERS_MAX,
        description: 'The rule is for reports with this tag, ignoring case.',
        examples: ['client'],
      }),
    ),
    schedule_id: Type.Optional(
      Type.String({
        pattern: UUID_PATTERN,
        description: 'The rule is for the reports of this schedule.',
        examples: ['0d6f5a3e-8b1c-4c8e-9f5e-2a7d4b6c1e90'],
      }),
    ),
    keep_last: keep(
      'Keeps this many of the newest complete reports of each site, and reports that are newer than these.',
      10_000,
    ),
    keep_days: keep('Keeps the reports of this many days.', 36_500),
    keep_weekly: keep(
      'For each site, keeps one report per week, for this many weeks that have a report: the newest complete report, or the newest if none is complete.',
      10_000,
    ),
    keep_monthly: keep('For each site, keeps one report per month, for this many months that have a report.', 10_000),
    keep_yearly: keep('For each site, keeps one report per year, for this many years that have a report.', 1_000),
  },
  { additionalProperties: false },
);

const RULES = Type.Array(RULE, {
  maxItems: RULES_MAX,
  description:
    'A report is kept if any setting of an applicable rule keeps it. The rule of its schedule applies; without one, all rules of its tags; without these, the rule that has neither a schedule nor a tag. If no rule applies, the report is kept.',
});

const RETENTION = resourceType('retention', {
  description: `Which reports of the account are kept. Reports that are shared or running, or that have the tag \`${BASELINE_TAG}\`, are never deleted by rules. Neither are the newest report and the newest complete report of a site, nor reports that are needed to show what got worse.`,
  id: Type.String({ examples: ['retention'] }),
  attributes: Type.Object({ rules: RULES }),
  relationships: {},
  self: 'never',
});

const LISTED_MAX = 100;

const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  running: 'They have not ended, or their insights are still being computed.',
  shared: 'They are shared.',
  baseline: `They have the tag \`${BASELINE_TAG}\`.`,
  needed: 'They are needed to show what got worse on their site.',
  newest: 'They are the newest report or the newest complete report of their site.',
  no_rule: 'No rule applies to them.',
  last: '`keep_last`.',
  days: '`keep_days`.',
  weekly: '`keep_weekly`.',
  monthly: '`keep_monthly`.',
  yearly: '`keep_yearly`.',
};

const PREVIEW = resourceType('retention_preview', {
  description: 'What rules would delete now.',
  id: Type.String({ examples: ['preview'] }),
  attributes: Type.Object({
    num_reports: count('Reports that would be deleted.', { examples: [14] }),
    bytes: count('What that frees in the database, without indexes.', { examples: [120_000_000] }),
    bytes_at_most: flag('Whether `bytes` is only an upper bound: other reports may have the same documents.'),
    kept: Type.Object(
      Object.fromEntries(KEPT_REASONS.map((reason) => [reason, count(KEPT_WORDS[reason])])) as Record<
        (typeof KEPT_REASONS)[number],
        ReturnType<typeof count>
      >,
      { description: 'The number of reports that are kept, by the first reason that applies.' },
    ),
    deleted: Type.Array(
      Type.Object({
        report_id: Type.String({ ...UUID, description: 'The id of the report.' }),
        starting_url: webAddress('The starting URL.'),
        site_name: Type.String({ description: 'The name of its site. May be empty.', examples: ['Shop'] }),
        inserted_at: LIFE.inserted_at,
      }),
      { description: `The reports that would be deleted, the oldest first, at most ${LISTED_MAX}.` },
    ),
    disk: Type.String({ description: 'What happens to the space.', examples: ['New reports use the space again.'] }),
  }),
  relationships: {},
  self: 'never',
});

/** What deleting does not do. */
const DISK =
  'New reports reuse the space. The database files do not shrink. To return space to the disk, the operator must run VACUUM FULL.';

const BODY = Type.Object({ rules: RULES }, { additionalProperties: false });
const EXAMPLE = { rules: [{ keep_last: 12, keep_monthly: 24 }] };

export const RETENTION_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/retention',
    summary: 'Get your retention rules',
    description: 'Returns the rules that decide which reports of your account are kept.',
    additive: true,
    answers: one(RETENTION),
    answer: async ({ call }) => render(await readRules(call.db, call.viewer.accountId)),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/retention',
    summary: 'Replace your retention rules',
    description:
      'Reports that the rules do not keep are deleted within an hour, and every hour from then on. Preview the rules first.',
    additive: true,
    answers: one(RETENTION),
    body: { attributes: BODY, example: EXAMPLE, parse },
    async answer({ call, body }) {
      const { rules } = body;
      const { accountId } = call.viewer;
      await inTransaction(call.db, async (trx) => {
        // The lock keeps the schedules of the rules from being deleted.
        await lockAccount(trx, accountId);
        await checkRules(trx, accountId, rules);
        await saveRules(trx, accountId, rules);
      });
      return render(rules);
    },
  }),
  bodyEndpoint({
    method: 'POST',
    path: '/retention/previews',
    summary: 'Preview retention rules',
    description: 'Returns what the given rules would delete now. Changes nothing.',
    additive: true,
    ignoresKey: true,
    answers: newOne(PREVIEW),
    body: { attributes: BODY, example: EXAMPLE, parse },
    async answer({ call, body }) {
      const { db, viewer, clock } = call;
      await checkRules(db, viewer.accountId, body.rules);
      const preview = await previewRetention(db, viewer.accountId, body.rules, clock());
      const shown = await reportsToShow(db, preview.deleted.slice(0, LISTED_MAX));
      return resource(PREVIEW, {
        id: 'preview',
        attributes: {
          num_reports: preview.deleted.length,
          bytes: preview.bytes,
          bytes_at_most: preview.isUpperBound,
          kept: preview.kept,
          deleted: shown.map(({ id, starting_url, site_name, inserted_at }) => ({
            report_id: id,
            starting_url,
            site_name,
            inserted_at: utcTime(inserted_at),
          })),
          disk: DISK,
        },
      });
    },
  }),
];

/**
 * Returns the rules. Faults inside a rule name it and the attribute.
 * @throws RequestError invalid
 */
function parse(attributes: Attributes): Static<typeof BODY> {
  const { rules } = attributes;
  const given: readonly unknown[] = Array.isArray(rules) ? rules.slice(0, RULES_MAX) : [];
  const faults = given.flatMap((rule, index) =>
    isObject(rule) ? [...attributeFaults(RULE, rule, { parents: ['rules', String(index)] }).values()] : [],
  );
  if (faults.length > 0) throw invalid(faults.slice(0, faultsMax));
  return readAttributes(BODY, attributes);
}

function render(rules: readonly RetentionRule[]): Resource {
  return resource(RETENTION, { id: 'retention', attributes: { rules: rules.map((rule) => ({ ...rule })) } });
}
