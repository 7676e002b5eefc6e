import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deliveryQuery } from '../../api/queries/notification-channels.ts';
import { SeverityGlyph } from '../../parts/severity.tsx';
import styles from './screen.module.css';

/** The result of a test. */
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
        `The result of the test could not be loaded. ${error.message}`
      ) : status === 'delivered' ? (
        <>
          <SeverityGlyph of="passed" /> Test delivered
          {data?.http_status == null ? '.' : ` with status ${data.http_status}.`}
        </>
      ) : status === 'failed' ? (
        <>
          <SeverityGlyph of="failed" /> Test failed. {data?.error}
        </>
      ) : (
        <>
          <SeverityGlyph of="running" /> Sending the test…
        </>
      )}
    </p>
  );
}
