import { type ColorRules, colorRuleWords } from 'sitewarden-client/occurrences';

/** The style rules that set the colors of a text, or of the first of several, as far as they are known. */
export function StyleRules({ of, howMany = 1 }: { readonly of: ColorRules; readonly howMany?: number }) {
  const rules = colorRuleWords(of, howMany);
  if (rules.length === 0) return null;
  return (
    <span className="soft small">
      {rules.map(({ rule, use, declaration, sheet, inPage, isFirst }, index) => (
        <span key={`${rule.property} ${use}`}>
          {index === 0 ? null : '; '}
          {use === '' ? null : `${use} `}
          {declaration === null ? null : <code>{declaration}</code>} set by <code>{rule.selector}</code> in{' '}
          {sheet === null ? inPage : <code title={rule.url ?? undefined}>{sheet}</code>}
          {isFirst ? ' (first element)' : null}
        </span>
      ))}
    </span>
  );
}
