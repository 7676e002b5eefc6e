import { type StyleRule as Rule, styleSheetOf } from 'sitewarden-client/occurrences';

/** The style rule that sets the color of a text, or of the first of several, if it is known. */
export function StyleRule({ rule, howMany = 1 }: { readonly rule: Rule | null; readonly howMany?: number }) {
  if (rule === null) return null;
  const sheet = styleSheetOf(rule);
  return (
    <span className="soft small">
      Color set by <code>{rule.selector}</code> in{' '}
      {sheet === null ? 'a style sheet in the page' : <code title={rule.url ?? undefined}>{sheet}</code>}
      {howMany > 1 ? ' (first element)' : null}
    </span>
  );
}
