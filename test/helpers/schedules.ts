import assert from 'node:assert/strict';
import type { Item, Reply, TestApi } from './api.ts';
import { HOME } from './sample-report.ts';

export const SCHEDULES = '/api/v1/schedules';

/** Creates and changes schedules with an API that starts later. `create` and `change` must succeed. */
export function schedulesOf(api: () => TestApi) {
  const post = (attributes: object, token?: string): Promise<Reply> =>
    api().send('POST', SCHEDULES, { attributes, ...(token && { token }) });
  const patch = (id: string, attributes: object): Promise<Reply> =>
    api().send('PATCH', `${SCHEDULES}/${id}`, { attributes });
  return {
    post,
    patch,
    async create(attributes: object = {}, token?: string): Promise<Item> {
      const reply = await post({ starting_url: HOME, periodicity: { every: 'day' }, ...attributes }, token);
      assert.equal(reply.status, 201, reply.text);
      return reply.document.data;
    },
    async change(id: string, attributes: object): Promise<Item> {
      const reply = await patch(id, attributes);
      assert.equal(reply.status, 200, reply.text);
      return reply.document.data;
    },
  };
}
