import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { hasPro } from 'sitewarden-client/report-defaults';
import { canAcknowledge } from 'sitewarden-client/site-attention';
import { type BulkOutcome, deleteSites, runSites, updateSites } from '../../api/changes/bulk.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { count, plural } from '../../lib/formats.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { isOwn, siteName } from '../../report/site-state.ts';
import { namesOf } from '../../report/use-run-again.ts';
import styles from './bulk.module.css';
import { TagFields, TimesFields, tagsIn, timesIn } from './bulk-forms.tsx';
import type { BulkResultOf } from './bulk-result.tsx';
import { SettingFields, settingsIn } from './bulk-settings.tsx';
import type { ChosenSites } from './use-chosen-sites.ts';

type Sites = readonly Item<'site'>[];
/** Runs a change of several sites, and shows its result. @param verb what was done, before the number of sites */
type Finish = (verb: string, run: () => Promise<BulkOutcome>, isGone?: boolean) => Promise<void>;

/** The actions on the chosen sites. */
export function ChosenActions({
  account,
  chosen,
  total,
  onDone,
}: {
  readonly account: Item<'account'>;
  readonly chosen: ChosenSites;
  /** The number of sites that match the filters. */
  readonly total: number;
  readonly onDone: (result: BulkResultOf) => void;
}) {
  const change = useChange();
  const finish = useFinish(chosen, onDone);
  const [isBusy, setBusy] = useState(false);
  const { sites } = chosen;
  const inUse = sites.filter((site) => !site.archived);
  const toAcknowledge = sites.filter((site) => isOwn(site) && canAcknowledge(site));
  const during = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await action();
    setBusy(false);
  };
  const run = () => during(() => change(() => finish('Started', () => runSites(idsOf(inUse)))));
  const acknowledge = () =>
    during(() =>
      change(() => finish('Acknowledged', () => updateSites(idsOf(toAcknowledge), { change: { acknowledged: true } }))),
    );
  const chooseAll = () => during(chosen.chooseAll);
  return (
    <section className={styles.bar} aria-label="Selected sites">
      <span role="status" className={styles.number}>
        {count(sites.length)} selected
      </span>
      {sites.length < total ? (
        <Button look="quiet" isBusy={isBusy} onClick={() => void chooseAll()}>
          Select all {count(total)}
        </Button>
      ) : null}
      {inUse.length > 0 ? (
        <Button isBusy={isBusy} onClick={() => (isBusy ? undefined : void run())}>
          Run now
        </Button>
      ) : null}
      {toAcknowledge.length > 0 ? (
        <Button isBusy={isBusy} onClick={() => (isBusy ? undefined : void acknowledge())}>
          Acknowledge
        </Button>
      ) : null}
      <EditButtons account={account} sites={sites} canSchedule={hasPro(account) && inUse.length > 0} finish={finish} />
      <ArchiveButtons sites={sites} finish={finish} />
      <DeleteButton sites={sites} run={(onProgress) => finish('Deleted', () => deleteSites(sites, onProgress), true)} />
      <Button look="quiet" onClick={chosen.clear}>
        Clear
      </Button>
    </section>
  );
}

