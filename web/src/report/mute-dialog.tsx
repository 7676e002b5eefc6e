import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LIMITS } from 'sitewarden-client/values';
import { createMuting, deleteMuting } from '../api/changes/mutings.ts';
import type { Item } from '../api/client.ts';
import { type MutingTexts, mutingPreviewQuery } from '../api/queries/mutings.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import type { ErrorOf } from '../forms/use-form.tsx';
import { plural } from '../lib/formats.ts';
import { type Kind, OCCURRENCE_WORDS } from '../lib/kinds.ts';
import { CheckField, Field } from '../parts/field.tsx';
import { useToast } from '../parts/toast.tsx';
import styles from './mute-dialog.module.css';
import { useReport } from './report-context.tsx';
import { useDecide } from './use-decisions.ts';

/** Mutes an issue type: on which URLs, which messages, why, and until when. */
export function MuteDialog({
  kind,
  message,
  url,
  occurrence,
  isOpen,
  onClose,
}: {
  readonly kind: Kind;
  /** The message or help of the issue. */
  readonly message: string;
  /** The initial part of the URLs on which to mute it. */
  readonly url: string;
  /** The id of the occurrence that was chosen; absent if there is none, and for readers who may not decide about it. */
  readonly occurrence?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const { report } = useReport();
  const mute = useMute(report.id);
  const decide = useDecide();
  const [isOne, setOne] = useState(false);
  const [selector, setSelector] = useState('');
  const close = (): void => {
    setOne(false);
    setSelector('');
    onClose();
  };
  const send = async (fields: FormData): Promise<void> => {
    const text = (name: string): string => String(fields.get(name));
    if (isOne && occurrence !== undefined) {
      await decide({ occurrence, scope: 'occurrence', verdict: 'not_an_error', note: text('comment') });
      return;
    }
    const until = text('expires_at');
    await mute({
      ...{ url_match: text('url_match'), message: text('message'), comment: text('comment') },
      ...(selector.trim() === '' ? { retroactive: fields.get('retroactive') !== null } : { selector }),
      expires_at: until === '' ? null : until,
    });
  };
  return (
    <FormDialog title="Mute this issue" action="Mute" isOpen={isOpen} onClose={close} submit={send}>
      {(errorOf) => (
        <>
          {occurrence === undefined ? null : (
            <CheckField
              label={`Only this ${OCCURRENCE_WORDS[kind]}`}
              name="one"
              hint="Marks it as not an error on this site until you undo the decision. A muting can apply to all your sites."
              checked={isOne}
              onChange={(event) => setOne(event.target.checked)}
            />
          )}
          {isOne ? null : (
            <>
              <p className="soft small">
                Muted issues are neither listed nor counted, in this report and all your other reports, until you delete
                the muting or it expires.
              </p>
              <MatchFields
                {...{ kind, url, selector, errorOf }}
                of={message}
                onSelector={kind === 'link' ? undefined : setSelector}
              />
            </>
          )}
          <ReasonField errorOf={errorOf} />
          {isOne ? null : <MutingFields canBeRetroactive={selector.trim() === ''} errorOf={errorOf} />}
        </>
      )}
    </FormDialog>
  );
}

function ReasonField({ errorOf }: { readonly errorOf: ErrorOf }) {
  return (
    <Field label="Reason" name="comment" hint="Anyone who can see the report can read it" error={errorOf('comment')}>
      {(control) => <input type="text" maxLength={LIMITS.mutingCommentMaxCharacters} {...control} />}
    </Field>
  );
}

/** How long the muting lasts, and whether it changes earlier results. */
function MutingFields({
  canBeRetroactive,
  errorOf,
}: {
  readonly canBeRetroactive: boolean;
  readonly errorOf: ErrorOf;
}) {
  return (
    <>
      <Field
        label="Expires at the end of"
        name="expires_at"
        hint="Without a date, the muting never expires"
        error={errorOf('expires_at')}
      >
        {(control) => <input type="date" {...control} />}
      </Field>
      {canBeRetroactive ? (
        <CheckField
          label="Also change what earlier reports found"
          name="retroactive"
          hint="Trends, statistics and comparisons otherwise stay as they were when these reports ended"
        />
      ) : null}
    </>
  );
}

/** The URLs, messages and elements to mute, with a preview of the number of issues while typing. */
function MatchFields({
  kind,
  of,
  url,
  selector,
  onSelector,
  errorOf,
}: {
  readonly kind: Kind;
  readonly of: string;
  readonly url: string;
  readonly selector: string;
  /** Absent if the check does not find elements. */
  readonly onSelector?: ((selector: string) => void) | undefined;
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
        hint="Part of a page URL, such as /blog/"
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
        hint={kind === 'html' ? 'The whole message, or part of it' : 'The whole message, part of it, or the rule id'}
        error={errorOf('message')}
      >
        {(control) => (
          <textarea rows={3} {...control} value={message} onChange={(event) => setMessage(event.target.value)} />
        )}
      </Field>
      {onSelector === undefined ? null : (
        <Field
          label="In elements that match"
          name="selector"
          hint="A CSS selector, such as .cookie-banner. With it, the muting applies from the next check."
          error={errorOf('selector')}
        >
          {(control) => (
            <input type="text" {...control} value={selector} onChange={(event) => onSelector(event.target.value)} />
          )}
        </Field>
      )}
      <MutingPreview {...{ urlMatch, message, selector }} />
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
      deleteMuting(id).then(refresh, (error: Error) => say(`The muting could not be deleted: ${error.message}`));
    };
    const applies = muting.selector == null ? 'Counts will update shortly.' : 'It applies from the next check.';
    say(`Muted. ${applies}`, { title: 'Undo', run: undo });
    await refresh();
  };
}

const typingMs = 300;

/** How many issues a muting would mute, updated while typing. */
function MutingPreview({
  urlMatch,
  message,
  selector,
}: {
  readonly urlMatch: string;
  readonly message: string;
  readonly selector: string;
}) {
  const [texts, setTexts] = useState<MutingTexts>({ url_match: urlMatch, message });
  useEffect(() => {
    const wanted = { url_match: urlMatch, message, ...(selector.trim() !== '' && { selector }) };
    const timer = setTimeout(() => setTexts(wanted), typingMs);
    return () => clearTimeout(timer);
  }, [urlMatch, message, selector]);
  const preview = useQuery(mutingPreviewQuery(texts));
  return (
    <div className={styles.preview} role="status">
      {preview.data === undefined ? (
        <p className="soft small">
          {preview.error === null ? 'Counting…' : `Counting failed: ${preview.error.message}`}
        </p>
      ) : (
        <PreviewText preview={preview.data} />
      )}
    </div>
  );
}

function PreviewText({ preview }: { readonly preview: Item<'muting_preview'> }) {
  const {
    how_many: howMany,
    num_web_pages: pages,
    num_reports: reports,
    kinds,
    upper_bound: isAtMost,
    complete,
  } = preview;
  if (howMany === 0) return <p>Mutes nothing in your latest reports.</p>;
  return (
    <>
      <p>
        <strong>
          Mutes {isAtMost ? 'at most ' : ''}
          {plural(howMany, 'occurrence')} on {plural(pages, 'page')}
        </strong>{' '}
        of the latest {reports === 1 ? 'report' : `${plural(reports, 'report')}, one per site`}
        {complete ? '' : ' (only partly searched)'}.{' '}
        {isAtMost
          ? 'Checks find out which of them are in these elements.'
          : 'Earlier reports are not included. The list of mutings counts all reports.'}
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
