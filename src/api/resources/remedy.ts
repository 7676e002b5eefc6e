import Type from 'typebox';
import { ADDITIVE, nullable } from '../../domain/schemas.ts';

/** The attribute of issues and common issues that says how to fix them. */
export const REMEDY = {
  remedy: nullable(Type.String(), 'How to fix it, in one or two sentences; null if only its message says it.', {
    examples: ['Give each element its own ID, and change the labels, links and scripts that refer to it.'],
    ...ADDITIVE,
  }),
};
