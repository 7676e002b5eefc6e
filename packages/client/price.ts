import { CHECK_KINDS, CHECKS, REPORT_ATTRIBUTES } from './report-attributes.ts';

/** What a report costs at most, in credits. */
export interface Price {
  /** Of one page, by what it is for. */
  readonly parts: readonly (PricePart & { readonly total: number })[];
  /** The number of marks of journeys, which are pages in addition. */
  readonly marks: number;
  readonly total: number;
}

export interface PricePart {
  readonly title: string;
  readonly credits: number;
  /** Whether it is only paid for pages that the crawl finds. */
  readonly isOfCrawl?: boolean;
}

/** The settings of a report, by the names of attributes. Those that are missing have the defaults of the API. */
type Settings = Readonly<Record<string, unknown>>;
type Flag = 'dynamic_crawler' | `${'perform' | 'store_raw'}_${keyof typeof CHECKS}_checks`;

/** Returns what a report with these settings costs at most. */
export function priceOf(settings: Settings): Price {
  const most = settings['max_pages'];
  const crawled = typeof most === 'number' && settings['only_journeys'] !== true ? Math.max(0, Math.floor(most)) : 0;
  const marks = marksIn(settings['journeys']);
  const parts = pricesOfPage(settings).map((part) => {
    // Marks are pages that steps show: they need no rendering.
    const pages = part.isOfCrawl ? crawled : crawled + marks;
    return { ...part, total: pages * part.credits };
  });
  return { parts, marks, total: parts.reduce((credits, part) => credits + part.total, 0) };
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
    ...priceOfFlag('Rendering', 'dynamic_crawler').map((part) => ({ ...part, isOfCrawl: true })),
  ];
}

/** Counts the marks in the journeys of a form, which may be wrong: then the service says so. */
function marksIn(journeys: unknown): number {
  if (!Array.isArray(journeys)) return 0;
  const steps: unknown[] = journeys.flatMap((journey: { readonly steps?: unknown } | null) => journey?.steps ?? []);
  return steps.filter((step) => Object(step).check !== undefined).length;
}

function sum(parts: readonly PricePart[]): number {
  return parts.reduce((credits, part) => credits + part.credits, 0);
}
