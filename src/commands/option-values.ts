import { InvalidArgumentError } from 'commander';

/** Parsers of the values of options. Each throws InvalidArgumentError, whose message says what the value must be. */

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
