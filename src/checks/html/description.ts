import type { EngineDescription } from '../engine-description.ts';
import { interpretVnuAnswer } from './interpret.ts';
import { HTML_ISSUES } from './issues.ts';

/** The HTML check: the W3C's Nu Html Checker. */
export const HTML: EngineDescription = {
  kind: 'html',
  words: 'HTML',
  title: 'HTML',
  about: 'Whether to check the HTML of pages.',
  isDefault: true,
  isAdditive: false,
  isPro: false,
  isNamedByRule: false,
  isGraded: false,
  showsPages: false,
  dependsOn: 'validator',
  found: { error: 'HTML errors', warning: 'HTML warnings' },
  option: { name: 'html', help: 'skip the HTML check' },
  issues: HTML_ISSUES,
  aboutRaw: "the HTML validator's `url`, `messages` and `language`",
  texts: {
    message: 'sentence',
    fields: {
      extract: 'page',
      message: 'sentence',
      type: 'engine',
      subType: 'engine',
      language: 'engine',
      version: 'engine',
      url: 'engine',
    },
  },
  interpret: interpretVnuAnswer,
  async createEngine({ htmlConcurrency, vnuUrl, isLongLived, children, log }) {
    const { createHtmlEngine } = await import('./engine.ts');
    return createHtmlEngine({
      concurrency: htmlConcurrency,
      externalUrl: vnuUrl ?? undefined,
      compiler: isLongLived ? 'optimizing' : 'quick',
      children,
      logger: log,
    });
  },
};
