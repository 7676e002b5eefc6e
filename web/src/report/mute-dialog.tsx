import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createMuting, deleteMuting } from '../api/changes/mutings.ts';
import type { Item } from '../api/client.ts';
import { mutingPreviewQuery } from '../api/queries/mutings.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import type { ErrorOf } from '../forms/use-form.tsx';
import { plural } from '../lib/formats.ts';
import type { Kind } from '../lib/kinds.ts';
import { Field } from '../parts/field.tsx';
import { useToast } from '../parts/toast.tsx';
import styles from './mute-dialog.module.css';
import { useReport } from './report-context.tsx';

/** Silences an issue type: where, which, why and until when. */
export function MuteDialog({
  kind,
  message,
  url,
  isOpen,
  onClose,
}: {
  readonly kind: Kind;
  /** The message or help of the issue. */
  readonly message: string;
  /** Part of the URLs on which to silence it, at first. */
  readonly url: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const { report } = useReport();
  const mute = useMute(report.id);
  const send = async (fields: FormData): Promise<void> => {
    const text = (name: string): string => String(fields.get(name));
    const until = text('expires_at');
    await mute({
      ...{ url_match: text('url_match'), message: text('message'), comment: text('comment') },
      expires_at: until === '' ? null : until,
    });
  };
  return (
    <FormDialog title="Mute this issue" action="Mute" isOpen={isOpen} onClose={onClose} submit={send}>
      {(errorOf) => (
        <>
          <p className="soft small">
            A muted issue is neither listed nor counted, in this and in all your other reports, until the muting is
            deleted.
          </p>
          <MatchFields kind={kind} of={message} url={url} errorOf={errorOf} />
          <Field label="Why" name="comment" hint="Anyone who can see the report sees it" error={errorOf('comment')}>
            {(control) => <input type="text" maxLength={1000} {...control} />}
          </Field>
          <Field
            label="Until the end of"
            name="expires_at"
            hint="Without a date it never ends"
            error={errorOf('expires_at')}
          >
            {(control) => <input type="date" {...control} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** Which issues are muted on which pages, and how many that are while it is typed. */
function MatchFields({
  kind,
  of,
  url,
  errorOf,
}: {
  readonly kind: Kind;
  readonly of: string;
  readonly url: string;
  readonly errorOf: ErrorOf;
}) {
  const [urlMatch, setUrlMatch] = useState(url);
  const [message, setMessage] = useState(of);
  return (
    <>
      <Field
        label="On URLs that contain"
        name="url_match"
        isRequired
        hint="Part of the URL of a page, such as /blog/"
        error={errorOf('url_match')}
      >
        {(control) => (
          <input type="text" {...control} value={urlMatch} onChange={(event) => setUrlMatch(event.target.value)} />
        )}
      </Field>
      <Field
        label="Messages that contain"
        name="message"
        isRequired
        hint={
          kind === 'html'
            ? 'All of the message, or part of it'
            : 'All of the message, part of it, or the id of the rule'
        }
        error={errorOf('message')}
      >
        {(control) => (
          <textarea rows={3} {...control} value={message} onChange={(event) => setMessage(event.target.value)} />
        )}
      </Field>
      <MutingPreview urlMatch={urlMatch} message={message} />
    </>
  );
}

/** Returns a function that creates a muting and offers to undo it. */
function useMute(report: string): (muting: Parameters<typeof createMuting>[0]) => Promise<void> {
  const queries = useQueryClient();
  const say = useToast();
  const refresh = async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['mutings'] }),
      queries.invalidateQueries({ queryKey: ['report', report, 'issues'] }),
      queries.invalidateQueries({ queryKey: ['report', report, 'pages'] }),
    ]);
  };
  return async (muting) => {
    const { id } = await createMuting(muting);
    const undo = (): void => {
      deleteMuting(id).then(refresh, (error: Error) => say(`The muting stays: ${error.message}`));
    };
    say('Muted. Counts follow in a moment.', { title: 'Undo', run: undo });
    await refresh();
  };
}

const typingMs = 300;

/** What a muting would silence, while it is typed. */
function MutingPreview({ urlMatch, message }: { readonly urlMatch: string; readonly message: string }) {
  const [texts, setTexts] = useState({ url_match: urlMatch, message });
  useEffect(() => {
    const timer = setTimeout(() => setTexts({ url_match: urlMatch, message }), typingMs);
    return () => clearTimeout(timer);
  }, [urlMatch, message]);
  const preview = useQuery(mutingPreviewQuery(texts));
  return (
    <div className={styles.preview} role="status">
      {preview.data === undefined ? (
        <p className="soft small">
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
          Silences {plural(howMany, 'occurrence')} on {plural(pages, 'page')}
        </strong>{' '}
        of the latest {reports === 1 ? 'report' : `${plural(reports, 'report')}, one of each site`}
        {complete ? '' : ', as far as they were searched'}. Earlier reports are not in this number; the list of mutings
        counts all.
      </p>
      {kinds.length > 1 ? (
        <ul className={styles.kinds}>
          {kinds.map((each) => (
            <li key={`${each.kind} ${each.message}`}>
              {plural(each.how_many, 'occurrence')}: {each.message}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
