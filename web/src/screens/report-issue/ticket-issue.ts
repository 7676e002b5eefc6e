import type { Item, List } from '../../api/client.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { messageOf, severityOf } from '../../frame/issue-words.ts';
import { criteriaOf } from '../../lib/criteria.ts';
import { plural, shortUrl } from '../../lib/formats.ts';
import { type Kind, PLACE_WORDS } from '../../lib/kinds.ts';
import type { TicketIssue } from '../../lib/ticket.ts';

const placesMax = 5;

/** Returns what a ticket says about a kind of issue. */
export function ticketIssue(
  kind: Kind,
  issue: CommonIssue,
  clusters: List<'cluster'>,
  report: Item<'report'>,
  url: string,
): TicketIssue {
  const extent = `${plural(issue.how_many, PLACE_WORDS[kind])} on ${plural(issue.num_web_pages, 'page')}`;
  const shown = clusters.items.slice(0, placesMax);
  return {
    title: messageOf(issue),
    severity: severityOf(issue, kind),
    extent: `${extent} of ${shortUrl(report.starting_url)}`,
    remedy: 'help_url' in issue ? `${criteriaOf(issue.tags)}. How to fix: ${issue.help_url}`.replace(/^\. /, '') : '',
    url,
    places: shown.map(({ markup, selector, sample, how_many }) => ({
      markup,
      selector,
      url: sample.url,
      line: sample.line,
      how_many,
    })),
    more: clusters.total - shown.length,
  };
}
