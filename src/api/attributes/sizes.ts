import Type from 'typebox';
import { ADDITIVE, count, nullable } from '../../domain/schemas.ts';

/** The storage that a report takes up. */
export const REPORT_SIZE = nullable(
  Type.Object({
    results: count('Bytes of its pages, checks and issues.', { examples: [1_200_000] }),
    documents: count('Bytes of documents that no older report of the site has.', { examples: [4_800_000] }),
    screenshots: count('Bytes of screenshots that no older report of the site has.', { examples: [0] }),
  }),
  'What the report takes up in the database, without indexes. Null until it is measured, a few seconds after it has ended.',
  ADDITIVE,
);

/** The storage that a page takes up. */
export const PAGE_SIZE = Type.Object(
  {
    results: count('Bytes of its checks and issues.', { examples: [12_000] }),
    document: count('Bytes of its document, even if other pages have the same document.', { examples: [9_000] }),
    screenshots: count('Bytes of its screenshots, even if other pages have the same screenshots.', { examples: [0] }),
  },
  { description: 'What the page takes up in the database, without indexes. Absent in lists.', ...ADDITIVE },
);
