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
