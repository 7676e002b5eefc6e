import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Item, List, Query } from '../../api/client.ts';
import { sitesQuery, siteTagsQuery } from '../../api/queries/sites.ts';
import { count, plural } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { SeverityCount } from '../../parts/severity.tsx';
import styles from './bulk.module.css';

/** Renders a table of sites. */
type RenderSites = (list: List<'site'>, table: { readonly caption: string; readonly isStale: boolean }) => ReactNode;

/** How many sites of a group are shown at first; more are shown on request. */
const GROUP_SIZE = 100;

/** The sites by tag, for example by client: each tag with the totals of its sites and, on request, the sites. */
export function TagGroups({
  query,
  tags,
  head,
  renderSites,
}: {
  /** The filters of the list. */
  readonly query: Query;
  /** The tags that the list is filtered by; empty for all. */
  readonly tags: readonly string[];
  /** Content above the sites with a tag. */
  readonly head: (tag: string, sites: number) => ReactNode;
  readonly renderSites: RenderSites;
}) {
  const groups = useQuery(siteTagsQuery({ ...query, 'page[size]': 100 }));
  const isShown = ({ tag }: Item<'site_tag'>): boolean =>
    tags.length === 0 || (tag !== null && tags.includes(tag.toLowerCase()));
  return (
    <QueryView query={groups}>
      {({ items, total }) => (
        <div className={styles.groups}>
          {items.filter(isShown).map((group) => (
            <Group key={group.id} group={group} query={query} head={head} renderSites={renderSites} />
          ))}
          {total > items.length ? (
            <p className="soft">The first {count(items.length)} tags. Filter the list to find sites with other tags.</p>
          ) : null}
        </div>
      )}
    </QueryView>
  );
}

function Group({
  group,
  query,
  head,
  renderSites,
}: {
  readonly group: Item<'site_tag'>;
  readonly query: Query;
  readonly head: (tag: string, sites: number) => ReactNode;
  readonly renderSites: RenderSites;
}) {
  const [isOpen, setOpen] = useState(false);
  const { tag, num_sites: sites, num_needing_attention: needing, errors, critical } = group;
  return (
    <details className={styles.group} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <h2>{tag ?? 'No tags'}</h2>
        <span className={styles.sums}>
          <span>{plural(sites, 'site')}</span>
          <span className={needing === 0 ? 'soft' : ''}>
            {needing === 0 ? 'none need attention' : `${count(needing)} ${needing === 1 ? 'needs' : 'need'} attention`}
          </span>
          <SeverityCount of="error" count={errors} />
          {critical > 0 ? <SeverityCount of="critical" count={critical} /> : null}
        </span>
      </summary>
      {isOpen ? (
        <div className={styles.inGroup}>
          {tag === null ? null : (
            <span className={styles.actions}>
              {head(tag, sites)}
              <Link to="/" search={(search: Record<string, unknown>) => ({ ...search, group: undefined, tags: tag })}>
                Show only these
              </Link>
            </span>
          )}
          <GroupSites tag={tag} query={query} renderSites={renderSites} />
        </div>
      ) : null}
    </details>
  );
}

function GroupSites({
  tag,
  query,
  renderSites,
}: {
  readonly tag: string | null;
  readonly query: Query;
  readonly renderSites: RenderSites;
}) {
  const ofTag = tag === null ? { 'filter[tagged]': 'false' } : { 'filter[tags][list]': tag };
  const sites = useQuery(sitesQuery({ ...query, ...ofTag, 'page[size]': GROUP_SIZE }));
  return (
    <QueryView query={sites}>
      {(list) => (
        <div>
          {renderSites(list, {
            caption: tag === null ? 'Sites without tags' : `Sites tagged ${tag}`,
            isStale: sites.isPlaceholderData,
          })}
          {list.total > list.items.length ? (
            <p className="soft">
              The first {count(list.items.length)} of {count(list.total)} sites. “Show only these” lists all.
            </p>
          ) : null}
        </div>
      )}
    </QueryView>
  );
}
