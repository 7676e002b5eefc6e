import { useEffect, useState } from 'react';

const typingMs = 150;

/**
 * Returns a text once it has not changed for a moment.
 * @param afterMs that moment; longer if the work that follows takes longer
 */
export function useSettled(text: string, afterMs = typingMs): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text, afterMs]);
  return settled;
}
