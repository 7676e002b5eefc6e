import type { CheckKind } from '../domain/check.ts';
import { interpretAxeAnswer } from './a11y/interpret-axe.ts';
import type { Interpretation } from './check-engine.ts';
import { interpretVnuAnswer } from './html/interpret.ts';

/** @throws CheckFailure when the checker says that it could not check the document, or the answer is none of its own */
type Interpret = (answer: Uint8Array, pageUrl: string) => Interpretation;

const INTERPRETERS: Readonly<Record<CheckKind, Interpret>> = { html: interpretVnuAnswer, a11y: interpretAxeAnswer };

/**
 * Judges what the engine of a kind collected: pure, and apart from the engines, so that threads of their own may do it.
 * @throws CheckFailure when the checker says that it could not check the document, or the answer is none of its own
 */
export function interpretAnswer(kind: CheckKind, answer: Uint8Array, pageUrl: string): Interpretation {
  return INTERPRETERS[kind](answer, pageUrl);
}
