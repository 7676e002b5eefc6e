import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importLighthouse } from '../../src/commands/imports/lighthouse.ts';
import { importPa11y } from '../../src/commands/imports/pa11y.ts';
import { importVnuFilters } from '../../src/commands/imports/vnu-filters.ts';

describe('pa11y-ci', () => {
  test('takes URLs, ignored rules of axe and hidden elements', () => {
    const { urls, mutings, settings, remarks } = importPa11y(
      {
        defaults: {
          ignore: ['color-contrast', 'notice'],
          hideElements: '.ads',
          includeWarnings: true,
          runners: ['axe'],
        },
        urls: ['http://a.example/', { url: 'http://a.example/b', ignore: ['image-alt'] }],
      },
      '.pa11yci',
    );
    assert.deepEqual(urls, ['http://a.example/', 'http://a.example/b']);
    assert.deepEqual(mutings, [
      { rule: 'color-contrast', reason: 'Ignored in .pa11yci.' },
      { selector: '.ads', reason: 'Hidden in .pa11yci.' },
      { rule: 'image-alt', url: 'http://a.example/b', reason: 'Ignored in .pa11yci.' },
    ]);
    assert.deepEqual(settings, {
      ...{ perform_a11y_checks: true, perform_html_checks: false, fail_on: ['warning'] },
      ...{ standard: 'wcag21-aa', best_practices: true },
    });
    assert.deepEqual(remarks, []);
  });

  test('a threshold applies only to a site with one page', () => {
    const read = (urls: unknown[]) => importPa11y({ defaults: { threshold: 3 }, urls }, 'x');
    assert.equal(read(['http://a.example/']).settings['max_issues'], 3);
    const several = read(['http://a.example/', 'http://a.example/b']);
    assert.equal(several.settings['max_issues'], undefined);
    assert.match(several.remarks.join(), /^threshold is not imported: it applies to each page/);
  });

  test('says what is not imported, without secrets', () => {
    const { remarks } = importPa11y(
      {
        defaults: { headers: { Cookie: 'secret' }, ignore: ['WCAG2AA.Principle1'], nonsense: 1 },
        urls: [{ timeout: 3 }, { url: 'http://a.example/', actions: ['wait'], screenCapture: 'x' }],
      },
      'x',
    );
    assert.deepEqual(
      remarks.map((remark) => remark.replace(/ is not imported.*/, '')),
      [
        'urls has an entry without a URL, which is skipped: {"timeout":3}.',
        'Action 1 "wait" of http://a.example/',
        'ignore "WCAG2AA.Principle1"',
        'headers',
        'nonsense 1',
        'screenCapture of http://a.example/',
      ],
    );
    assert.doesNotMatch(remarks.join(), /secret/);
  });

  test('survives anything', () => {
    for (const values of [
      {},
      { urls: 'x', defaults: [] },
      { urls: [null, 1, []], defaults: { ignore: 3, hideElements: {} } },
    ])
      assert.ok(importPa11y(values, 'x'));
  });
});

describe('Lighthouse CI', () => {
  const axe = ['color-contrast', 'image-alt', 'link-name'];

  test('takes URLs, rules that are off and numbers that are allowed', () => {
    const assertions = {
      'color-contrast': 'off',
      'image-alt': ['error', { maxLength: 3 }],
      'link-name': 'warn',
      'categories:performance': 'error',
    };
    const values = {
      ci: { collect: { url: 'http://a.example/', settings: { preset: 'desktop' } }, assert: { assertions } },
    };
    const { urls, mutings, budgets, remarks } = importLighthouse(values, 'lighthouserc.json', axe);
    assert.deepEqual(urls, ['http://a.example/']);
    assert.deepEqual(mutings, [{ rule: 'color-contrast', reason: 'Off in lighthouserc.json.' }]);
    assert.deepEqual(budgets, [{ rule: 'image-alt', max: 3 }]);
    assert.match(remarks[0] ?? '', /^Assertions on categories:performance are not imported/);
    assert.match(remarks[1] ?? '', /^Assertions that only warn are not imported: link-name\./);
    assert.equal(remarks.length, 2);
  });

  test('says what is not imported, without secrets', () => {
    const collect = {
      staticDistDir: './dist',
      puppeteerScript: 'x.js',
      settings: { extraHeaders: { Cookie: 'secret' } },
    };
    const { remarks, notes } = importLighthouse(
      { ci: { collect, assert: { assertMatrix: [], budgetsFile: 'x' } } },
      'x',
      axe,
    );
    assert.equal(remarks.length, 5);
    assert.doesNotMatch(remarks.join(), /secret/);
    assert.match(notes.join(), /^Lighthouse emulates a phone/);
  });

  test('survives anything', () => {
    for (const ci of [
      null,
      [],
      { collect: 1, assert: 'x' },
      { collect: { url: [1, null] }, assert: { assertions: { 'image-alt': [] } } },
    ])
      assert.ok(importLighthouse({ ci }, 'x', axe));
  });
});

describe('filters of vnu', () => {
  const messages = (text: string) => importVnuFilters(text, 'filters.txt').mutings.map(({ message }) => message);

  test('takes expressions that look for one text', () => {
    assert.deepEqual(
      messages(
        [
          '# A comment',
          '',
          '.*Trailing slash on void elements.*',
          '^Stray end tag “div”.$',
          'not allowed\\. \\(yet\\)',
          'Duplicate ID|Empty heading',
          'Sentence one. Sentence two',
        ].join('\r\n'),
      ),
      [
        'Trailing slash on void elements',
        'Stray end tag “div”.',
        'not allowed. (yet)',
        'Duplicate ID',
        'Empty heading',
        'Sentence one. Sentence two',
      ],
    );
  });

  test('names the line of others', () => {
    const lines = ['Bad value .* for', '(a|b)', '\\w+', 'a.b', '.*', 'x\\', '[ab]', 'a|.*', 'a{2}'];
    const { mutings, remarks } = importVnuFilters(lines.join('\n'), 'filters.txt');
    assert.deepEqual(mutings, []);
    assert.deepEqual(
      remarks.map((remark) => remark.split(': ')[0]),
      lines.map((_, index) => `filters.txt:${index + 1}`),
    );
  });
});
