import { useCallback, useRef } from 'react';
import { randomKey } from '../api/client.ts';

/**
 * Returns a function that gives the key of a request that creates something. Requests with equal content have the same key, so
 * that whoever submits a form again because the answer was lost creates one thing.
 */
export function useRequestKey(): (content: object) => string {
  const last = useRef({ text: '', key: '' });
  return useCallback((content) => {
    const text = JSON.stringify(content);
    if (last.current.text !== text) last.current = { text, key: randomKey() };
    return last.current.key;
  }, []);
}
