import { AppError } from '../platform/errors.ts';

/**
 * The comma-separated words of an option's value, each once.
 * @throws AppError invalid_usage, which names the words that are allowed
 */
export function wordsOf<const Word extends string>(option: string, text: string, words: readonly Word[]): Word[] {
  const given = text.split(',').map((word) => word.trim());
  const found = given.flatMap((name) => {
    if (name === '') return [];
    const word = words.find((candidate) => candidate === name);
    if (word !== undefined) return [word];
    throw new AppError('invalid_usage', `${option} takes ${words.join(', ')}, not "${name}".`);
  });
  return [...new Set(found)];
}
