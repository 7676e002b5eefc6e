import { setTimeout as delay } from 'node:timers/promises';

/** A part that takes longer to answer is not ready: the caller wants to know now. */
const ANSWER_TIMEOUT_MS = 2_000;
/** Anyone may ask without a token, as often as they like, and an answer costs a validation and a question to the browser. */
const ANSWER_KEPT_MS = 2_000;

/**
 * Asks every part whether it is ready, each once at a time and at most once in `ANSWER_KEPT_MS`. A part that throws is not
 * ready.
 */
export function createReadiness(
  questions: Readonly<Record<string, () => Promise<unknown>>>,
): () => Promise<Record<string, boolean>> {
  const shared = Object.entries(questions).map(
    ([name, ask]) => [name, shareAnswer(async () => ask(), ANSWER_KEPT_MS)] as const,
  );
  const isReady = (answer: Promise<unknown>): Promise<boolean> =>
    Promise.race([answer.then(Boolean, () => false), delay(ANSWER_TIMEOUT_MS, false, { ref: false })]);
  return async () =>
    Object.fromEntries(await Promise.all(shared.map(async ([name, ask]) => [name, await isReady(ask())] as const)));
}

/**
 * A question that is asked once at a time, whoever asks. The answer is given to all who ask before it is there, or within
 * `keptMs` milliseconds after it. An error is given to those who wait for it, and not kept.
 */
export function shareAnswer<T>(ask: () => Promise<T>, keptMs: number): () => Promise<T> {
  let answer: Promise<T> | null = null;
  const forget = (): void => {
    answer = null;
  };
  return () => {
    if (answer === null) {
      answer = ask();
      answer.then(() => void setTimeout(forget, keptMs).unref(), forget);
    }
    return answer;
  };
}
