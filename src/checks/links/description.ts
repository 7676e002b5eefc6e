import type { EngineDescription } from '../engine-description.ts';
import { interpretLinks } from './interpret.ts';
import { LINK_ISSUES } from './issues.ts';

/** The link check: requests the links of pages, to find those that do not work. */
export const LINKS: EngineDescription = {
  kind: 'link',
  words: 'link',
  title: 'Links',
  about: 'Whether to request the links of pages, to find those that do not work.',
  isDefault: false,
  isAdditive: true,
  isPro: false,
  isNamedByRule: false,
  isGraded: false,
  showsPages: false,
  dependsOn: null,
  found: { error: 'broken links', warning: 'links that could not be checked' },
  option: { name: 'links', help: 'check that links work, including those to other sites' },
  issues: LINK_ISSUES,
  aboutRaw: 'the `links` of the page, each with its `answer`',
  texts: {
    // Contains the URL of the link.
    message: 'page',
    fields: { kind: 'engine', reason: 'engine' },
  },
  interpret: interpretLinks,
  async createEngine({ httpClient, limiters }) {
    const { createLinkEngine } = await import('./engine.ts');
    return createLinkEngine({ httpClient, limiters });
  },
};
