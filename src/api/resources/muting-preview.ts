import Type from 'typebox';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { count } from '../../domain/schemas.ts';
import { previewMuting } from '../../store/muting-preview.ts';
import { endpoint, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { mutingMessageMaxCharacters, urlMatchMaxCharacters } from './limits.ts';

const MUTING_PREVIEW = resourceType('muting_preview', {
  description: 'What a muting would match now in the latest reports. It is not stored.',
  id: Type.String({ examples: ['preview'] }),
  attributes: Type.Object({
    how_many: count('Number of places of issues that match, those that are muted already included.', {
      examples: [12],
    }),
    num_web_pages: count('Number of web pages with such issues.', { examples: [3] }),
    kinds: Type.Array(
      Type.Object({
        kind: Type.Enum([...CHECK_KINDS], { description: 'The kind of check.', examples: ['html'] }),
        message: Type.String({ description: 'Its message or help.', examples: ['Duplicate ID “main”.'] }),
        how_many: count('Number of its places that match.', { examples: [12] }),
      }),
      { description: 'The kinds of issue that match, at most the 10 with the most places.' },
    ),
    num_reports: count('Number of reports that were searched.', { examples: [1] }),
    num_web_pages_searched: count('Number of their web pages that were searched.', { examples: [25] }),
    complete: Type.Boolean({
      description: 'Whether the latest report of each starting URL was searched completely.',
      examples: [true],
    }),
  }),
  relationships: {},
  self: 'never',
});

const QUERY = Type.Object({
  url_match: Type.Optional(
    Type.String({
      maxLength: urlMatchMaxCharacters,
      description: 'As of a muting. Without it, all URLs match.',
      examples: ['example.com/blog'],
    }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: mutingMessageMaxCharacters,
      description: 'As of a muting. Without it, all messages match.',
      examples: ['Duplicate ID'],
    }),
  ),
});

export const MUTING_PREVIEW_ENDPOINT = endpoint({
  method: 'GET',
  path: '/mutings/preview',
  summary: 'Preview a muting',
  description:
    'Counts what a muting with these texts would match in your latest reports: the latest of each starting URL among your newest 200 reports, as many as have 5,000 web pages together.',
  pro: true,
  additive: true,
  query: QUERY,
  answers: one(MUTING_PREVIEW),
  async answer({ call, query }) {
    const texts = { urlMatch: query.url_match?.trim() ?? '', message: query.message?.trim() ?? '' };
    const { is_complete: complete, ...counts } = await previewMuting(call.db, call.viewer.accountId, texts);
    return resource(MUTING_PREVIEW, { id: 'preview', attributes: { ...counts, kinds: [...counts.kinds], complete } });
  },
});