function useFinish(chosen: ChosenSites, onDone: (result: BulkResultOf) => void): Finish {
  const queries = useQueryClient();
  return async (verb, run, isGone = false) => {
    try {
      onDone({ verb, outcome: await run() });
      if (isGone) chosen.clear();
    } finally {
      // Other filters may find more or fewer sites now. An outdated list would grow while it is shown.
      queries.removeQueries({ queryKey: ['sites'], type: 'inactive' });
      await Promise.all(['reports', 'sites', 'schedules'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    }
  };
}

function idsOf(sites: Sites): string[] {
  return sites.map(({ id }) => id);
}

function EditButtons({
  account,
  sites,
  canSchedule,
  finish,
}: {
  readonly account: Item<'account'>;
  readonly sites: Sites;
  readonly canSchedule: boolean;
  readonly finish: Finish;
}) {
  const update = (verb: string, attributes: object): Promise<void> =>
    finish(verb, () => updateSites(idsOf(sites), attributes));
  return (
    <>
      <FormButton
        label="Tags…"
        title="Change the tags of"
        action="Change tags of"
        sites={sites}
        run={(fields) => update('Changed the tags of', tagsIn(fields))}
      >
        {(errorOf) => <TagFields sites={sites} errorOf={errorOf} />}
      </FormButton>
      <FormButton
        label="Settings…"
        title="Change settings of"
        action="Change"
        sites={sites}
        run={(fields) => update('Changed', settingsIn(fields))}
      >
        {(errorOf) => <SettingFields account={account} errorOf={errorOf} />}
      </FormButton>
      {canSchedule ? (
        <FormButton
          label="Schedule…"
          title="Schedule"
          action="Schedule"
          sites={sites}
          run={(fields) => update('Scheduled', timesIn(fields))}
        >
          {(errorOf) => <TimesFields errorOf={errorOf} />}
        </FormButton>
      ) : null}
    </>
  );
}

function ArchiveButtons({ sites, finish }: { readonly sites: Sites; readonly finish: Finish }) {
  const inUse = sites.filter((site) => !site.archived);
  const archived = sites.filter((site) => site.archived);
  const archive = (): Promise<void> =>
    finish('Archived', () => updateSites(idsOf(inUse), { change: { archived: true } }), true);
  const restore = (): Promise<void> =>
    finish('Restored', () => updateSites(idsOf(archived), { change: { archived: false } }), true);
  return (
    <>
      {inUse.length > 0 ? (
        <FormButton label="Archive…" title="Archive" action="Archive" sites={inUse} run={archive}>
          {() => <p>Lists hide archived sites, and their schedules do not run. You can restore them.</p>}
        </FormButton>
      ) : null}
      {archived.length > 0 ? (
        <FormButton label="Restore…" title="Restore" action="Restore" sites={archived} run={restore}>
          {() => <p>Their schedules run again.</p>}
        </FormButton>
      ) : null}
    </>
  );
}

/** A button that opens a form about several sites, which says how many and which they are. */
function FormButton({
  label,
  title,
  action,
  sites,
  run,
  children,
}: {
  readonly label: string;
  /** The title of the dialog, which the number of sites follows. */
  readonly title: string;
  /** The label of the submit button, which the number of sites follows. */
  readonly action: string;
  readonly sites: Sites;
  readonly run: (fields: FormData) => Promise<void>;
  readonly children: (errorOf: ErrorOf) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      <FormDialog
        title={`${title} ${plural(sites.length, 'site')}`}
        action={`${action} ${plural(sites.length, 'site')}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={run}
      >
        {(errorOf) => (
          <>
            <p className="soft">{namesOf(sites.map(siteName))}</p>
            {children(errorOf)}
          </>
        )}
      </FormDialog>
    </>
  );
}

function DeleteButton({
  sites,
  run,
}: {
  readonly sites: Sites;
  readonly run: (onProgress: (done: number) => void) => Promise<void>;
}) {
  const [done, setDone] = useState(0);
  const sumOf = (name: 'num_reports' | 'num_web_pages' | 'num_schedules'): number =>
    sites.reduce((sum, site) => sum + site[name], 0);
  const schedules = sumOf('num_schedules');
  return (
    <AskButton
      label="Delete…"
      look="danger"
      title={`Delete ${plural(sites.length, 'site')}?`}
      action={`Delete ${plural(sites.length, 'site')}`}
      run={async () => {
        setDone(0);
        await run(setDone);
      }}
    >
      <p>{namesOf(sites.map(siteName))}</p>
      <p>
        Deletes {plural(sumOf('num_reports'), 'report')} with {plural(sumOf('num_web_pages'), 'page')}
        {schedules === 0 ? '' : ` and ${plural(schedules, 'schedule')}`} permanently.
      </p>
      <p role="status">{done === 0 ? null : `${count(done)} of ${count(sites.length)} deleted`}</p>
    </AskButton>
  );
}
