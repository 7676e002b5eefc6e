import type { Item } from './client.ts';

/** An issue of a page. Each kind of check has occurrences of its own format. */
export type PageIssueItem = Item<'html_issue'> | Item<'a11y_issue'> | Item<'link_issue'>;

type ListedHtml = Item<'html_issue'>['html'][number];
type ListedElement = Item<'a11y_issue'>['occurrences'][number];
type ListedLink = Item<'link_issue'>['links'][number];

/** An occurrence of the HTML validator. */
export type HtmlOccurrence = Pick<ListedHtml, 'extract' | 'coordinates'>;

/** An element that the accessibility check reports. */
interface ElementOccurrence {
  readonly html: string;
  /** Selectors, one per frame. A selector through shadow roots is a list. */
  readonly target: Item<'a11y_issue'>['targets'][number];
  readonly location: Pick<ListedElement, 'line' | 'column' | 'made_by_script' | 'box' | 'reached_by'>;
  readonly failureSummary: string | null;
}

/** A declaration in a style sheet that sets a color. */
export interface StyleRule {
  readonly selector: string;
  /** The URL of the style sheet; null for a style sheet in the page. */
  readonly url: string | null;
  /** The position of the rule in the style sheet, or in the page, from 1; null if it is not known. */
  readonly line: number | null;
  readonly column: number | null;
  /** `color`, `background-color`, `background`, or the custom property that has the color. */
  readonly property: string;
  /** Its value; null in results of earlier versions. */
  readonly value: string | null;
}

/** What sets the colors of a text with insufficient contrast. */
export interface ColorRules {
  readonly style_rule: StyleRule | null;
  readonly background_rule: StyleRule | null;
  /** The color whose rule is the cause; null if the cause is the pair of colors. */
  readonly edited_color: 'text' | 'background' | null;
}

