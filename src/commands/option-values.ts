import { InvalidArgumentError } from 'commander';
import { AppError } from '../platform/errors.ts';

/** Readers of the values of options. Those that Commander calls throw InvalidArgumentError, which says what they must be. */

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

export function wholeNumberFromZero(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}

export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

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
