import assert from 'node:assert/strict';
import { applyNextBatch } from '../../src/reports/apply-mutings.ts';
import type { TestApi } from './api.ts';
import type { Seeded } from './seed.ts';

export const MUTINGS = '/api/v1/mutings';

export const addressOf = ({ reportId }: Seeded): string => `/api/v1/reports/${reportId}`;

/** Creates and deletes mutings with an API that starts later, and applies them to existing reports, as workers do. */
export function mutingsOf(api: () => TestApi) {
  const settle = async (): Promise<void> => {
    while (await applyNextBatch(api().db, 1));
  };
  return {
    settle,
    async mute(urlMatch: string, message: string, token = api().people.owner): Promise<string> {
      const reply = await api().send('POST', MUTINGS, { token, attributes: { url_match: urlMatch, message } });
      assert.equal(reply.status, 201, reply.text);
      await settle();
      return reply.document.data.id;
    },
    async unmute(id: string): Promise<void> {
      assert.equal((await api().send('DELETE', `${MUTINGS}/${id}`)).status, 204);
      await settle();
    },
    /** Common issues with how often and on how many pages they occur. */
    counts: async (path: string, token?: string) =>
      Object.fromEntries(
        (await api().walk(path, token)).map(({ attributes }) => [
          attributes.message ?? attributes.help,
          [attributes.how_many, attributes.num_web_pages],
        ]),
      ),
  };
}
