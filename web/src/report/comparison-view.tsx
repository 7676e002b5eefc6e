import { comparedOf, errorsAmong, unexaminedWords } from 'sitewarden-client/changes';
import { settingChangeWords } from 'sitewarden-client/setting-changes';
import type { Item } from '../api/client.ts';
import { count, dateTime, plural, shortUrl } from '../lib/formats.ts';
import { KINDS } from '../lib/kinds.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Section } from '../parts/section.tsx';
import { SeverityLabel } from '../parts/severity.tsx';
import styles from './comparison-view.module.css';
import { severityOf } from './issue-words.ts';

export type Comparison = Item<'site_comparison'>;
export type Found = NonNullable<Comparison['found']>;
type End = NonNullable<Comparison['now']>;
type ChangedType = Found['fixed'][number];

/** The two reports of a period, in words, or why there are fewer. */
export function EndsOfPeriod({ of }: { readonly of: Comparison }) {
  const { before, now, before_is_later: isLater, since } = of;
  if (now === null) return <>No report had finished by then.</>;
  if (before === null) return <>There is no report before the report of {dateTime(now.finished_at)}.</>;
  if (before.report_id === now.report_id) {
    return <>There is only one report in this period: the report of {dateTime(now.finished_at)}.</>;
  }
  return (
    <>
      Compares the report of {dateTime(before.finished_at)} with the report of {dateTime(now.finished_at)}.
      {isLater ? ` No report had finished by ${since}, so the first report is compared.` : null}
    </>
  );
}

/** The heading of the parts of a comparison: `h3` if it is a section of a screen. */
type Heading = NonNullable<Parameters<typeof Section>[0]['heading']>;

/** What was fixed in a period and what is new, as two reports show it. */
export function ComparisonView({
  of: { before, now, found },
  heading = 'h2',
}: {
  readonly of: Comparison;
  readonly heading?: Heading;
}) {
  if (before === null || now === null || found === null) return <EmptyState title="Nothing to compare" />;
  return (
    <>
      <Section title="Both reports" heading={heading}>
        <ThenAndNow before={before} now={now} />
      </Section>
      <Fixed found={found} heading={heading} />
      <New found={found} heading={heading} />
      <Rest found={found} heading={heading} />
    </>
  );
}

interface PartProps {
  readonly found: Found;
  readonly heading: Heading;
}