/** Returns the file name of the style sheet of a rule with its line; null for a style sheet in the page. */
export function styleSheetOf({ url, ...position }: StyleRule): string | null {
  if (url === null) return null;
  const file = url.replace(/[?#].*$/, '').replace(/^.*\//, '');
  return `${file === '' ? url : file}${positionWords(position)}`;
}

function positionWords({ line, column }: Pick<StyleRule, 'line' | 'column'>): string {
  return line === null ? '' : `:${line}:${column ?? 1}`;
}

/** A rule that sets a color, in the words that describe it. */
export interface ColorRuleWords {
  readonly rule: StyleRule;
  /** What the custom property is for; an empty string for `color` and `background-color`, which say it. */
  readonly use: string;
  /** `color: #888888`; null if the value is not known. */
  readonly declaration: string | null;
  /** The file with the line; null for a style sheet in the page. */
  readonly sheet: string | null;
  /** Where the rule of a style sheet in the page is. */
  readonly inPage: string;
  /** Whether other elements of the cause can have this color by another rule. */
  readonly isFirst: boolean;
}

/** Returns the rules that set the colors, the rule that is the cause first. */
export function colorRuleWords(
  { style_rule: text, background_rule: background, edited_color: edited }: ColorRules,
  howMany = 1,
): ColorRuleWords[] {
  const colors = [
    { of: 'text', rule: text, use: 'color' },
    { of: 'background', rule: background, use: 'background' },
  ];
  if (edited === 'background') colors.reverse();
  return colors.flatMap(({ of, rule, use }) => {
    if (rule === null) return [];
    const { property, value, line } = rule;
    const declaration = value === null ? null : `${property}: ${value}`;
    const isNamed = declaration !== null && !property.startsWith('--');
    const inPage = `a style sheet in the page${line === null ? '' : ` (line ${line})`}`;
    const isFirst = howMany > 1 && edited !== of;
    return [{ rule, use: isNamed ? '' : use, declaration, sheet: styleSheetOf(rule), inPage, isFirst }];
  });
}

/**
 * Returns `color: #888888 set by .nav-link in style.css:12:1; background-color: #eeeeee set by .card in style.css:40:1`; an empty
 * string without rules.
 * @param quoted writes a text of the site
 * @param howMany elements of a fix: they share the rule that is its cause
 */
export function styleRuleWords(
  rules: ColorRules,
  quoted: (text: string) => string = (text) => text,
  howMany = 1,
): string {
  return colorRuleWords(rules, howMany)
    .map(({ rule, use, declaration, sheet, inPage, isFirst }) => {
      const what = [use, declaration === null ? '' : quoted(declaration)].filter((part) => part !== '').join(' ');
      const where = sheet === null ? inPage : quoted(sheet);
      return `${what} set by ${quoted(rule.selector)} in ${where}${isFirst ? ' (first element)' : ''}`;
    })
    .join('; ');
}

/** An occurrence of an issue, in one format for all checks. */
export interface ShownOccurrence {
  /** The start tag of the element, or anything else that the issue is about. */
  readonly markup: string;
  /** The source around the occurrence; null if the engine reports elements, and not positions in the source. */
  readonly extract: string | null;
  /** Its start in the source, from 1; null if that is not known. */
  readonly line: number | null;
  readonly column: number | null;
  /** The element's selector, through frames and shadow roots; null for engines without selectors. */
  readonly selector: string | null;
  /**
   * `[x, y, width, height]` on the page, in CSS pixels; null if the element is not visible, and for engines that report no
   * elements.
   */
  readonly box: readonly number[] | null;
  /** The engine's instructions for the fix; null if its message contains them. */
  readonly failureSummary: string | null;
  /** What has to be edited, if it is not the element: `#777777 on #ffffff`. Null for the element. */
  readonly cause: string | null;
  /** The style rule that sets the color of a text; null if it is not known, and for other issues. */
  readonly styleRule: StyleRule | null;
  /** The style rule that sets the color of its background. */
  readonly backgroundRule: StyleRule | null;
  /** The color whose rule is the cause; null if the cause is the pair of colors, and for other issues. */
  readonly editedColor: ColorRules['edited_color'];
  /** How to reach the state of the page that has the issue: `Click the button “Menu”`. Null for the page as it is. */
  readonly reachedBy: string | null;
  /** A remark for people, such as why there is no line; null for none. */
  readonly note: string | null;
}

/** An occurrence in an issue of a page. Failure summaries belong to the whole issue there. */
export interface ListedOccurrence extends ShownOccurrence, Pick<ListedHtml, 'change' | 'recheck'> {}

const NO_RULES = { styleRule: null, backgroundRule: null, editedColor: null };

/** The note of elements that are not in the source. */
export const MADE_BY_SCRIPT = 'created by a script';

export function htmlOccurrence({ extract, coordinates }: HtmlOccurrence): ShownOccurrence {
  const { first_line: line, first_column: first, last_column: last, hilite_start: start } = coordinates;
  return {
    markup: extract.slice(start, start + coordinates.hilite_length),
    extract,
    // Messages about the whole document have line 0.
    line: line || null,
    // Without a first column, the occurrence is a single character.
    column: (first ?? last) || null,
    selector: null,
    box: null,
    failureSummary: null,
    cause: null,
    ...NO_RULES,
    reachedBy: null,
    note: null,
  };
}

/**
 * Returns the pair of colors whose contrast axe-core finds insufficient, the text first: `#777777 on #ffffff`. Null if its
 * summary names none. It identifies causes, so it never changes.
 */
export function colorPairIn(failureSummary: string | null): string | null {
  const colors = Array.from((failureSummary ?? '').matchAll(/(?:color|text): (#[0-9a-f]+)/g), ([, color]) => color);
  return colors.length === 0 ? null : colors.join(' on ');
}

/** Returns the colors in words: a link has to differ from the text next to it, and other text from its background. */
function colorsIn(failureSummary: string | null): string | null {
  const pair = colorPairIn(failureSummary);
  return failureSummary?.includes('surrounding text: #') ? (pair?.replace(' on ', ' next to ') ?? null) : pair;
}

/** Returns what has to be edited for a fix or a cluster: a pair of colors, or else the markup. */
export function causeOf({ cause, markup }: { readonly cause: string | null; readonly markup: string }): string {
  return cause ?? markup;
}

export function elementOccurrence(element: ElementOccurrence): ShownOccurrence {
  const { line, column, made_by_script: isMadeByScript, box, reached_by: reachedBy } = element.location;
  return {
    markup: element.html,
    extract: null,
    line,
    column,
    selector: element.target.flat().join(' >> '),
    box,
    failureSummary: element.failureSummary,
    cause: colorsIn(element.failureSummary),
    ...NO_RULES,
    reachedBy,
    note: isMadeByScript ? MADE_BY_SCRIPT : null,
  };
}

/** What an occurrence has that is neither code nor an element. */
export const NO_CODE = {
  extract: null,
  line: null,
  column: null,
  selector: null,
  box: null,
  failureSummary: null,
  cause: null,
  ...NO_RULES,
  reachedBy: null,
};

export function linkOccurrence({ url, final_url: finalUrl }: Pick<ListedLink, 'url' | 'final_url'>): ShownOccurrence {
  return {
    markup: url,
    ...NO_CODE,
    note: finalUrl === url ? null : `redirected to ${finalUrl}`,
  };
}

/**
 * Returns the occurrences of an issue of a page, in their order; none for checks that this version of the client does not know.
 */
export function occurrencesOf(issue: PageIssueItem): ListedOccurrence[] {
  switch (issue.type) {
    case 'html_issue':
      return issue.html.map((listed) => ({ ...htmlOccurrence(listed), ...marksOf(listed) }));
    case 'a11y_issue':
      return issue.occurrences.map((location, index) => {
        const [html = '', target = []] = [issue.html[index], issue.targets[index]];
        return { ...elementOccurrence({ html, target, location, failureSummary: null }), ...marksOf(location) };
      });
    case 'link_issue':
      return issue.links.map((listed) => ({ ...linkOccurrence(listed), ...marksOf(listed) }));
    default:
      return [];
  }
}

function marksOf({ change, recheck }: Pick<ListedHtml, 'change' | 'recheck'>) {
  return { change, recheck };
}
