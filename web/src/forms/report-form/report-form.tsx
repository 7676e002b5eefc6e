import { type KeyboardEvent, type ReactNode, useCallback, useRef, useState } from 'react';
import { randomKey } from 'sitewarden-client';
import { ApiError } from 'sitewarden-client/errors';
import { priceOf } from 'sitewarden-client/price';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../../api/client.ts';
import { accessIn, type FormAttributes, settingsIn } from '../../lib/form-attributes.ts';
import { count, plural } from '../../lib/formats.ts';
import { countsCredits } from '../../live/destinations.ts';
import { useUnsaved } from '../../live/use-unsaved.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { type ErrorOf, useForm } from '../use-form.tsx';
import type { TryJourney } from './journeys-field.tsx';
import { MoreFields } from './more-fields.tsx';
import { MainFields } from './report-fields.tsx';
import styles from './report-form.module.css';

/** The settings of a report, a schedule or a site. The fields keep their input until the service accepts it. */
export function ReportForm({
  account,
  initial,
  access,
  tryJourney,
  fixedAddress,
  noteOn,
  more,
  asksToLeave = false,
  priceTitle = 'Maximum cost',
  submitTitle,
  onSubmit,
}: {
  readonly account: Item<'account'>;
  /** The initial values, as attributes of the API. `signs_in` marks stored credentials, which are kept. */
  readonly initial: FormAttributes;
  /** A note about stored credentials for the site, which cannot be shown. */
  readonly access?: ReactNode;
  /** Tries a journey of the site; absent without a site. */
  readonly tryJourney?: TryJourney;
  /** Why the address cannot be changed; absent if it can. */
  readonly fixedAddress?: string | undefined;
  /** A note about the address that is entered. */
  readonly noteOn?: (startingUrl: string) => ReactNode;
  /** Fields that only schedules or sites have, and the function that reads them. */
  readonly more?: {
    /** Fields before the fields of a report. */
    readonly firstFor?: (errorOf: ErrorOf) => ReactNode;
    readonly fieldsFor: (errorOf: ErrorOf) => ReactNode;
    readonly read: (fields: FormData) => FormAttributes;
  };
  /** Whether to ask before the user leaves the screen with unsaved edits. Default: false. */
  readonly asksToLeave?: boolean;
  readonly priceTitle?: string;
  readonly submitTitle: string;
  /** Sends the attributes. The key prevents duplicates if the request is repeated. */
  readonly onSubmit: (attributes: FormAttributes, key: string) => Promise<void>;
}) {
  const isPro = hasPro(account);
  const element = useRef<HTMLFormElement>(null);
  const [current, setCurrent] = useState(initial);
  const [isEdited, setEdited] = useState(false);
  const keyOf = useRequestKey();
  const form = useForm(async (fields) => {
    const { attributes, problems } = accessIn(fields);
    if (problems.length > 0)
      throw new ApiError(
        422,
        problems.map((problem) => ({ code: 'invalid', id: null, ...problem })),
      );
    const all = { ...settingsIn(fields, isPro), ...more?.read(fields), ...attributes };
    await onSubmit(all, keyOf(all));
  });
  useUnsaved(asksToLeave && isEdited && !form.isBusy);
  const follow = (): void => {
    if (element.current === null) return;
    setEdited(true);
    const fields = new FormData(element.current);
    const isEntered = Object.values(accessIn(fields).attributes).some((value) => value !== null);
    const isKept = initial['signs_in'] === true && !fields.has('forget_access');
    setCurrent({ ...settingsIn(fields, isPro), signs_in: isEntered || isKept });
  };
  const submitByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) element.current?.requestSubmit();
  };
  return (
    <form
      ref={element}
      className={styles.layout}
      onSubmit={form.onSubmit}
      onChange={follow}
      onKeyDown={submitByKey}
      noValidate
    >
      <div className={styles.fields}>
        <ErrorSummary errors={form.errors} />
        {more?.firstFor?.(form.errorOf)}
        <MainFields
          account={account}
          initial={initial}
          errorOf={form.errorOf}
          fixedAddress={fixedAddress}
          note={noteOn?.(String(current['starting_url'] ?? ''))}
        />
        {more?.fieldsFor(form.errorOf)}
        <MoreFields
          account={account}
          initial={initial}
          errorOf={form.errorOf}
          current={current}
          access={access}
          onEdit={follow}
          tryJourney={tryJourney}
        />
        <div className={styles.actions}>
          <Button type="submit" look="main" isBusy={form.isBusy}>
            {submitTitle}
          </Button>
          <span className={styles.soft}>
            {countsCredits(account) ? `Up to ${plural(priceOf(current).total, 'credit')}. ` : null}
            <kbd>Ctrl</kbd> + <kbd>Enter</kbd>
          </span>
        </div>
      </div>
      {countsCredits(account) ? <PricePanel title={priceTitle} account={account} settings={current} /> : null}
    </form>
  );
}

/** The maximum cost of a report, and the credits that are left. */
function PricePanel({
  title,
  account: { credits, guest_account: guest },
  settings,
}: {
  readonly title: string;
  readonly account: Item<'account'>;
  readonly settings: FormAttributes;
}) {
  const { parts, marks, total } = priceOf(settings);
  const isShort = credits !== null && total > credits;
  return (
    <aside className={styles.price} aria-labelledby="price">
      <h2 id="price">{title}</h2>
      <dl>
        {parts.map(({ title: part, total: ofPart }) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd>{plural(ofPart, 'credit')}</dd>
          </div>
        ))}
      </dl>
      <p role="status">
        Total: {plural(total, 'credit')}
        {marks === 0 ? '' : `, including ${plural(marks, 'journey mark')}`}.{' '}
        {credits === null ? null : `You have ${count(credits)} left.`}
        {isShort
          ? ` If they run out, the report still lists all pages but no longer checks them. ${
              guest === null
                ? 'The operator of this installation can add credits.'
                : `${guest.host.name || 'Your host'} can raise your limit.`
            }`
          : null}
      </p>
    </aside>
  );
}

/**
 * Returns a function that returns the idempotency key of a request. Requests with equal content have the same key, so submitting
 * a form again after a lost response creates no duplicate.
 */
function useRequestKey(): (content: object) => string {
  const last = useRef({ text: '', key: '' });
  return useCallback((content) => {
    const text = JSON.stringify(content);
    if (last.current.text !== text) last.current = { text, key: randomKey() };
    return last.current.key;
  }, []);
}
