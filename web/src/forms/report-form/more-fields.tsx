import type { ReactNode } from 'react';
import { CHECK_KINDS, REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { plural } from '../../lib/formats.ts';
import { countsCredits } from '../../live/destinations.ts';
import { Field } from '../../parts/field.tsx';
import { Options } from '../../parts/options.tsx';
import { CONSENT_OPTIONS } from '../consent-options.ts';
import { JourneysField, type TryJourney } from './journeys-field.tsx';
import { type FieldsProps, FlagField, listOf, NumberInput, textOf } from './report-fields.tsx';
import styles from './report-form.module.css';

/** The less common fields of a report, in sections that are closed at first and whose titles show what is set. */
export function MoreFields({
  account,
  initial,
  errorOf,
  current,
  access,
  onEdit,
  tryJourney,
}: FieldsProps & {
  /** The current values. */
  readonly current: FormAttributes;
  /** A note about stored credentials for the site, which cannot be shown. */
  readonly access?: ReactNode;
  /** Called after changes that cause no input events in the form. */
  readonly onEdit: () => void;
  /** Absent without a site. */
  readonly tryJourney?: TryJourney | undefined;
}) {
  const isPro = hasPro(account);
  const fields = { account, initial, errorOf };
  return (
    <>
      {isPro ? (
        <Section title="Inclusions and exclusions" note={selectionNote(current)}>
          <Field
            label={REPORT_ATTRIBUTES.inclusions.label}
            name="inclusions"
            hint="To check only part of the site. One per line: the beginning of a URL, with https://, or of its path, such as /shop/. Case-sensitive. If empty, all pages are checked."
            error={errorOf('inclusions')}
          >
            {(control) => <textarea rows={3} defaultValue={listOf(initial['inclusions']).join('\n')} {...control} />}
          </Field>
          <Field
            label={REPORT_ATTRIBUTES.exclusions.label}
            name="exclusions"
            hint="One per line: the beginning of a URL, with https://, or any part of its path, such as /archive/. Case-sensitive. They take precedence over included addresses."
            error={errorOf('exclusions')}
          >
            {(control) => <textarea rows={4} defaultValue={listOf(initial['exclusions']).join('\n')} {...control} />}
          </Field>
        </Section>
      ) : null}
      <Section title="Sign in to the site" note={current['signs_in'] === true ? '(set)' : undefined}>
        {access}
        <AccessFields errorOf={errorOf} />
      </Section>
      <CrawlingSection
        {...fields}
        startingUrl={textOf(current['starting_url'])}
        onEdit={onEdit}
        tryJourney={tryJourney}
      />
      {isPro ? <KeepSection {...fields} /> : null}
      <Section title="Share" note={current['shared'] === true ? '(anyone with the link)' : undefined}>
        <FlagField name="shared" hint="No account needed. You can stop sharing at any time." initial={initial} />
      </Section>
    </>
  );
}

/** What is set, for the title of the closed section. */
function selectionNote(current: FormAttributes): string {
  const included = listOf(current['inclusions']).length;
  const excluded = listOf(current['exclusions']).length;
  const parts = [included > 0 ? `${included} included` : [], excluded > 0 ? `${excluded} excluded` : []].flat();
  return parts.length === 0 ? '(all pages)' : `(${parts.join(', ')})`;
}

function Section({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <details className={styles.section}>
      <summary>
        {title} {note === undefined ? null : <span className={styles.soft}>{note}</span>}
      </summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}

function AccessFields({ errorOf }: Pick<FieldsProps, 'errorOf'>) {
  return (
    <>
      <p className={styles.soft}>
        Sent only to the origin of the starting URL, stored encrypted, and never shown again. URLs that would end the
        session are skipped. If the site has a login form, enter its steps in the settings of the site, under “Login
        form”.
      </p>
      <div className={styles.pair}>
        <Field label="Username" name="basic_auth" error={errorOf('basic_auth')}>
          {(control) => <input autoComplete="off" {...control} />}
        </Field>
        <Field label="Password" name="basic_auth">
          {(control) => <input type="password" autoComplete="new-password" {...control} />}
        </Field>
      </div>
      <Field
        label="Cookies"
        name="cookies"
        hint="One per line: name=value. You can also paste a Cookie header from your browser."
        error={errorOf('cookies')}
      >
        {(control) => <textarea rows={2} autoComplete="off" spellCheck={false} {...control} />}
      </Field>
      <Field label="Headers" name="headers" hint="One per line: Name: value." error={errorOf('headers')}>
        {(control) => <textarea rows={2} autoComplete="off" spellCheck={false} {...control} />}
      </Field>
    </>
  );
}

function CrawlingSection({
  account,
  initial,
  errorOf,
  startingUrl,
  onEdit,
  tryJourney,
}: FieldsProps & Pick<React.ComponentProps<typeof JourneysField>, 'startingUrl' | 'onEdit' | 'tryJourney'>) {
  const isPro = hasPro(account);
  const { rate_limit: rateMax } = account.limits;
  return (
    <Section title="Crawling">
      <Field
        label={REPORT_ATTRIBUTES.rate_limit.label}
        name="rate_limit"
        hint={`Up to ${plural(rateMax, 'request')}.`}
        error={errorOf('rate_limit')}
      >
        {(control) => <NumberInput control={control} value={initial['rate_limit']} max={rateMax} />}
      </Field>
      <FlagField
        name="deep_crawl"
        hint="If off, only the links of the first page are followed. Pages in a sitemap are always checked."
        initial={initial}
      />
      <FlagField name="prefer_canonical_urls" initial={initial} />
      <FlagField name="respect_robots_txt" initial={initial} />
      <FlagField name="block_writes" initial={initial} />
      <FlagField
        name="explore_states"
        hint="Checks the accessibility of what they show, too. No links are followed and no forms are submitted."
        initial={initial}
      />
      {isPro ? (
        <Field
          label={REPORT_ATTRIBUTES.consent.label}
          name="consent"
          hint="Dismissed before a page is checked, except on the first page of the report."
          error={errorOf('consent')}
        >
          {(control) => (
            <select defaultValue={textOf(initial['consent'])} {...control}>
              <option value="">Leave them open</option>
              <Options of={CONSENT_OPTIONS} />
            </select>
          )}
        </Field>
      ) : null}
      <FlagField
        name="reuse"
        hint="A page keeps its last result if nothing that the result depends on has changed."
        initial={initial}
      />
      {isPro ? (
        <>
          <FlagField
            name="dynamic_crawler"
            hint={`Also finds links that scripts add. ${priceHint(account, 'dynamic_crawler') ?? ''}`.trim()}
            initial={initial}
          />
          <Field
            label={REPORT_ATTRIBUTES.wait_for.label}
            name="wait_for"
            hint="A CSS selector, such as main[data-ready]. If empty, a page is checked when it stops changing."
            error={errorOf('wait_for')}
          >
            {(control) => <input spellCheck={false} defaultValue={textOf(initial['wait_for'])} {...control} />}
          </Field>
          <Field
            label={REPORT_ATTRIBUTES.initial_urls.label}
            name="initial_urls"
            hint="One per line."
            error={errorOf('initial_urls')}
          >
            {(control) => <textarea rows={3} defaultValue={listOf(initial['initial_urls']).join('\n')} {...control} />}
          </Field>
          <JourneysField
            initial={initial['journeys']}
            startingUrl={startingUrl}
            error={errorOf('journeys')}
            onEdit={onEdit}
            tryJourney={tryJourney}
          />
          <FlagField name="only_journeys" hint="Pages that a crawl would find are left out." initial={initial} />
        </>
      ) : null}
    </Section>
  );
}

/** Returns the price of a setting; undefined if the account has unlimited credits. */
function priceHint(
  account: FieldsProps['account'],
  name: 'dynamic_crawler' | (typeof RAWS)[number],
): string | undefined {
  if (!countsCredits(account)) return undefined;
  return `${plural(REPORT_ATTRIBUTES[name].creditsPerPage, 'credit')} per page.`;
}

const RAWS = CHECK_KINDS.map((kind) => `store_raw_${kind}_checks` as const);

function KeepSection({ account, initial }: FieldsProps) {
  return (
    <Section title="Storage">
      <FlagField
        name="store_screenshots"
        hint="Shows where accessibility issues are on the page. Taken during the accessibility check."
        initial={initial}
      />
      {RAWS.map((name) => (
        <FlagField key={name} name={name} hint={priceHint(account, name)} initial={initial} />
      ))}
    </Section>
  );
}
