import { useEffect, useState } from 'react';

const typingMs = 150;

/** Returns a text once it has not changed for a moment. @param afterMs longer if what follows takes longer */
export function useSettled(text: string, afterMs = typingMs): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text, afterMs]);
  return settled;
}
