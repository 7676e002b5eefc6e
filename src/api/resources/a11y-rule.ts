import Type, { type Static } from 'typebox';
import { IMPACTS } from '../../domain/check.ts';
import type { CommonIssue } from '../../store/schema.ts';
import { TAGS } from '../jsonapi/schemas.ts';

/** What accessibility issues and common ones tell of the rule and its outcome. */
export const A11Y_RULE = Type.Object({
  issue_type: Type.Enum(['error', 'warning']),
  rule_id: Type.String({ examples: ['image-alt'] }),
  help: Type.String({ examples: ['Images must have alternative text'] }),
  help_url: Type.String({ examples: ['https://dequeuniversity.com/rules/axe/4.14/image-alt'] }),
  impact: Type.Enum([...IMPACTS]),
  impact_order: Type.Integer({ minimum: 1, maximum: IMPACTS.length }),
  tags: TAGS,
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
