import Type from 'typebox';
import { CERTAINTIES, IMPACTS } from '../../domain/check.ts';
import type { FailOn } from '../../domain/fail-on.ts';
import { mutingMessageMaxCharacters } from '../../reports/definition/limits.ts';

export const budgetsMax = 100;

/** A limit on the number of occurrences. */
export interface ConfiguredBudget {
  /** For messages: `rule "image-alt"`, `warning`. */
  readonly title: string;
  /** A rule or message, or a count, as a name of `--fail-on`. */
  readonly of: { readonly message: string; readonly isByRule: boolean } | { readonly count: FailOn };
  readonly max: number;
}

const COUNTS = [...CERTAINTIES, ...IMPACTS.toReversed()] as const;

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: mutingMessageMaxCharacters, description, examples: [example] }));

export const BUDGET_SCHEMA = Type.Object(
  {
    rule: text('The full id of a rule, as in axe-core.', 'color-contrast'),
    message: text('A message or help text, or part of it.', 'Duplicate ID'),
    count: Type.Optional(
      Type.Enum([...COUNTS], {
        description: 'All issues of this severity or worse, as in `fail_on`.',
        examples: ['warning'],
      }),
    ),
    max: Type.Integer({
      minimum: 0,
      maximum: 999_999_999,
      description: 'How many occurrences are allowed.',
      examples: [12],
    }),
  },
  {
    additionalProperties: false,
    description: 'A maximum number of occurrences. Requires a rule, a message or a count.',
  },
);

/** Returns a budget from values that the schema accepts; null unless exactly one of rule, message and count is set. */
export function toBudget(values: Readonly<Record<string, unknown>>): ConfiguredBudget | null {
  const { rule, message, count, max } = values;
  const given = [rule, message, count].filter((value) => value !== undefined);
  if (given.length !== 1 || typeof max !== 'number') return null;
  const counted = COUNTS.find((name) => name === count);
  if (counted !== undefined) return { title: counted, of: { count: counted }, max };
  const isByRule = rule !== undefined;
  const wanted = String(isByRule ? rule : message);
  return { title: `${isByRule ? 'rule' : 'message'} "${wanted}"`, of: { message: wanted, isByRule }, max };
}
