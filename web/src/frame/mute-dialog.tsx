import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createMuting, deleteMuting } from '../api/changes/mutings.ts';
import type { Item } from '../api/client.ts';
import { mutingPreviewQuery } from '../api/queries/mutings.ts';
import { plural } from '../lib/formats.ts';
import type { Kind } from '../lib/kinds.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import { Field } from '../parts/field.tsx';
import { useToast } from '../parts/toast.tsx';
import styles from './mute-dialog.module.css';
import { useReport } from './report-context.tsx';
import { useForm } from './use-form.ts';

/** Silences a kind of issue: where, which, why and until when. */
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
  return (
    <Dialog title="Mute this issue" isOpen={isOpen} onClose={onClose}>
      <MuteForm kind={kind} of={message} url={url} onClose={onClose} />
    </Dialog>
  );
}

function MuteForm({
  kind,
  of,
  url,
  onClose,
}: {
  readonly kind: Kind;
  readonly of: string;
  readonly url: string;
  readonly onClose: () => void;
}) {
  const { report } = useReport();
  const mute = useMute(report.id);
  const [urlMatch, setUrlMatch] = useState(url);
  const [message, setMessage] = useState(of);
  const form = useForm(async (fields) => {
    const until = String(fields.get('expires_at'));
    await mute({
      url_match: urlMatch,
      message,
      comment: String(fields.get('comment')),
      expires_at: until === '' ? null : until,
    });
    onClose();
  });
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      <p className={styles.soft}>
        A muted issue is neither listed nor counted, in this and in all your other reports, until the muting is deleted.
      </p>
      <ErrorSummary errors={form.errors} />
      <Field
        label="On URLs that contain"
        name="url_match"
        isRequired
        hint="Part of the URL of a page, such as /blog/"
        error={form.errorOf('url_match')}
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
        error={form.errorOf('message')}
      >
        {(control) => (
          <textarea rows={3} {...control} value={message} onChange={(event) => setMessage(event.target.value)} />
        )}
      </Field>
      <MutingPreview urlMatch={urlMatch} message={message} />
      <Field label="Why" name="comment" hint="Anyone who can see the report sees it" error={form.errorOf('comment')}>
        {(control) => <input type="text" maxLength={1000} {...control} />}
      </Field>
      <Field
        label="Until the end of"
        name="expires_at"
        hint="Without a date it never ends"
        error={form.errorOf('expires_at')}
      >
        {(control) => <input type="date" {...control} />}
      </Field>
      <div className={styles.buttons}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Mute
        </Button>
      </div>
    </form>
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
