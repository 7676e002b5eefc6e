import type { FastifyInstance } from 'fastify';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { deleteEndedTokens } from '../../store/api-tokens.ts';
import type { Database } from '../../store/database.ts';
import { deleteExpiredIdempotencyKeys } from '../../store/idempotency-keys.ts';
import { expiredRowsIntervalMs } from '../limits.ts';

/** Deletes expired answers and API tokens that ended some days ago, while the server listens. */
export function deleteExpiredRows(server: FastifyInstance, db: Database, log: Logger): void {
  let running: Promise<unknown> | null = null;
  const warn = (error: unknown): void => {
    log.warn({ reason: messageOf(error) }, 'Could not delete expired rows yet');
  };
  const run = (): void => {
    running = Promise.all([deleteExpiredIdempotencyKeys(db).catch(warn), deleteEndedTokens(db).catch(warn)]);
  };
  let timer: NodeJS.Timeout | undefined;
  server.addHook('onListen', async () => {
    run();
    timer = setInterval(run, expiredRowsIntervalMs);
  });
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await running;
  });
}
