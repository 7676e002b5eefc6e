import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LIMITS, VERDICTS } from 'sitewarden-client/values';
import { changeDecision } from '../../api/changes/decisions.ts';
import type { Item } from '../../api/client.ts';
import { decisionsQuery } from '../../api/queries/decisions.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { scopeWords, VERDICT_WORDS } from '../../lib/decisions.ts';
import { count, dateTime, pathOf, plural } from '../../lib/formats.ts';
import { KINDS, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { usePathParams } from '../../live/use-route.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Options } from '../../parts/options.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { siteName } from '../../report/site-state.ts';
import { useStaleDecisions, useUndo } from '../../report/use-decisions.ts';
import styles from './screen.module.css';

type Decision = Item<'decision'>;

/** What was decided about issues of a site, newest first. */
export function SiteDecisionsScreen() {
  const { site: id } = usePathParams('/sites/$site/decisions');
  const { search } = useSearchState('/sites/$site/decisions');
  const site = useQuery(siteQuery(id));
  const decisions = useQuery(decisionsQuery(id, { 'page[number]': pageNumber(search.page) }));
  const undo = useUndo();
  const [changed, setChanged] = useState<Decision | null>(null);
  const name = site.data === undefined ? 'Site' : siteName(site.data);
  return (
    <>
      <PageHead
        title={site.data === undefined ? 'Decisions' : `Decisions about ${name}`}
        back={<Link to={`/sites/${id}`}>‹ {name}</Link>}
      >
        {decisions.data === undefined || decisions.data.total === 0 ? '' : plural(decisions.data.total, 'decision')}
      </PageHead>
      <ListTable
        query={decisions}
        caption="Decisions"
        columns={columnsOf({ onChange: setChanged, onUndo: (decision) => void undo(decision.id) })}
        empty={
          <EmptyState title="No decisions yet">
            <p>Open a report of this site and choose “Review” to decide what the checks could not.</p>
          </EmptyState>
        }
      />
      <ChangeDialog decision={changed} onClose={() => setChanged(null)} />
    </>
  );
}

function columnsOf({
  onChange,
  onUndo,
}: {
  readonly onChange: (decision: Decision) => void;
  readonly onUndo: (decision: Decision) => void;
}): readonly Column<Decision>[] {
  return [
    {
      key: 'message',
      title: 'About',
      isMain: true,
      cell: ({ message, markup, kind, page_url: page }) => (
        <>
          {message} <span className="soft small">{KINDS[kind].title}</span>
          {markup === '' ? null : <code className={styles.markup}>{markup}</code>}
          {page === null ? null : <span className="soft small">{pathOf(page)}</span>}
        </>
      ),
    },
    { key: 'verdict', title: 'Decided', cell: ({ verdict }) => <strong>{VERDICT_WORDS[verdict].title}</strong> },
    { key: 'scope', title: 'Applies to', isNamed: true, cell: ({ scope, kind }) => scopeWords(scope, kind).title },
    {
      key: 'how_many',
      title: 'In the newest report',
      isNumber: true,
      cell: ({ how_many: howMany }) => count(howMany),
    },
    { key: 'note', title: 'Note', cell: ({ note }) => (note === '' ? <span className="soft">no note</span> : note) },
    {
      key: 'decided_at',
      title: 'By',
      cell: ({ assessor, decided_at: decidedAt }) => (
        <span className={styles.by}>
          {assessor} <span className={styles.date}>{dateTime(decidedAt)}</span>
        </span>
      ),
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (decision) => (
        <span className={styles.actions}>
          <Button
            look="quiet"
            aria-label={`Change the decision about ${decision.message}`}
            onClick={() => onChange(decision)}
          >
            Change…
          </Button>
          <Button
            look="quiet"
            aria-label={`Undo the decision about ${decision.message}`}
            onClick={() => onUndo(decision)}
          >
            Undo
          </Button>
        </span>
      ),
    },
  ];
}

/** What a decision is about, and what it applies to. */
function Subject({ decision }: { readonly decision: Decision }) {
  const { kind, message, markup, scope, how_many: howMany } = decision;
  return (
    <div className={styles.subject}>
      <p>
        <strong>{message}</strong>
      </p>
      {markup === '' ? null : <code className={styles.markup}>{markup}</code>}
      <p className="soft small">
        Applies to {scopeWords(scope, kind).words}: {plural(howMany, OCCURRENCE_WORDS[kind])} in the newest report
      </p>
    </div>
  );
}

/** Changes the verdict and the note of a decision. */
function ChangeDialog({ decision, onClose }: { readonly decision: Decision | null; readonly onClose: () => void }) {
  const refresh = useStaleDecisions();
  const send = async (fields: FormData): Promise<void> => {
    const verdict = VERDICTS.find((each) => each === fields.get('verdict')) ?? 'later';
    const text = (name: string): string => String(fields.get(name));
    await changeDecision(decision?.id ?? '', { verdict, note: text('note'), assessor: text('assessor') });
    await refresh();
  };
  return (
    <FormDialog title="Change the decision" action="Save" isOpen={decision !== null} onClose={onClose} submit={send}>
      {(errorOf) => (
        <>
          {decision === null ? null : <Subject decision={decision} />}
          <Field label="Decision" name="verdict" error={errorOf('verdict')}>
            {(control) => (
              <select {...control} defaultValue={decision?.verdict}>
                <Options of={VERDICTS.map((verdict) => [verdict, VERDICT_WORDS[verdict].title] as const)} />
              </select>
            )}
          </Field>
          <Field label="Note" name="note" hint="Anyone who can see the report can read it" error={errorOf('note')}>
            {(control) => (
              <textarea
                rows={3}
                maxLength={LIMITS.mutingCommentMaxCharacters}
                defaultValue={decision?.note}
                {...control}
              />
            )}
          </Field>
          <Field label="Who decides" name="assessor" hint="If empty, your name" error={errorOf('assessor')}>
            {(control) => <input type="text" maxLength={200} defaultValue={decision?.assessor} {...control} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}