function ThenAndNow({ before, now }: { readonly before: End; readonly now: End }) {
  const pages =
    before.pages === null || now.pages === null
      ? []
      : ([
          ['Pages checked', before.pages.checked, now.pages.checked],
          ['Pages passing', before.pages.passed, now.pages.passed],
        ] as const);
  const rows = [['Errors', before.errors, now.errors], ['Pages', before.num_pages, now.num_pages], ...pages] as const;
  return (
    <table className={`${styles.table} ${styles.numbers}`}>
      <caption className="visually-hidden">Numbers of both reports</caption>
      <thead>
        <tr>
          <td />
          <th scope="col" className={styles.number}>
            {dateTime(before.finished_at)}
          </th>
          <th scope="col" className={styles.number}>
            {dateTime(now.finished_at)}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, then, today]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td className={styles.number}>{count(then)}</td>
            <td className={styles.number}>{count(today)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fixed({ found: { changes, errors, fixed, num_fixed_types: types, passing, pages }, heading }: PartProps) {
  return (
    <>
      <Section title="Fixed" heading={heading}>
        <p>
          {changes.fixed === 0 ? (
            'Nothing was fixed.'
          ) : (
            <>
              <strong className={styles.better}>{plural(changes.fixed, 'occurrence')}</strong> of{' '}
              {plural(types, 'issue type')} fixed{errorsAmong(errors.fixed, changes.fixed)}.
            </>
          )}
        </p>
        <Types
          caption="Fixed issue types"
          title="Fixed"
          types={fixed}
          total={types}
          howMany={({ fixed: number }) => number}
        />
      </Section>
      <Pages heading={heading} title="Pages that pass now" column="Errors then" pages={passing} total={pages.passing} />
    </>
  );
}

/** What got worse in the same period: without it, the rest would be misleading. */
function New({ found: { changes, errors, new: added, num_new_types: types, failing, pages }, heading }: PartProps) {
  const number = changes.new + changes.regressed;
  return (
    <>
      <Section title="New in the same period" heading={heading}>
        <p>
          {number === 0
            ? 'Nothing is new.'
            : `${plural(number, 'occurrence')} of ${plural(types, 'issue type')} new or back${errorsAmong(errors.new, number)}.`}
        </p>
        <Types
          caption="New issue types"
          title="New"
          types={added}
          total={types}
          howMany={({ new: fresh, regressed }) => fresh + regressed}
        />
      </Section>
      <Pages
        heading={heading}
        title="Pages that passed before and have errors now"
        column="Errors now"
        pages={failing}
        total={pages.failing}
      />
    </>
  );
}

function Types({
  caption,
  title,
  types,
  total,
  howMany,
}: {
  readonly caption: string;
  readonly title: string;
  readonly types: readonly ChangedType[];
  readonly total: number;
  readonly howMany: (occurrences: ChangedType['occurrences']) => number;
}) {
  if (types.length === 0) return null;
  return (
    <>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Issue</th>
            <th scope="col" className={styles.number}>
              {title}
            </th>
            <th scope="col" className={styles.number}>
              Earlier → later
            </th>
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <tr key={`${type.kind} ${type.fingerprint}`}>
              <th scope="row">
                {type.message}
                <span className={styles.detail}>
                  <SeverityLabel of={severityOf(type, type.kind)} />, {KINDS[type.kind].title}
                </span>
              </th>
              <td className={styles.number}>{count(howMany(type.occurrences))}</td>
              <td className={styles.number}>
                <ThenNow {...comparedOf(type.occurrences)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More total={total} shown={types.length} noun="issue type" />
    </>
  );
}

function ThenNow({ before, now }: { readonly before: number; readonly now: number }) {
  return (
    <>
      {count(before)}
      <span aria-hidden="true"> → </span>
      <span className="visually-hidden"> then, now </span>
      {count(now)}
    </>
  );
}

function Pages({
  heading,
  title,
  column,
  pages,
  total,
}: {
  readonly heading: Heading;
  readonly title: string;
  readonly column: string;
  readonly pages: Found['passing'];
  readonly total: number;
}) {
  if (total === 0) return null;
  return (
    <Section title={title} heading={heading}>
      <p>{plural(total, 'page')}.</p>
      <table className={styles.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col" className={styles.number}>
              {column}
            </th>
          </tr>
        </thead>
        <tbody>
          {pages.map(({ url, title: name, errors }) => (
            <tr key={url}>
              <th scope="row">
                {shortUrl(url)}
                {name === null ? null : <span className={styles.detail}>{name}</span>}
              </th>
              <td className={styles.number}>{count(errors)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More total={total} shown={pages.length} noun="page" />
    </Section>
  );
}

function More({ total, shown, noun }: { readonly total: number; readonly shown: number; readonly noun: string }) {
  return total > shown ? <p>And {plural(total - shown, `more ${noun}`)}.</p> : null;
}

/** What is neither fixed nor new. */
function Rest({ found: { changes, decided, pages, settings, matched_by: matchedBy }, heading }: PartProps) {
  return (
    <>
      <Lines
        heading={heading}
        title="Other page changes"
        lines={[
          pages.broken > 0 ? `${plural(pages.broken, 'page')} can no longer be checked` : null,
          pages.recovered > 0 ? `${plural(pages.recovered, 'page')} can be checked again` : null,
          pages.added > 0 ? `${plural(pages.added, 'page')} only in the later report` : null,
          pages.removed > 0 ? `${plural(pages.removed, 'page')} only in the earlier report` : null,
          matchedBy === 'path' ? 'The address of the site changed, so pages are matched by path' : null,
        ]}
      />
      <Lines heading={heading} title="Neither new nor fixed" lines={unexaminedWords(changes, decided)} />
      <Lines heading={heading} title="Settings that differ" lines={settings.map(settingChangeWords)} />
    </>
  );
}

function Lines({
  heading,
  title,
  lines,
}: {
  readonly heading: Heading;
  readonly title: string;
  readonly lines: readonly (string | null)[];
}) {
  const shown = lines.filter((line) => line !== null);
  if (shown.length === 0) return null;
  return (
    <Section title={title} heading={heading}>
      <ul className={styles.list}>
        {shown.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Section>
  );
}
