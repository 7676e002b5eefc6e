import Type, { type Static } from 'typebox';
import { IMPACTS } from '../../domain/check.ts';
import { ADDITIVE, issueType, texts } from '../../domain/schemas.ts';
import type { CommonIssue } from '../../store/schema.ts';

/** What accessibility issues and common ones tell of the rule and its outcome. */
export const A11Y_RULE = Type.Object({
  issue_type: issueType(ADDITIVE),
  rule_id: Type.String({ description: 'The rule of axe.', examples: ['image-alt'], ...ADDITIVE }),
  help: Type.String({ description: 'What the rule asks for.', examples: ['Images must have alternative text'] }),
  help_url: Type.String({
    description: 'Where there is more about it, and how to mend it.',
    examples: ['https://dequeuniversity.com/rules/axe/4.14/image-alt'],
  }),
  impact: Type.Enum([...IMPACTS], { description: 'How much it hinders people.', examples: ['critical'] }),
  impact_order: Type.Integer({
    minimum: 1,
    maximum: IMPACTS.length,
    description: 'The same as a number, from 1 for minor to 4 for critical.',
    examples: [4],
  }),
  tags: texts("Axe's own tags of the rule: standards, success criteria, categories.", {
    examples: [['cat.text-alternatives', 'wcag2a', 'wcag111']],
  }),
});

type RuleColumns = 'issue_type' | 'rule_id' | 'message' | 'help_url' | 'impact' | 'impact_order' | 'tags';

export function ruleAttributes(issue: Pick<CommonIssue, RuleColumns>): Static<typeof A11Y_RULE> {
  return {
    issue_type: issue.issue_type,
    // The engine gives these to every issue; the columns are null for those of other engines.
    rule_id: issue.rule_id ?? '',
    help: issue.message,
    help_url: issue.help_url ?? '',
    impact: issue.impact ?? 'minor',
    impact_order: issue.impact_order,
    tags: issue.tags,
  };
}
