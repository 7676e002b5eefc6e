import type { EngineDescription } from '../engine-description.ts';
import { interpretAxeAnswer } from './interpret-axe.ts';
import { A11Y_ISSUES } from './issues.ts';

/** The accessibility check: axe-core in Chromium. */
export const A11Y: EngineDescription = {
  kind: 'a11y',
  words: 'accessibility',
  title: 'Accessibility',
  about: 'Whether to check the accessibility of pages.',
  isDefault: false,
  isAdditive: false,
  isPro: true,
  isNamedByRule: true,
  isGraded: true,
  showsPages: true,
  dependsOn: 'browser',
  found: { error: 'accessibility violations', warning: 'issues that need review' },
  option: { name: 'a11y', help: 'check accessibility with axe-core' },
  issues: A11Y_ISSUES,
  aboutRaw: "axe's whole results: `violations`, `incomplete`, `passes`, `inapplicable`",
  texts: {
    // The `help` of the rule.
    message: 'engine',
    fields: {
      html: 'page',
      target: 'page',
      xpath: 'page',
      ancestry: 'page',
      data: 'page',
      message: 'sentence',
      failureSummary: 'sentence',
      failure_summary: 'sentence',
      id: 'engine',
      impact: 'engine',
      tags: 'engine',
      description: 'engine',
      help: 'engine',
      helpUrl: 'engine',
      testEngine: 'engine',
      testRunner: 'engine',
      testEnvironment: 'engine',
      toolOptions: 'engine',
      timestamp: 'engine',
      url: 'engine',
    },
  },
  interpret: interpretAxeAnswer,
  async createEngine({ browserPool, settleMs, a11yLimits = {} }) {
    const { createA11yEngine } = await import('./engine.ts');
    return createA11yEngine({ pool: browserPool, limits: { settleTimeoutMs: settleMs, ...a11yLimits } });
  },
};
