import type { Item } from '../../api/client.ts';
import { count, plural } from '../../lib/formats.ts';
import { type FormAttributes, priceOf } from '../../lib/report-form.ts';
import styles from './report-form.module.css';

/** What a report costs at most, and what there is. */
export function PricePanel({
  title,
  account: { credits, guest_account: guest },
  settings,
}: {
  readonly title: string;
  readonly account: Item<'account'>;
  readonly settings: FormAttributes;
}) {
  const { parts, total } = priceOf(settings);
  const isShort = credits !== null && total > credits;
  return (
    <aside className={styles.price} aria-labelledby="price">
      <h2 id="price">{title}</h2>
      <dl>
        {parts.map(({ title: part, credits: each }) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd>{plural(each, 'credit')}</dd>
          </div>
        ))}
      </dl>
      <p role="status">
        Together {plural(total, 'credit')}.{' '}
        {credits === null ? 'Your credits are unlimited.' : `You have ${count(credits)}.`}
        {isShort
          ? ` When they run out, the report ends with what it has found. ${
              guest === null
                ? 'Your administrator can add credits.'
                : `${guest.host.name || 'Your host'} can raise your limit.`
            }`
          : null}
      </p>
    </aside>
  );
}
