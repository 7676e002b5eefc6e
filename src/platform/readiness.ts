import { inTimeOr } from './in-time.ts';
import { shareAnswer } from './share-answer.ts';

/** A part that takes longer to respond is not ready. */
const ANSWER_TIMEOUT_MS = 2_000;
/** Anyone can ask without a token, as often as they like, and a check takes a validation and a request to the browser. */
const ANSWER_KEPT_MS = 2_000;

/**
 * Returns a function that asks all parts whether they are ready, each at most once in `ANSWER_KEPT_MS`. A part that throws is not
 * ready.
 */
export function createReadiness(
  questions: Readonly<Record<string, () => Promise<unknown>>>,
): () => Promise<Record<string, boolean>> {
  const shared = Object.entries(questions).map(
    ([name, ask]) => [name, shareAnswer(async () => ask(), ANSWER_KEPT_MS)] as const,
  );
  const isReady = (answer: Promise<unknown>): Promise<boolean> =>
    inTimeOr(answer.then(Boolean), ANSWER_TIMEOUT_MS, false);
  return async () =>
    Object.fromEntries(await Promise.all(shared.map(async ([name, ask]) => [name, await isReady(ask())] as const)));
}
