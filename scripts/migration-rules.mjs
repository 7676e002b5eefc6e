/**
 * Rules for migrations after the first release: processes of the release before must keep working on the new schema, and no table
 * may be locked for long. docs/decisions/0150-upgrades-without-downtime.md explains them.
 *
 * A migration makes an exception with a comment `-- allow RULE: reason`. What an earlier release still used may be dropped with
 * `-- allow drop: unused since VERSION`, where VERSION has been released.
 */
import { createdTables, isConcurrent, statementsIn } from '../src/store/migration-statements.ts';

const NULLABLE = /\bDEFAULT\b|\bGENERATED\b/i;
const SLOW_DEFAULT =
  /\bDEFAULT \(?(gen_random_uuid|uuidv\d|random|clock_timestamp|nextval)\b|\bGENERATED\b.*\b(STORED|IDENTITY)\b/i;

/** What an action of ALTER TABLE must not do. */
const ACTIONS = [
  ['drop', /^DROP (?!CONSTRAINT\b|NOT NULL\b)/i],
  ['rename', /^RENAME\b/i],
  ['type', /^ALTER (COLUMN )?"?\w+"? (SET DATA )?TYPE\b/i],
  ['not-null', /^ALTER (COLUMN )?"?\w+"? SET NOT NULL\b/i],
  ['default', /^ALTER (COLUMN )?"?\w+"? DROP DEFAULT\b/i],
  ['constraint', /^ADD (CONSTRAINT|CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)\b(?!.*\b(NOT VALID|USING INDEX)\b)/i],
];
/** What another statement must not do. */
const STATEMENTS = [
  ['drop', /^DROP (?!INDEX\b)/i],
  ['rename', /^ALTER (?!INDEX\b|TABLE\b).*\bRENAME\b/i],
  ['index', /^(CREATE (UNIQUE )?|DROP |RE)INDEX (?!CONCURRENTLY\b)/i],
  ['data', /^(UPDATE|DELETE|MERGE)\b|^INSERT INTO .*\bSELECT\b/i],
  ['lock', /^(LOCK|CLUSTER|VACUUM|TRUNCATE|REFRESH)\b/i],
  ['code', /^(DO|CALL)\b/i],
];

const ADVICE = {
  drop: 'drop it a release after the last one that used it, with "-- allow drop: unused since VERSION"',
  rename: 'add the new name, fill it, and drop the old one a release later',
  type: 'add another column',
  'not-null': 'the previous release inserts rows without a value; add a default',
  default: 'the previous release inserts rows without a value',
  rewrite: 'it writes the whole table again; add the column without this, and fill it in the background',
  constraint: 'add it NOT VALID and validate it in a further migration, or use an index that was built concurrently',
  index: 'use CONCURRENTLY, in a migration of its own',
  data: 'change many rows in the background, not in a migration',
  lock: 'it locks the table for long',
  code: 'what it executes cannot be checked',
  concurrent: 'a migration with CONCURRENTLY has only such statements, because it runs without a transaction',
  repeatable:
    'before CREATE INDEX CONCURRENTLY, use DROP INDEX CONCURRENTLY IF EXISTS, because a failed attempt leaves an invalid index',
};

/** Returns the faults of a migration after a release, as sentences. @param releases the last migration of each, by version */
export function migrationFaults(text, releases) {
  const statements = statementsIn(text);
  const created = new Set(createdTables(statements));
  const allowed = new Map([...text.matchAll(/^-- allow ([\w-]+): (.+)$/gm)].map(([, rule, reason]) => [rule, reason]));
  const broken = statements
    .filter((statement) => !created.has(tableOf(statement)))
    .flatMap((statement) => rulesBrokenBy(statement))
    .concat(concurrencyRules(statements));
  return [...new Set(broken)]
    .filter((rule) => !isAllowed(rule, allowed.get(rule), releases))
    .map((rule) => `breaks the rule "${rule}": ${ADVICE[rule]}.`);
}

function isAllowed(rule, reason, releases) {
  if (reason === undefined) return false;
  if (rule !== 'drop') return true;
  const [, version] = /^unused since (\d\S*)/.exec(reason) ?? [];
  return version !== undefined && version in releases;
}

function tableOf(statement) {
  const pattern =
    /^(?:ALTER TABLE|UPDATE|DELETE FROM|INSERT INTO|CREATE (?:UNIQUE )?INDEX(?: IF NOT EXISTS)?(?: "?\w+"?)? ON)(?: IF EXISTS)?(?: ONLY)? "?(\w+)"?/i;
  return pattern.exec(statement)?.[1];
}

function rulesBrokenBy(statement) {
  const [, actions] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?"?\w+"? (.*)$/is.exec(statement) ?? [];
  if (actions === undefined) return STATEMENTS.filter(([, pattern]) => pattern.test(statement)).map(([rule]) => rule);
  return actionsIn(actions).flatMap((action) => [
    ...ACTIONS.filter(([, pattern]) => pattern.test(action)).map(([rule]) => rule),
    ...columnRules(action),
  ]);
}

/** Of an action that adds a column. */
function columnRules(action) {
  if (!/^ADD (?!CONSTRAINT\b|CHECK\b|FOREIGN\b|UNIQUE\b|PRIMARY\b)/i.test(action)) return [];
  return [
    ...(/\bNOT NULL\b/i.test(action) && !NULLABLE.test(action) ? ['not-null'] : []),
    ...(SLOW_DEFAULT.test(action) ? ['rewrite'] : []),
    ...(/\b(UNIQUE|PRIMARY KEY|CHECK|REFERENCES)\b/i.test(action) ? ['constraint'] : []),
  ];
}

/** Splits the actions of ALTER TABLE at commas outside of parentheses. */
function actionsIn(text) {
  const actions = [''];
  let depth = 0;
  for (const part of text.match(/'(?:[^']|'')*'|[\s\S]/g) ?? []) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (part === ',' && depth === 0) actions.push('');
    else actions.push(actions.pop() + part);
  }
  return actions.map((action) => action.trim());
}

function concurrencyRules(statements) {
  if (!statements.some(isConcurrent)) return [];
  const created = statements.flatMap((statement, index) => {
    const [, name] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(statement) ?? [];
    return name === undefined ? [] : [{ name, before: statements.slice(0, index) }];
  });
  const isRepeatable = created.every(({ name, before }) =>
    before.some((statement) => new RegExp(`^DROP INDEX CONCURRENTLY IF EXISTS "?${name}"?$`, 'i').test(statement)),
  );
  return [...(statements.every(isConcurrent) ? [] : ['concurrent']), ...(isRepeatable ? [] : ['repeatable'])];
}
