import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deliveryQuery } from '../../api/queries/notification-channels.ts';
import { SeverityGlyph } from '../../parts/severity.tsx';
import styles from './screen.module.css';

/** What became of a test. */
export function TestResult({
  channel,
  test,
}: {
  /** The id of the channel. */
  readonly channel: string;
  /** The id of the delivery; null before a test is sent. */
  readonly test: string | null;
}) {
  const queries = useQueryClient();
  const { data, error } = useQuery({ ...deliveryQuery(channel, test ?? ''), enabled: test !== null });
  const status = data?.status;
  useEffect(() => {
    if (status === 'delivered' || status === 'failed')
      void queries.invalidateQueries({ queryKey: ['notification_channels'] });
  }, [queries, status]);
  return (
    <p role="status" className={styles.result}>
      {test === null ? null : error !== null ? (
        `What became of the test could not be read. ${error.message}`
      ) : status === 'delivered' ? (
        <>
          <SeverityGlyph of="passed" /> The test was delivered
          {data?.http_status == null ? '.' : `: the receiver answered ${data.http_status}.`}
        </>
      ) : status === 'failed' ? (
        <>
          <SeverityGlyph of="failed" /> The test failed. {data?.error}
        </>
      ) : (
        <>
          <SeverityGlyph of="running" /> The test is on its way.
        </>
      )}
    </p>
  );
}
