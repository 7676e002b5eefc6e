import type { FilePlace, FileProblem } from '../configuration-file/read-yaml.ts';

export interface CsvCell extends FilePlace {
  readonly text: string;
}

/** Cells of a file, each of which has a name. Empty cells are left out. */
export interface CsvRow extends FilePlace {
  readonly cells: ReadonlyMap<string, CsvCell>;
}

/** Parses CSV (RFC 4180) with a header row. Cells are separated by commas, or by semicolons if the header has no commas. */
export function readCsv(text: string): {
  readonly header: readonly CsvCell[];
  readonly rows: readonly CsvRow[];
  readonly problems: readonly FileProblem[];
} {
  const [firstLine = ''] = text.split('\n', 1);
  const separator = firstLine.includes(',') || !firstLine.includes(';') ? ',' : ';';
  const { lines, problems } = split(text, separator);
  const [header = [], ...others] = lines.map((cells) => cells.map((cell) => ({ ...cell, text: cell.text.trim() })));
  const rows = others.flatMap((cells): CsvRow[] => {
    const named = cells.flatMap((cell, index) => {
      const name = header[index]?.text ?? '';
      if (cell.text === '') return [];
      if (name !== '') return [[name, cell] as const];
      problems.push({
        ...cell,
        text: 'The header row has no name for this cell: put text that contains separators in quotes.',
      });
      return [];
    });
    const [first] = cells;
    return named.length === 0 || first === undefined
      ? []
      : [{ line: first.line, column: first.column, cells: new Map(named) }];
  });
  return { header: header.filter(({ text: name }) => name !== ''), rows, problems };
}

interface Position {
  line: number;
  column: number;
}

function split(text: string, separator: string): { readonly lines: readonly CsvCell[][]; problems: FileProblem[] } {
  const lines: CsvCell[][] = [];
  const problems: FileProblem[] = [];
  const at: Position = { line: 1, column: 1 };
  let index = 0;
  const step = (): string => {
    const character = text[index] ?? '';
    index += 1;
    if (character === '\n') Object.assign(at, { line: at.line + 1, column: 1 });
    else at.column += 1;
    return character;
  };
  const quoted = (start: FilePlace): string => {
    const parts: string[] = [];
    step();
    while (index < text.length) {
      const character = step();
      if (character !== '"') parts.push(character);
      else if (text[index] === '"') parts.push(step());
      else return parts.join('');
    }
    problems.push({ ...start, text: 'The quotation mark is not closed.' });
    return parts.join('');
  };
  const cellAtPosition = (): CsvCell => {
    const start = { ...at };
    let content = text[index] === '"' ? quoted(start) : '';
    const from = index;
    while (index < text.length && text[index] !== separator && text[index] !== '\n') step();
    content += text.slice(from, index);
    return { ...start, text: content };
  };
  while (index < text.length) {
    const cells = [cellAtPosition()];
    while (text[index] === separator) {
      step();
      cells.push(cellAtPosition());
    }
    step();
    lines.push(cells);
  }
  return { lines, problems };
}
