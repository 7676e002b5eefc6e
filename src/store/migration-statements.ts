/** What others can't do with a table while a statement waits for it and runs. */
export interface TableLock {
  readonly table: string;
  readonly blocks: 'reads and writes' | 'writes' | 'changed rows';
}

/** Comments, parts of SQL in which a semicolon does not end a statement, and the semicolons that do. */
const PARTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;/g;

/**
 * Returns the statements of a file, without comments and with single spaces. Bodies of functions and string literals stay
 * unchanged.
 */
export function statementsIn(text: string): string[] {
  const statements = [''];
  const add = (part: string): void => void statements.push(`${statements.pop()}${part}`);
  let from = 0;
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    add(text.slice(from, index).replaceAll(/\s+/g, ' '));
    if (part === ';') statements.push('');
    else add(/^(--|\/\*)/.test(part) ? ' ' : part);
    from = index + part.length;
  }
  add(text.slice(from).replaceAll(/\s+/g, ' '));
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** Returns whether a file must run without a transaction, statement by statement. */
export function runsConcurrently(text: string): boolean {
  return statementsIn(text).some(isConcurrent);
}

/** Returns whether a statement builds or drops an index while others write. */
export function isConcurrent(statement: string): boolean {
  return /^(CREATE (UNIQUE )?|DROP |RE)INDEX CONCURRENTLY\b/i.test(statement);
}

const NAME = '(?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?(\\w+)"?';
/** The first match counts. Null: changes to the catalog that need no strong lock. */
const LOCKS: readonly (readonly [pattern: RegExp, blocks: TableLock['blocks'] | null])[] = [
  [new RegExp(`^ALTER TABLE ${NAME} (VALIDATE|ALTER (COLUMN )?\\S+ SET STATISTICS)\\b`, 'i'), null],
  [new RegExp(`^ALTER TABLE ${NAME} SET \\(`, 'i'), null],
  [new RegExp(`^ALTER TABLE ${NAME}`, 'i'), 'reads and writes'],
  [new RegExp(`^DROP TABLE ${NAME}`, 'i'), 'reads and writes'],
  [new RegExp(`^(?:TRUNCATE|LOCK)(?: TABLE)? ${NAME}`, 'i'), 'reads and writes'],
  [new RegExp(`^DROP TRIGGER .* ON ${NAME}`, 'i'), 'reads and writes'],
  [new RegExp(`^CREATE (?:UNIQUE )?INDEX .*? ?ON ${NAME}`, 'i'), 'writes'],
  [new RegExp(`^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .*? ON ${NAME}`, 'i'), 'writes'],
  [new RegExp(`^(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO) ${NAME}`, 'i'), 'changed rows'],
];

/** Returns the tables that a statement locks, including the tables that its foreign keys reference. */
export function locksOf(statement: string): TableLock[] {
  if (isConcurrent(statement)) return [];
  const found = LOCKS.find(([pattern]) => pattern.test(statement));
  const [, table] = found?.[0].exec(statement) ?? [];
  const own = found?.[1] && table !== undefined ? [{ table, blocks: found[1] }] : [];
  if (!/^(CREATE|ALTER) TABLE\b/i.test(statement)) return own;
  const referenced = [...statement.matchAll(/\bREFERENCES "?(\w+)"?/gi)].map(([, name = '']) => name);
  return [...own, ...[...new Set(referenced)].map((name) => ({ table: name, blocks: 'writes' as const }))];
}

/** Returns the names of the tables that statements create. */
export function createdTables(statements: readonly string[]): string[] {
  return statements.flatMap((statement) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(statement)?.[1] ?? []);
}
