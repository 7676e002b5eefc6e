/** The causes of errors: what one edit fixes. Service and dashboard share these rules and words. */

/** Names in quotation marks, such as ids. Headings are elements: `h2` and `h3` are not rows of the same template. */
const QUOTED_NAME = /(["“])(?!h[1-6]["”])([A-Z_a-z][\w.:-]*)(["”])/g;

/**
 * Returns a message of the HTML validator without the numbers in its names: `Duplicate ID “item-*”.` A template writes such ids,
 * so messages that differ only in numbers have the same cause.
 */
export function withoutNumbers(message: string): string {
  return message.replaceAll(QUOTED_NAME, (_, open: string, name: string, close: string) => {
    return `${open}${name.replaceAll(/[0-9]+/g, '*')}${close}`;
  });
}

/** Maximum number of other issue types that are listed with a cause. */
export const alsoFixedMax = 50;

interface OtherIssue {
  readonly kind: string;
  readonly message: string;
}

/** What the edit of a fix also fixes. */
export interface AlsoFixed<Other extends OtherIssue> {
  /** Issues that other checks report for the same elements. */
  readonly otherChecks: readonly Other[];
  /** Issues of the same check whose messages differ from the message of the fix in numbers only. */
  readonly numbered: readonly Other[];
  /** Other issues of the same check. */
  readonly others: readonly Other[];
}

export function alsoFixedBy<Other extends OtherIssue>(
  fix: OtherIssue & { readonly also: readonly Other[] },
): AlsoFixed<Other> {
  const message = withoutNumbers(fix.message);
  const ofCheck = fix.also.filter(({ kind }) => kind === fix.kind);
  return {
    otherChecks: fix.also.filter(({ kind }) => kind !== fix.kind),
    numbered: ofCheck.filter((other) => withoutNumbers(other.message) === message),
    others: ofCheck.filter((other) => withoutNumbers(other.message) !== message),
  };
}

/** Returns `12 more messages that differ only in numbers`; more than are listed are `at least 50`. */
export function numberedWords(numbered: number): string {
  const howMany = numbered >= alsoFixedMax ? `at least ${numbered}` : String(numbered);
  return `${howMany} more ${numbered === 1 ? 'message that differs' : 'messages that differ'} only in numbers`;
}
