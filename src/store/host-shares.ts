import { sql } from 'kysely';
import { claimSlots, type HostShare, type HostShares } from '../domain/host-share.ts';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Database } from './database.ts';

/** How long the first turn at a host stays with one process, where not every one can have a share. */
const FIRST_TURN_S = 5;

/** Who holds which shares, in the database. */
export function createHostShares(db: Database): HostShares {
  return {
    async beginLease(leaseMs) {
      const { rows } = await sql<{ id: number }>`
        INSERT INTO host_lessees (valid_until) VALUES (${after(leaseMs)}) RETURNING id`.execute(db);
      const id = rows[0]?.id;
      if (id === undefined) throw new Error('A lease got no id.');
      return id;
    },
    async renewLease(lesseeId, { leaseMs, requestsPerSecond }) {
      const { rows } = await sql<{ contended: string[] }>`
        UPDATE host_lessees SET valid_until = ${after(leaseMs)} WHERE id = ${lesseeId}
        RETURNING ARRAY(
          SELECT host FROM host_shares WHERE host IN (SELECT host FROM host_shares WHERE lessee_id = ${lesseeId})
          GROUP BY host HAVING sum(wanted) > ${requestsPerSecond}
        ) AS contended`.execute(db);
      return rows[0]?.contended ?? null;
    },
    async endLease(lesseeId) {
      await sql`UPDATE host_lessees SET valid_until = clock_timestamp() WHERE id = ${lesseeId}`.execute(db);
    },
    async removeEndedLeases(aftermathMs) {
      await sql`DELETE FROM host_lessees WHERE valid_until < ${after(-aftermathMs)}`.execute(db);
    },
    async take(host, requestsPerSecond, claim) {
      const { lesseeId, reports, wanted } = claim;
      return db.transaction().execute(async (trx) => {
        await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.host}, hashtext(${host}))`.execute(trx);
        const { rows: shares } = await sql<HostShare & { turn: number }>`
          SELECT lessee_id AS "lesseeId", reports, wanted, slots,
            floor(extract(epoch FROM clock_timestamp()) / ${FIRST_TURN_S})::integer AS turn
          FROM host_shares WHERE host = ${host}`.execute(trx);
        const { slots, due } = claimSlots(requestsPerSecond, shares, claim, shares[0]?.turn ?? 0);
        if (slots === 0 && reports === 0) {
          await trx.deleteFrom('host_shares').where('host', '=', host).where('lessee_id', '=', lesseeId).execute();
        } else {
          await trx
            .insertInto('host_shares')
            .values({ host, lessee_id: lesseeId, reports, wanted, slots })
            .onConflict((conflict) => conflict.columns(['host', 'lessee_id']).doUpdateSet({ reports, wanted, slots }))
            .execute();
        }
        return { slots, due };
      });
    },
  };
}

function after(ms: number) {
  return sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8)`;
}
