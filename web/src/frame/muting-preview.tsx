import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Item } from '../api/client.ts';
import { mutingPreviewQuery } from '../api/queries/mutings.ts';
import { plural } from '../lib/formats.ts';
import styles from './mute-dialog.module.css';

const typingMs = 300;

/** What a muting would silence, while it is typed. */
export function MutingPreview({ urlMatch, message }: { readonly urlMatch: string; readonly message: string }) {
  const [texts, setTexts] = useState({ url_match: urlMatch, message });
  useEffect(() => {
    const timer = setTimeout(() => setTexts({ url_match: urlMatch, message }), typingMs);
    return () => clearTimeout(timer);
  }, [urlMatch, message]);
  const preview = useQuery(mutingPreviewQuery(texts));
  return (
    <div className={styles.preview} role="status">
      {preview.data === undefined ? (
        <p className={styles.soft}>
          {preview.error === null ? 'Counting…' : `This could not be counted: ${preview.error.message}`}
        </p>
      ) : (
        <PreviewText preview={preview.data} />
      )}
    </div>
  );
}

function PreviewText({ preview }: { readonly preview: Item<'muting_preview'> }) {
  const { how_many: howMany, num_web_pages: pages, num_reports: reports, kinds, complete } = preview;
  if (howMany === 0) return <p>Silences nothing in your latest reports.</p>;
  return (
    <>
      <p>
        <strong>
          Silences {plural(howMany, 'place')} on {plural(pages, 'page')}
        </strong>{' '}
        of your latest {plural(reports, 'report')}
        {complete ? '' : ', as far as they were searched'}
      </p>
      {kinds.length > 1 ? (
        <ul className={styles.kinds}>
          {kinds.map((each) => (
            <li key={`${each.kind} ${each.message}`}>
              {plural(each.how_many, 'place')}: {each.message}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
