import { type ReactNode, useState } from 'react';
import { styleRuleWords } from 'sitewarden-client/occurrences';
import { criteriaWords } from 'sitewarden-client/standards';
import { VERDICTS } from 'sitewarden-client/values';
import type { Item, List } from '../../api/client.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { VERDICT_WORDS, type Verdict } from '../../lib/decisions.ts';
import { plural, shortUrl } from '../../lib/formats.ts';
import { type Kind, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { type TicketIssue, ticketOf } from '../../lib/ticket.ts';
import type { KeyCommand } from '../../live/use-keys.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DecideDialog, type ToDecide } from '../../report/decide-dialog.tsx';
import { messageOf, severityOf } from '../../report/issue-words.ts';
import { MuteDialog } from '../../report/mute-dialog.tsx';
import { useReader, useReport } from '../../report/report-context.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
import { useRecheck } from './recheck.tsx';

interface IssueOf {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  /** The occurrences by markup, which a ticket lists; undefined until loaded. */
  readonly clusters: List<'cluster'> | undefined;
  /** The id of one of its occurrences; undefined until loaded. */
  readonly sample: string | undefined;
}

/** The actions on an issue type, with their shortcuts and the state of the re-check. */
interface Actions {
  readonly buttons: ReactNode;
  readonly notes: ReactNode;
  readonly keys: readonly KeyCommand[];
}

/** Returns the actions that the reader may take on an issue type: mute, re-check, copy. */
export function useIssueActions({ kind, issue, clusters, sample }: IssueOf): Actions {
  const { report } = useReport();
  const { account, mayChange, mayMute } = useReader();
  const recheck = useRecheck(kind, issue);
  const [isMuting, setMuting] = useState(false);
  const openMuting = (): void => setMuting(true);
  const decisions = useDecisions(kind, sample);
  return {
    keys: [
      ...decisions.keys,
      ...(mayMute ? [{ key: 'm', title: 'Mute issue', run: openMuting }] : []),
      ...(mayChange && !issue.outside_standard ? [{ key: 'r', title: 'Re-check its pages', run: recheck.start }] : []),
    ],
    notes: recheck.note,
    buttons: (
      <>
        {decisions.buttons}
        {mayMute ? <Button onClick={openMuting}>Mute…</Button> : null}
        {mayChange && !issue.outside_standard ? (
          <Button onClick={recheck.start} isBusy={recheck.isBusy}>
            Re-check {plural(issue.num_web_pages, 'page')}
            {account?.credits == null ? '' : ` (${plural(recheck.credits, 'credit')})`}
          </Button>
        ) : null}
        <CopyButton text={() => location.href} title="Copy link" />
        {clusters === undefined ? null : (
          <CopyButton
            text={() => ticketOf(ticketIssue(kind, issue, clusters, report, location.href))}
            title="Copy as ticket"
          />
        )}
        <MuteDialog
          kind={kind}
          message={messageOf(issue)}
          url={siteOf(report.starting_url)}
          isOpen={isMuting}
          onClose={() => setMuting(false)}
        />
      </>
    ),
  };
}

/** The decisions about the rule, or about the cause whose row has the focus. */
function useDecisions(kind: Kind, sample: string | undefined): Pick<Actions, 'buttons' | 'keys'> {
  const mayDecide = useMayDecide();
  const [toDecide, setToDecide] = useState<ToDecide | null>(null);
  if (!mayDecide || sample === undefined) return { buttons: null, keys: [] };
  const open = (verdict: Verdict): void => {
    const row = document.activeElement?.closest<HTMLElement>('[data-occurrence]')?.dataset['occurrence'];
    setToDecide({ occurrence: row ?? sample, verdict, scope: row === undefined ? 'rule' : 'cause' });
  };
  return {
    keys: VERDICTS.map((verdict) => ({
      key: VERDICT_WORDS[verdict].key,
      title: `Decide: ${VERDICT_WORDS[verdict].words}`,
      run: () => open(verdict),
    })),
    buttons: (
      <>
        <Button onClick={() => open('error')}>Decide…</Button>
        <DecideDialog kind={kind} of={toDecide} onClose={() => setToDecide(null)} />
      </>
    ),
  };
}

/** Returns the site of a URL without its scheme: `bakery.example/`. */
function siteOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.host}/`;
}

const occurrencesMax = 5;

/** Returns the contents of a ticket about an issue type. */
function ticketIssue(
  kind: Kind,
  issue: CommonIssue,
  clusters: List<'cluster'>,
  report: Item<'report'>,
  url: string,
): TicketIssue {
  const extent = `${plural(issue.how_many, OCCURRENCE_WORDS[kind])} on ${plural(issue.num_web_pages, 'page')}`;
  const shown = clusters.items.slice(0, occurrencesMax);
  return {
    title: messageOf(issue),
    severity: severityOf(issue, kind),
    extent: `${extent} of ${shortUrl(report.starting_url)}`,
    effect: issue.effect_on_visitors,
    remedy: [issue.remedy ?? '', ...('help_url' in issue ? [ruleOf(issue, report)] : [])].filter(Boolean).join(' '),
    url,
    occurrences: shown.map((cluster) => ({
      markup: cluster.markup,
      colors: [cluster.cause ?? '', styleRuleWords(cluster, undefined, cluster.how_many)].filter(Boolean).join(': '),
      selector: cluster.selector,
      url: cluster.sample.url,
      line: cluster.sample.line,
      how_many: cluster.how_many,
    })),
    more: clusters.total - shown.length,
  };
}

function ruleOf(
  { tags, help_url: url }: { readonly tags: readonly string[]; readonly help_url: string },
  { standard }: Pick<Item<'report'>, 'standard'>,
): string {
  const criteria = criteriaWords(tags, standard);
  return `${criteria === '' ? 'About the rule' : criteria}: ${url}`;
}
