/**
 * Shares a call: all callers get its result until `keptMs` milliseconds after it has resolved. An error goes to the callers that
 * wait for it, and is not kept.
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
