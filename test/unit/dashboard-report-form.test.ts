import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditsOfPage, priceOf } from '../../packages/client/price.ts';
import { accessIn, settingsIn } from '../../web/src/lib/form-attributes.ts';
import { withLabel } from '../../web/src/lib/labels.ts';

function form(values: Readonly<Record<string, string | readonly string[]>>): FormData {
  const fields = new FormData();
  for (const [name, given] of Object.entries(values)) {
    for (const value of [given].flat()) fields.append(name, value);
  }
  return fields;
}

test('the settings of a form are attributes of a report', () => {
  const fields = form({
    starting_url: 'bakery.example',
    max_pages: '50',
    rate_limit: 'many',
    perform_html_checks: 'on',
    tags: 'shop, autumn',
    inclusions: '/shop/\nhttps://bakery.example/help/',
    exclusions: '/a/\n\n /b/ ',
    initial_urls: '',
    device_id: '',
  });
  const settings = settingsIn(fields, true);
  assert.equal(settings['starting_url'], 'https://bakery.example');
  assert.equal(settings['max_pages'], 50);
  // The service refuses what is not a number, and names the field.
  assert.equal(settings['rate_limit'], 'many');
  assert.equal(settings['perform_html_checks'], true);
  assert.equal(settings['perform_a11y_checks'], false);
  assert.deepEqual(settings['inclusions'], ['/shop/', 'https://bakery.example/help/']);
  assert.deepEqual(settings['exclusions'], ['/a/', '/b/']);
  assert.equal(settings['device_id'], 'default');
  assert.ok(!('perform_a11y_checks' in settingsIn(fields, false)), 'A free plan would be refused for a Pro attribute.');
});

test('credentials are sent only if they were typed, and removed only on request', () => {
  const empty = { basic_auth: ['', ''], headers: '', cookies: ' ' };
  assert.deepEqual(accessIn(form(empty)).attributes, {});
  assert.deepEqual(accessIn(form({ ...empty, forget_access: 'on' })).attributes, {
    basic_auth: null,
    headers: null,
    cookies: null,
    login: null,
  });
  assert.deepEqual(accessIn(form({ ...empty, basic_auth: ['ada', 'pass word'], cookies: 'a=1; b=2' })).attributes, {
    basic_auth: { username: 'ada', password: 'pass word' },
    cookies: { a: '1', b: '2' },
  });
  assert.deepEqual(
    accessIn(form({ ...empty, headers: 'nothing', cookies: 'nothing' })).problems.map(({ field }) => field),
    ['headers', 'cookies'],
  );
});

test('the price covers all pages, with the cost of each kind of check', () => {
  const price = priceOf({
    max_pages: 100,
    perform_html_checks: true,
    perform_a11y_checks: true,
    store_raw_html_checks: true,
    store_raw_link_checks: true,
    dynamic_crawler: true,
  });
  assert.deepEqual(
    price.parts.map(({ title, credits }) => [title, credits]),
    [
      ['HTML', 1],
      ['Accessibility', 1],
      ['Raw results', 1],
      ['Rendering', 1],
    ],
  );
  assert.equal(price.total, 400);
  const journeys = [{ name: 'Shop', steps: [{ open: '/' }, { check: 'Start' }, { check: 'End' }] }];
  assert.equal(priceOf({ max_pages: 10, journeys, dynamic_crawler: true }).total, 22, 'marks are not rendered');
  assert.equal(priceOf({ max_pages: 10, journeys, only_journeys: true }).total, 2);
  assert.equal(priceOf({ max_pages: 'many', perform_html_checks: true }).total, 0);
  assert.equal(creditsOfPage({}), 1, 'HTML checks are on unless they are turned off');
});

test('an error names the label of its field', () => {
  assert.equal(withLabel("Starting url can't be blank", 'starting_url'), "Address can't be blank");
  assert.equal(withLabel('Tags must be at most 32 tags', 'tags'), 'Tags must be at most 32 tags');
  assert.equal(withLabel('There are not enough credits left.', null), 'There are not enough credits left.');
});
