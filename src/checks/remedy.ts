import Type from 'typebox';
import { ADDITIVE, nullable } from '../domain/schemas.ts';

/** The attribute that says how to fix a kind of issue. */
export function remedy(example: string) {
  return nullable(Type.String(), 'How to fix it, in one or two sentences; null if only its message says it.', {
    examples: [example],
    ...ADDITIVE,
  });
}
