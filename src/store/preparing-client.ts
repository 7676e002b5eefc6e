import pg from 'pg';
import { isStalePlan } from '../platform/database-errors.ts';

/** A statement is prepared at this execution: most statements are executed once on a connection. */
const PREPARED_FROM = 3;
/** The maximum number of statements that a connection counts and prepares: a plan takes 20 to 100 kB of the server's memory. */
const STATEMENTS_MAX = 100;
/** Longer statements, such as inserts of many rows, are rarely repeated. */
const textMaxCharacters = 10_000;
/**
 * After this time, plans are made again, because tables grow: a plan for a small table reads the whole table. The time doubles
 * each time, up to the maximum.
 */
const PLANS_MS = { first: 1_000, max: 60_000 } as const;

type Query = (...parameters: readonly unknown[]) => unknown;

/**
 * A connection that prepares the statements that it executes repeatedly, so that the server parses and plans them once: planning
 * the short statements of a report takes the server as long as executing them.
 */
export class PreparingClient extends pg.Client {
  readonly #executions = new Map<string, { readonly number: number; count: number }>();
  #statements = 0;
  #plansMs: number = PLANS_MS.first;
  #plannedAt = Date.now();
  /** Part of the names of statements, so that statements whose plans became stale are prepared again. */
  #generation = 0;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const query: Query = super.query.bind(this);
    const prepared: Query = (text, values, ...others) => {
      const name = typeof text === 'string' && Array.isArray(values) ? this.#nameOf(text, query) : null;
      if (name === null) return query(text, values, ...others);
      const result = query({ name, text, values }, ...others);
      if (result instanceof Promise) result.catch((error: unknown) => this.#forgetIfStale(error));
      return result;
    };
    Object.assign(this, { query: prepared });
  }

  /** Returns the name under which to prepare a statement; null for a statement that is not executed repeatedly. */
  #nameOf(text: string, query: Query): string | null {
    const known = this.#executions.get(text);
    if (known === undefined) {
      this.#count(text);
      return null;
    }
    known.count += 1;
    if (known.count < PREPARED_FROM) return null;
    if (Date.now() - this.#plannedAt > this.#plansMs) {
      this.#plannedAt = Date.now();
      this.#plansMs = Math.min(2 * this.#plansMs, PLANS_MS.max);
      // If this fails, the next statement fails, too, and reports why.
      Promise.resolve(query('DISCARD PLANS')).catch(() => undefined);
    }
    return `${this.#generation}_${known.number}`;
  }

  /** Begins to count a statement, if necessary in place of the oldest statement that is not prepared. */
  #count(text: string): void {
    if (text.length > textMaxCharacters) return;
    if (this.#executions.size >= STATEMENTS_MAX) {
      const oldest = this.#executions.entries().find(([, { count }]) => count < PREPARED_FROM);
      if (oldest === undefined) return;
      this.#executions.delete(oldest[0]);
    }
    this.#executions.set(text, { number: this.#statements, count: 1 });
    this.#statements += 1;
  }

  #forgetIfStale(error: unknown): void {
    if (isStalePlan(error)) this.#generation += 1;
  }
}
