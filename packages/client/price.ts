import { CHECK_KINDS, CHECKS, REPORT_ATTRIBUTES } from './report-attributes.ts';

/** What a report costs at most, in credits. */
export interface Price {
  /** Of one page, by what it is for. */
  readonly parts: readonly PricePart[];
  /** The maximum number of pages. */
  readonly pages: number;
  readonly total: number;
}

export interface PricePart {
  readonly title: string;
  readonly credits: number;
}

/** The settings of a report, by the names of attributes. Those that are missing have the defaults of the API. */
type Settings = Readonly<Record<string, unknown>>;
type Flag = 'dynamic_crawler' | `${'perform' | 'store_raw'}_${keyof typeof CHECKS}_checks`;

/** Returns what a report with these settings costs at most. */
export function priceOf(settings: Settings): Price {
  const parts = pricesOfPage(settings);
  const pages = typeof settings['max_pages'] === 'number' ? Math.max(0, Math.floor(settings['max_pages'])) : 0;
  return { parts, pages, total: pages * sum(parts) };
}

/** Returns the credits of one page. */
export function creditsOfPage(settings: Settings): number {
  return sum(pricesOfPage(settings));
}

function pricesOfPage(settings: Settings): PricePart[] {
  const isOn = (name: Flag): boolean => (settings[name] ?? REPORT_ATTRIBUTES[name].default) === true;
  const priceOfFlag = (title: string, name: Flag): PricePart[] =>
    isOn(name) ? [{ title, credits: REPORT_ATTRIBUTES[name].creditsPerPage }] : [];
  const kinds = CHECK_KINDS.filter((kind) => isOn(`perform_${kind}_checks`));
  const raws = kinds.flatMap((kind) => priceOfFlag('', `store_raw_${kind}_checks`));
  return [
    ...kinds.flatMap((kind) => priceOfFlag(CHECKS[kind].title, `perform_${kind}_checks`)),
    ...(raws.length > 0 ? [{ title: 'Raw results', credits: sum(raws) }] : []),
    ...priceOfFlag('Rendering', 'dynamic_crawler'),
  ];
}

function sum(parts: readonly PricePart[]): number {
  return parts.reduce((credits, part) => credits + part.credits, 0);
}
