import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import axe from 'axe-core';
import { parse } from 'yaml';
import { criteriaOf, WCAG_CRITERIA } from '../../src/exports/wcag.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { A11Y_ISSUE_TYPES, ABOUT, element, GONE, HOME, seedSamplePath } from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into files freely; a wrong guess fails the test.
type Anything = any;

/** The members of OpenACR 0.1.0 in the export, as its JSON Schema defines them. */
const CONTACT = { type: 'object', required: ['email'], properties: { email: { type: 'string' } } };
const TEXT = { type: 'string' };
const CHAPTER = {
  type: 'object',
  required: ['criteria'],
  additionalProperties: false,
  properties: {
    criteria: {
      type: 'array',
      items: {
        type: 'object',
        required: ['num', 'components'],
        additionalProperties: false,
        properties: {
          num: TEXT,
          components: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name', 'adherence'],
              additionalProperties: false,
              properties: {
                name: { enum: ['web', 'electronic-docs', 'software', 'authoring-tool'] },
                adherence: {
                  type: 'object',
                  required: ['level'],
                  additionalProperties: false,
                  properties: {
                    level: {
                      enum: ['supports', 'partially-supports', 'does-not-support', 'not-applicable', 'not-evaluated'],
                    },
                    notes: TEXT,
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
const isOpenacr = new Ajv().compile({
  type: 'object',
  required: ['title', 'product', 'author', 'catalog', 'chapters'],
  additionalProperties: false,
  properties: {
    ...{ title: TEXT, report_date: TEXT, version: { type: 'integer' }, notes: TEXT, evaluation_methods_used: TEXT },
    product: { type: 'object', required: ['name'], properties: { name: TEXT, description: TEXT } },
    author: CONTACT,
    catalog: { const: '2.5-edition-wcag-2.2-en' },
    chapters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        success_criteria_level_a: CHAPTER,
        success_criteria_level_aa: CHAPTER,
        success_criteria_level_aaa: CHAPTER,
      },
    },
  },
});

/** The terms of EARL 1.0, Pointer Methods in RDF 1.0 and Dublin Core that make up an evaluation. */
const CLASSES = {
  earl: ['Assertion', 'Assertor', 'Software', 'TestSubject', 'TestCase', 'TestRequirement', 'TestResult'],
  ptr: ['EquivalentPointers', 'LineCharPointer', 'CSSSelectorPointer', 'ExpressionPointer'],
};
const PROPERTIES = {
  earl: ['assertedBy', 'subject', 'test', 'result', 'mode', 'outcome', 'pointer'],
  ptr: ['groupPointer', 'reference', 'lineNumber', 'charNumber', 'expression'],
  dct: ['title', 'description', 'date', 'hasVersion', 'isPartOf', 'source'],
};
const TERMS = Object.entries(CLASSES)
  .concat(Object.entries(PROPERTIES))
  .flatMap(([prefix, names]) => names.map((name) => `${prefix}:${name}`));

/** The beginning of the names of axe's rules. */
const RULE = 'urn:sitewarden:a11y:';

/** Yields all nodes of a document, at any depth. */
function* nodesIn(value: Anything): Generator<Record<string, Anything>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

describe('exports about conformance', () => {
  let api: TestApi;
  let path: string;
  before(async () => {
    api = await startApi();
    path = await seedSamplePath(api);
  });
  after(() => api?.close());

  test('earl: has only terms of the vocabulary, and a complete assertion for each issue type on a page', async () => {
    const { document } = await api.get(`${path}/export?format=earl`);
    const { '@context': context, '@graph': graph } = document;
    for (const node of nodesIn(graph)) {
      const types = [node['@type']].flat();
      const names = Object.keys(node).filter((name) => !name.startsWith('@'));
      for (const term of [...types, ...names]) assert.ok(TERMS.includes(context[term]?.['@id']), term);
    }
    const ids = new Set(graph.map((node: Anything) => node['@id']));
    const assertions = graph.filter((node: Anything) => node['@type'] === 'Assertion');
    for (const { assertedBy, subject, test: tested, mode, result } of assertions) {
      assert.ok([assertedBy, subject, tested].every((id) => ids.has(id)));
      assert.deepEqual([mode, result['@type']], ['earl:automatic', 'TestResult']);
    }
    const shown = assertions.map(({ subject, test: tested, result }: Anything) =>
      [subject, tested.replace(/(?<=_:html-)[0-9a-f]{32}$/, ''), result.outcome].join(' '),
    );
    assert.deepEqual(shown, [
      ...[`${HOME} _:html- earl:cantTell`, `${HOME} _:html- earl:failed`, `${HOME} _:html- earl:failed`],
      ...[`${HOME} ${RULE}color-contrast earl:failed`, `${HOME} ${RULE}image-alt earl:failed`],
      ...[`${ABOUT} _:a11y earl:untested`, `${ABOUT} _:html- earl:failed`, `${ABOUT} ${RULE}region earl:cantTell`],
      ...[`${GONE} _:html earl:untested`, `${GONE} _:a11y earl:untested`],
    ]);
    const contrast = graph.find((node: Anything) => node.title === 'color-contrast');
    assert.equal(contrast.source, A11Y_ISSUE_TYPES.contrast.helpUrl);
    assert.deepEqual(contrast.isPartOf, ['_:a11y', 'https://www.w3.org/TR/WCAG22/#contrast-minimum']);
    const [both, selector] = assertions[3].result.pointer;
    assert.deepEqual(both, {
      '@type': 'EquivalentPointers',
      groupPointer: [
        { '@type': 'LineCharPointer', reference: HOME, lineNumber: 3, charNumber: 7 },
        { '@type': 'CSSSelectorPointer', reference: HOME, expression: 'a' },
      ],
    });
    assert.equal(selector.expression, 'b');
  });

  test('openacr: is valid, and evaluates only failures', async () => {
    const document: Anything = parse((await api.get(`${path}/export?format=openacr`)).text);
    assert.ok(isOpenacr(document), JSON.stringify(isOpenacr.errors));
    const chapters: Anything[] = Object.values(document.chapters);
    const criteria = chapters.flatMap((chapter) => chapter.criteria);
    assert.equal(criteria.length, 87);
    const levels = Object.groupBy(criteria, ({ components: [{ adherence }] }: Anything) => adherence.level);
    assert.deepEqual(
      levels['does-not-support']?.map(({ num, components: [{ adherence }] }: Anything) => [num, adherence.notes]),
      [
        [
          '1.1.1',
          'Automated checks found failures on 1 of 1 page: Images must have alternative text (occurrences: 1, pages: 1).',
        ],
        [
          '1.4.3',
          'Automated checks found failures on 1 of 1 page: Elements must meet minimum color contrast (occurrences: 2, pages: 1).',
        ],
        // The stricter version of 1.4.3.
        [
          '1.4.6',
          'Automated checks found failures on 1 of 1 page: Elements must meet minimum color contrast (occurrences: 2, pages: 1).',
        ],
      ],
    );
    assert.equal(levels['not-evaluated']?.length, 84);
  });

  test('earl: links that were not requested are untested', async () => {
    const kind = {
      type: 'warning',
      ruleId: 'not_checked',
      message: 'Some links were not checked',
      tags: ['not checked'],
    } as const;
    const occurrences = [{ url: `${HOME}a`, final_url: `${HOME}a` }];
    const link = { status: 'checked', issues: [{ kind, occurrences }] } as const;
    const owned = { account_id: api.people.ownerId };
    const { reportId } = await seedReport(api.db, owned, ['link'], [{ url: HOME, checks: { link } }]);
    const { document } = await api.get(`/api/v1/reports/${reportId}/export?format=earl`);
    assert.equal(document['@graph'].at(-1).result.outcome, 'earl:untested');
  });

  test('openacr: issue types on different pages count together, and it says that the crawl ended early', async () => {
    const pages = [1, 2, 3, 4].map((number): SeedPage => {
      const kind = { ...A11Y_ISSUE_TYPES.imageAlt, message: `Kind ${number % 2}` };
      const a11y = { status: 'checked', issues: [{ kind, occurrences: [element('a')] }] } as const;
      return { url: `${HOME}${number}`, checks: { a11y } };
    });
    const crawlError = JSON.stringify({ code: 'report_stopped', params: {} });
    const stopped = { account_id: api.people.ownerId, crawl_error: crawlError };
    const { reportId } = await seedReport(api.db, stopped, ['a11y'], pages);
    const url = `/api/v1/reports/${reportId}/export?format=`;
    const { chapters }: Anything = parse((await api.get(`${url}openacr`)).text);
    const [{ components }] = chapters.success_criteria_level_a.criteria;
    assert.equal(components[0].adherence.level, 'does-not-support');
    assert.match(components[0].adherence.notes, /^Automated checks found failures on 4 of 4 pages/);
    for (const format of ['openacr', 'earl', 'html', 'md']) {
      assert.match((await api.get(url + format)).text, /The report was stopped before it was complete\./, format);
    }
  });

  test('every success criterion that axe tests is known', () => {
    const tags = axe.getRules().flatMap((rule) => rule.tags.filter((tag) => /^wcag\d{3,4}$/.test(tag)));
    assert.ok(tags.length > 50);
    for (const tag of tags) assert.equal(criteriaOf([tag]).length, 1, tag);
    assert.equal(new Set(WCAG_CRITERIA.map(({ url }) => url)).size, 87);
  });
});
