import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { escapeMarkup } from '../platform/escape-markup.ts';
import { oneLine } from '../platform/shorten.ts';
import { cellMaxCharacters } from './texts.ts';

/** Excel's limits for a sheet. It refuses to open files that exceed them. */
const EXCEL_LIMITS = { rowsMax: 1_048_576, linksMax: 65_530, linkMaxCharacters: 2_079 };
type Limits = typeof EXCEL_LIMITS;

/** A URL is a link if Excel accepts it as one. */
export type Cell = string | number | Date | { readonly url: string } | null | undefined;

/** A table with the names of its columns as the first row. */
export interface Sheet {
  /** At most 31 characters, without `[]:*?/\`. */
  readonly name: string;
  /** At most 26, with their widths in characters. */
  readonly columns: Readonly<Record<string, number>>;
  /** Yields batches of rows. Rows that don't fit into Excel are left out. */
  rows(): AsyncIterable<readonly (readonly Cell[])[]>;
}

/**
 * Yields an Excel workbook (Office Open XML, ECMA-376), with only the current batch and the links of the current sheet in memory.
 * All text is in inline strings, so that none of it is a formula.
 * @param modified the modification time of the files in it
 */
export async function* writeWorkbook(
  sheets: readonly Sheet[],
  modified: Date,
  limits: Limits = EXCEL_LIMITS,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = new PassThrough();
  const add = (name: string, chunks: () => AsyncIterable<string> | Iterable<string>): void => {
    zip.addReadStreamLazy(name, { mtime: modified }, (open) => {
      open(
        null,
        Readable.from(chunks(), { objectMode: false }).once('error', (error) => output.destroy(error)),
      );
    });
  };
  for (const [name, text] of Object.entries(partsOf(sheets))) add(name, () => [text]);
  for (const [index, sheet] of sheets.entries()) {
    const links: Link[] = [];
    add(`xl/worksheets/sheet${index + 1}.xml`, () => sheetXml(sheet, links, limits));
    add(`xl/worksheets/_rels/sheet${index + 1}.xml.rels`, () => [relationshipsXml(links.map(relationshipOf))]);
  }
  zip.end();
  zip.outputStream.pipe(output);
  yield* output;
}

interface Link {
  /** The cell, such as `A2`. */
  readonly cell: string;
  readonly url: string;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The formats in `STYLES_XML`, by their position. */
const STYLES = { plain: 0, head: 1, time: 2, link: 3 } as const;
const FONTS = ['<sz val="11"/>', '<b/><sz val="11"/>', '<u/><sz val="11"/><color rgb="FF0B57D0"/>'].map(
  (font) => `<font>${font}<name val="Calibri"/></font>`,
);
const STYLES_XML = `${XML}<styleSheet xmlns="${MAIN}">
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/></numFmts>
<fonts count="3">${FONTS.join('')}</fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border/></borders>
<cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf fontId="2" applyFont="1"/></cellXfs>
</styleSheet>`;

/** The files that list the contents of the package. */
function partsOf(sheets: readonly Sheet[]): Record<string, string> {
  const paths = sheets.map((_, index) => `worksheets/sheet${index + 1}.xml`);
  const types = paths.map((path) => `<Override PartName="/xl/${path}" ContentType="${CONTENT}.worksheet+xml"/>`);
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${escapeMarkup(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relationshipsXml([`Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"`]),
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView/></bookViews><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ...paths.map((path) => `Type="${OFFICE}/worksheet" Target="${path}"`),
      `Type="${OFFICE}/styles" Target="styles.xml"`,
    ]),
    'xl/styles.xml': STYLES_XML,
  };
}

function relationshipsXml(relationships: readonly string[]): string {
  const listed = relationships.map((relationship, index) => `<Relationship Id="rId${index + 1}" ${relationship}/>`);
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${listed.join('')}</Relationships>`;
}

function relationshipOf({ url }: Link): string {
  return `Type="${OFFICE}/hyperlink" Target="${escapeMarkup(url)}" TargetMode="External"`;
}

/** @param links receives the links of the sheet */
async function* sheetXml({ columns, rows }: Sheet, links: Link[], limits: Limits): AsyncGenerator<string> {
  const widths = Object.values(columns).map((width, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  // The names of the columns stay visible.
  const view = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  yield `${XML}<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheetViews><sheetView workbookViewId="0">${view}</sheetView></sheetViews>`;
  const names = Object.keys(columns).map((name, index) => textXml(placeOf(index, 1), name, STYLES.head));
  yield `<cols>${widths.join('')}</cols><sheetData><row r="1">${names.join('')}</row>`;
  let last = 1;
  for await (const batch of rows()) {
    const shown = batch.slice(0, limits.rowsMax - last);
    yield shown.map((cells, index) => rowXml(cells, last + index + 1, links, limits)).join('');
    last += shown.length;
    if (last === limits.rowsMax) break;
  }
  yield `</sheetData><autoFilter ref="A1:${placeOf(widths.length - 1, last)}"/>`;
  const shownLinks = links.map(({ cell }, index) => `<hyperlink ref="${cell}" r:id="rId${index + 1}"/>`);
  yield `${links.length === 0 ? '' : `<hyperlinks>${shownLinks.join('')}</hyperlinks>`}</worksheet>`;
}

function rowXml(cells: readonly Cell[], row: number, links: Link[], limits: Limits): string {
  const shown = cells.map((cell, index) => cellXml(cell, placeOf(index, row), links, limits));
  return `<row r="${row}">${shown.join('')}</row>`;
}

/** Milliseconds per day, and the days from Excel's epoch to JavaScript's. Excel counts times in days. */
const DAY_MS = 86_400_000;
const EPOCH_DAYS = 25_569;

function cellXml(cell: Cell, reference: string, links: Link[], limits: Limits): string {
  if (cell == null || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (cell instanceof Date) {
    return `<c r="${reference}" s="${STYLES.time}"><v>${cell.getTime() / DAY_MS + EPOCH_DAYS}</v></c>`;
  }
  if (typeof cell === 'string') return textXml(reference, oneLine(cell, cellMaxCharacters), STYLES.plain);
  const text = oneLine(cell.url, cellMaxCharacters);
  const isLink = /^https?:\/\//.test(text) && URL.canParse(text) && text.length <= limits.linkMaxCharacters;
  if (!isLink || links.length === limits.linksMax) return textXml(reference, text, STYLES.plain);
  links.push({ cell: reference, url: new URL(text).href });
  return textXml(reference, text, STYLES.link);
}

/** Text that readers would interpret as an escaped character (ECMA-376, part 1, 22.9.2.19). */
const ESCAPE = /_(?=x[\da-f]{4}_)/gi;

function textXml(reference: string, text: string, style: number): string {
  const escaped = escapeMarkup(text.replace(ESCAPE, '_x005F_'));
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`;
}

/** Returns the name of a cell: `A1` is the first cell. */
function placeOf(column: number, row: number): string {
  return `${String.fromCharCode(65 + column)}${row}`;
}
