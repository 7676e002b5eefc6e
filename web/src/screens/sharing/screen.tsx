import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createShareLink, revokeShareLink } from '../../api/changes/share-links.ts';
import type { Item } from '../../api/client.ts';
import { shareLinksQuery } from '../../api/queries/share-links.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { dateTime, plural } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';
import { siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

type ShareLink = Item<'share_link'>;

/** Creates, lists and revokes the share links of sites and tags. */
export function SharingScreen() {
  const { search } = useSearchState('/sharing');
  const { site, tag } = search;
  const links = useQuery(
    shareLinksQuery({
      'filter[site_id]': site,
      'filter[tag]': tag,
      'page[number]': pageNumber(search.page),
      'page[size]': 25,
    }),
  );
  const queries = useQueryClient();
  const revoke = async (id: string): Promise<void> => {
    await revokeShareLink(id);
    await queries.invalidateQueries({ queryKey: ['share_links'] });
  };
  return (
    <>
      <PageHead
        title="Share links"
        back={
          site !== undefined ? (
            <Link to={`/sites/${site}`}>‹ Site</Link>
          ) : tag !== undefined ? (
            <Link to="/" search={{ tags: tag }}>
              ‹ Overview
            </Link>
          ) : undefined
        }
      >
        A link always shows the newest full report, its trend and what was fixed, and lists all earlier full reports. It
        also opens complete reports that checked less than usual. Readers need no account.
      </PageHead>
      <NewLink key={`${site} ${tag}`} site={site} tag={tag} />
      <Section title="Links">
        <ListTable
          query={links}
          caption="Share links"
          columns={linkColumns(revoke)}
          empty={<EmptyState title="No links yet" />}
        />
        {site === undefined && tag === undefined ? null : (
          <p>
            <Link to="/sharing">All share links</Link>
          </p>
        )}
      </Section>
    </>
  );
}

/** Creates a link of the site or the tag in the URL, or of a tag that the user enters. */
function NewLink({ site, tag }: { readonly site: string | undefined; readonly tag: string | undefined }) {
  const queries = useQueryClient();
  const say = useToast();
  const form = useForm(async (fields) => {
    const name = String(fields.get('name'));
    await createShareLink({
      name,
      ...(site === undefined ? { tag: tag ?? String(fields.get('tag')) } : { site_id: site }),
    });
    await queries.invalidateQueries({ queryKey: ['share_links'] });
    say('Link created. Copy it and send it.');
  });
  return (
    <Section title="New link">
      <Form form={form} action="Create link">
        {site === undefined ? null : <SiteShared id={site} />}
        {tag === undefined ? null : (
          <p>
            Opens all sites with the tag <strong>{tag}</strong>, including sites that get it later.
          </p>
        )}
        {site === undefined && tag === undefined ? (
          <Field
            label="Tag"
            name="tag"
            hint="Opens all sites with this tag, including sites that get it later. To share one site, open it and choose Share."
            error={form.errorOf('tag')}
          >
            {(control) => <input type="text" autoComplete="off" {...control} />}
          </Field>
        ) : null}
        <Field label="For" name="name" hint="Who gets the link. Only you see it." error={form.errorOf('name')}>
          {(control) => <input type="text" autoComplete="off" {...control} />}
        </Field>
      </Form>
    </Section>
  );
}

function SiteShared({ id }: { readonly id: string }) {
  const site = useQuery(siteQuery(id));
  return (
    <p>
      Opens <strong>{site.data === undefined ? 'the site' : siteName(site.data)}</strong>
      {site.data === undefined || site.data.name === '' ? '' : ': readers see this name'}.
      {site.data?.archived === true ? ' The site is archived, so links do not work until it is restored.' : null}
    </p>
  );
}

function linkColumns(revoke: (id: string) => Promise<void>): readonly Column<ShareLink>[] {
  return [
    { key: 'name', title: 'For', isMain: true, cell: ({ name }) => (name === '' ? 'Anyone with the link' : name) },
    { key: 'opens', title: 'Opens', cell: (link) => <Opens link={link} /> },
    { key: 'link', title: 'Link', cell: (link) => <LinkActions link={link} /> },
    { key: 'created', title: 'Created', cell: ({ inserted_at: time }) => dateTime(time) },
    {
      key: 'revoke',
      title: 'Action',
      cell: (link) => (
        <AskButton
          label="Revoke…"
          name={`Revoke the link for ${link.name === '' ? 'anyone' : link.name}…`}
          title="Revoke this link?"
          action="Revoke"
          run={() => revoke(link.id)}
        >
          <p>The link stops working immediately. This cannot be undone.</p>
        </AskButton>
      ),
    },
  ];
}

/** What a link opens now. */
function Opens({ link: { site_id: site, tag, num_sites: sites } }: { readonly link: ShareLink }) {
  return (
    <>
      {site === null ? (
        <Link to="/" search={{ tags: tag ?? '' }}>
          Tag {tag}
        </Link>
      ) : (
        <SiteLink id={site} />
      )}{' '}
      <span className="soft small">
        {sites === 0 ? 'no sites: the link does not work' : site === null ? plural(sites, 'site') : null}
      </span>
    </>
  );
}

function SiteLink({ id }: { readonly id: string }) {
  const site = useQuery(siteQuery(id));
  return <Link to={`/sites/${id}`}>{site.data === undefined ? 'Site' : siteName(site.data)}</Link>;
}

function LinkActions({ link: { share_url: url, name } }: { readonly link: ShareLink }) {
  if (url === undefined) return <span className="soft small">encrypted with another key: create a new link</span>;
  return (
    <span className={styles.link}>
      <CopyButton text={url} title="Copy link" />
      <a href={url} target="_blank" rel="noreferrer">
        Open
        <span className="visually-hidden"> the link for {name === '' ? 'anyone' : name} (in a new tab)</span>
      </a>
    </span>
  );
}
