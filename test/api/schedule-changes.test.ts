import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { HOME } from '../helpers/sample-report.ts';
import { SCHEDULES, schedulesOf } from '../helpers/schedules.ts';

describe('changes of schedules', () => {
  let api: TestApi;
  // A Wednesday.
  let now = new Date('2028-02-16T10:30:00Z');

  before(async () => {
    api = await startApi({ clock: () => now });
  });
  beforeEach(() => {
    now = new Date('2028-02-16T10:30:00Z');
  });
  after(() => api?.close());

  const { create, patch, change } = schedulesOf(() => api);

  test('PATCH changes only the given attributes', async () => {
    const made = await create({ tags: 'a', max_pages: 5, periodicity: { every: 'week', weekday: 'friday' } });
    const { updated_at: _, ...before } = made.attributes;
    const changes = { starting_url: 'https://example.org/', rate_limit: 3, perform_a11y_checks: true, shared: true };
    const { updated_at: __, ...attributes } = (await change(made.id, { ...changes, tags: ['b', 'c'] })).attributes;
    assert.deepEqual(attributes, { ...before, ...changes, tags: ['b', 'c'] });
    assert.deepEqual((await change(made.id, { initial_urls: HOME, exclusions: '' })).attributes.initial_urls, [HOME]);
    assert.deepEqual((await change(made.id, { inclusions: '/shop/' })).attributes.inclusions, ['/shop/']);
    assert.deepEqual((await change(made.id, {})).attributes.tags, ['b', 'c']);
    await change(made.id, { store_raw_html_checks: true });
    const { store_raw_html_checks, store_raw_a11y_checks } = (await change(made.id, { store_raw_a11y_checks: true }))
      .attributes;
    assert.deepEqual([store_raw_html_checks, store_raw_a11y_checks], [true, true]);
  });

  test('PATCH changes the next run only with periodicity and active', async () => {
    const { id } = await create({ periodicity: { every: 'week', weekday: 'friday' } });
    const nextRun = async (attributes: object) => (await change(id, attributes)).attributes.next_run_at;
    now = new Date('2028-02-20T00:00:00Z');
    // It stays due: the run must not be lost.
    assert.equal(await nextRun({ tags: 'x' }), '2028-02-18T00:00:00');
    assert.equal(await nextRun({ periodicity: { every: 'week', weekday: 'friday' } }), '2028-02-18T00:00:00');
    assert.equal(await nextRun({ time_of_day: null, time_zone: 'Asia/Tokyo', spread: false }), '2028-02-18T00:00:00');
    assert.equal(await nextRun({ active: false }), null);
    assert.equal(await nextRun({ periodicity: { every: 'month', monthday: 20 } }), null);
    assert.equal(await nextRun({ active: true }), '2028-03-20T00:00:00');
    assert.equal(await nextRun({ periodicity: { every: 'day' } }), '2028-02-21T00:00:00');
    assert.equal(await nextRun({ periodicity: { every: 'deploy' } }), null);
    assert.equal(await nextRun({ periodicity: { every: 'week' } }), '2028-02-21T00:00:00');
    assert.equal(await nextRun({ periodicity: null }), null);
  });

  test('PATCH rejects invalid values, and disabling every check', async () => {
    const { id, attributes: before } = await create({ perform_a11y_checks: true });
    const errors = async (attributes: object) =>
      (await patch(id, attributes)).errors.map((error) => error.replace('422 invalid /data/attributes/', ''));
    assert.deepEqual(await errors({ periodicity: { weekday: 'friday' } }), ['periodicity/every']);
    assert.deepEqual(await errors({ periodicity: { every: 'week', weekday: 5 }, max_pages: '1' }), [
      'max_pages',
      'periodicity/weekday',
    ]);
    assert.deepEqual(await errors({ starting_url: '', colour: 'red' }), ['colour', 'starting_url']);
    assert.deepEqual(await errors({ next_run_at: null }), ['next_run_at']);
    assert.deepEqual(await errors({ perform_html_checks: false, perform_a11y_checks: false }), ['perform_html_checks']);
    assert.deepEqual((await api.get(`${SCHEDULES}/${id}`)).document.data.attributes, before);
    await change(id, { perform_html_checks: false });
    assert.deepEqual(await errors({ perform_a11y_checks: false }), ['perform_a11y_checks']);
    await change(id, { perform_html_checks: true, perform_a11y_checks: false });
  });

  test('concurrent changes do not undo each other', async () => {
    const { id } = await create();
    await Promise.all(
      [{ max_pages: 11 }, { rate_limit: 12 }, { tags: 'x' }, { shared: true }].map((one) => change(id, one)),
    );
    const { max_pages, rate_limit, tags, shared } = (await api.get(`${SCHEDULES}/${id}`)).document.data.attributes;
    assert.deepEqual(
      { max_pages, rate_limit, tags, shared },
      { max_pages: 11, rate_limit: 12, tags: ['x'], shared: true },
    );
  });
});
