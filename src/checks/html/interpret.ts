import type { FoundIssue, IssueType, RawCheck } from '../../domain/check.ts';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { Interpretation } from '../check-engine.ts';
import { rawCheckMaxCharacters } from '../limits.ts';
import { tagsOf } from './tags.ts';
import { parseVnuOutput, type VnuMessage, type VnuOutput } from './vnu-output.ts';

/** A place of an HTML issue, with the names of the API. */
interface HtmlOccurrence {
  readonly extract: string;
  readonly coordinates: {
    /** 0 for messages about the whole document. */
    readonly first_line: number;
    readonly last_line: number;
    readonly first_column: number | null;
    readonly last_column: number;
    readonly hilite_start: number;
    readonly hilite_length: number;
  };
  readonly [key: string]: string | HtmlOccurrence['coordinates'];
}

/** @throws CheckFailure when the validator could not check the document, or the answer is not from a validator */
export function interpretVnuAnswer(answer: Uint8Array, pageUrl: string): Interpretation {
  const output = parseVnuOutput(answer);
  const failure = output.messages.find((message) => message.type === 'non-document-error');
  // Permanent: the validator fetches nothing, so the same document would fail again.
  if (failure !== undefined)
    throw new CheckFailure({ code: 'validator_gave_up', params: { text: failure.message } }, { permanent: true });
  return {
    issues: interpretVnuOutput(output, pageUrl),
    notes: [],
    engineVersion: output.version === undefined ? null : `vnu ${output.version}`,
    rawCheck: () => rawHtmlCheck({ url: pageUrl, ...withoutUrl(output) }, rawCheckMaxCharacters),
  };
}

function withoutUrl({ url: _, ...rest }: VnuOutput): Omit<VnuOutput, 'url'> {
  return rest;
}

/**
 * Returns the issues in the validator's output: one for each type, subtype and message, in the order of their first occurrence,
 * with places in document order.
 */
export function interpretVnuOutput(raw: VnuOutput, pageUrl: string): readonly FoundIssue[] {
  const kinds = new Map<string, { first: VnuMessage; occurrences: HtmlOccurrence[] }>();
  for (const message of raw.messages) {
    const key = JSON.stringify([...classify(message), message.message]);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { first: message, occurrences: [occurrenceOf(message)] });
    else known.occurrences.push(occurrenceOf(message));
  }
  return [...kinds.values()].map(({ first, occurrences }) => {
    const [type, subType] = classify(first);
    return {
      type,
      subType,
      message: first.message,
      ruleId: null,
      helpUrl: null,
      impact: null,
      tags: tagsOf(first.message),
      url: pageUrl,
      howMany: occurrences.length,
      occurrences,
    };
  });
}

/** Errors keep their subtype. An info with the subtype `warning` is a warning, and any other info a warning with the subtype `info`. */
function classify(message: VnuMessage): readonly [type: IssueType, subType: string | null] {
  if (message.type !== 'info') return ['error', message.subType ?? null];
  return ['warning', message.subType === 'warning' ? null : 'info'];
}

function occurrenceOf(message: VnuMessage): HtmlOccurrence {
  const lastLine = message.lastLine ?? 0;
  return {
    extract: message.extract ?? '',
    coordinates: {
      first_line: message.firstLine ?? lastLine,
      last_line: lastLine,
      first_column: message.firstColumn ?? null,
      last_column: message.lastColumn ?? 0,
      hilite_start: message.hiliteStart ?? 0,
      hilite_length: message.hiliteLength ?? 0,
    },
  };
}

/** Returns the validator's output unchanged, or with only the first messages if it is too large. */
export function rawHtmlCheck(output: VnuOutput, maxCharacters: number): RawCheck {
  let charactersLeft = maxCharacters - JSON.stringify({ ...output, messages: [] }).length;
  const messages = output.messages.filter((message) => {
    charactersLeft -= JSON.stringify(message).length + 1;
    return charactersLeft >= 0;
  });
  return { json: JSON.stringify({ ...output, messages }), omitted: output.messages.length - messages.length };
}
