import Type from 'typebox';
import { readTime } from '../../domain/read-time.ts';
import { isSelector } from '../../page-source/select-elements.ts';
import {
  commentMaxCharacters,
  mutingMessageMaxCharacters,
  selectorMaxCharacters,
  urlMatchMaxCharacters,
} from '../../reports/definition/limits.ts';
import type { ReportMuting } from '../../store/mutings/report-bound-mutings.ts';

export const mutingsMax = 1_000;

/** A muting of the file. */
export interface ConfiguredMuting extends ReportMuting {
  /** What it mutes, for messages: `rule "image-alt" in ".banner"`. */
  readonly title: string;
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
  /** Its line in the file, from 1. */
  readonly line: number;
  /** Whether it applies to all sites. */
  readonly isCommon: boolean;
}

const text = (maxCharacters: number, description: string, example: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({ description, examples: [example] }),
      (value) => value.trim() !== '' && value.length <= maxCharacters,
      () => `must have 1 to ${maxCharacters} characters`,
    ),
  );

export const MUTING_SCHEMA = Type.Object(
  {
    rule: text(mutingMessageMaxCharacters, 'The full id of a rule, as in axe-core.', 'color-contrast'),
    message: text(
      mutingMessageMaxCharacters,
      'A message or help text, or part of it. Case is ignored, and straight and typographic quotes are treated as equal.',
      'Duplicate ID',
    ),
    selector: Type.Optional(
      Type.Refine(
        Type.String({
          description:
            'A CSS selector: only issues in matching elements and their descendants are muted. Elements created by scripts are matched by their own start tag and by the selector in the report.',
          examples: ['.cookie-banner'],
        }),
        (value) => value.length <= selectorMaxCharacters && isSelector(value),
        () => `must be a CSS selector of at most ${selectorMaxCharacters} characters, without states such as :hover`,
      ),
    ),
    url: text(urlMatchMaxCharacters, 'A URL, or part of a URL: only issues on matching pages are muted.', '/blog/'),
    reason: Type.Refine(
      Type.String({
        description: 'Why these issues are accepted.',
        examples: ['The banner will be replaced in March.'],
      }),
      (value) => value.trim() !== '' && value.length <= commentMaxCharacters,
      () => `must have 1 to ${commentMaxCharacters} characters: explain why these issues are accepted`,
    ),
    expires: Type.Optional(
      Type.Refine(
        Type.String({
          description:
            'When the issues count again: after the end of a date (UTC), or at a time in ISO 8601. If absent, never.',
          examples: ['2199-12-31'],
        }),
        (value) => readTime(value).problem === null,
        (value) => readTime(typeof value === 'string' ? value : null).problem ?? '',
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'Issues that do not count. A muting requires a rule, a message or a selector.',
  },
);

/**
 * Returns a muting from values that the schema accepts; null if they have none of these: rule, message, selector; or both a rule
 * and a message.
 */
export function toMuting(
  values: Readonly<Record<string, unknown>>,
  place: Pick<ConfiguredMuting, 'line' | 'isCommon'>,
): ConfiguredMuting | null {
  const textAt = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value.trim() : null;
  };
  const [rule, message, selector] = [textAt('rule'), textAt('message'), textAt('selector')];
  if ((rule ?? message ?? selector) === null || (rule !== null && message !== null)) return null;
  const what = rule !== null ? `rule "${rule}"` : message !== null ? `message "${message}"` : 'everything';
  return {
    ...place,
    title: selector === null ? what : `${what} in "${selector}"`,
    urlMatch: textAt('url') ?? '',
    message: rule ?? message ?? '',
    isByRule: rule !== null,
    selector,
    comment: textAt('reason') ?? '',
    expiresAt: readTime(textAt('expires')).value,
  };
}

export function isExpired({ expiresAt }: ConfiguredMuting, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}
