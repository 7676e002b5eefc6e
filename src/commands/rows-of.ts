import type { ListPage, PageRequest } from '../store/listing.ts';

/** Rows read from the database at a time. */
const CHUNK_ROWS = 100;

export type Lister<Row> = (page: PageRequest) => Promise<ListPage<Row>>;

/** All rows of a list, of which only a few are in memory at a time. */
export async function* rowsOf<Row>(list: Lister<Row>): AsyncGenerator<Row> {
  for (let number = 1; ; number += 1) {
    const { rows } = await list({ number, size: CHUNK_ROWS });
    yield* rows;
    if (rows.length < CHUNK_ROWS) return;
  }
}
