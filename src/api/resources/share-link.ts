import Type from 'typebox';
import { owned } from '../../accounts/access.ts';
import { count, LIFE, nullable, UUID, UUID_EXAMPLE, webAddress } from '../../domain/schemas.ts';
import { openSecret } from '../../platform/kept-secret.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { tagMaxCharacters } from '../../reports/definition/limits.ts';
import { createShareLink } from '../../reports/save-share-link.ts';
import { deleteSiteLink, findSiteLink, type ListedLink, listSiteLinks } from '../../store/reports/site-links.ts';
import { shareLinkNameMaxCharacters } from '../attributes/limits.ts';
import { NO_UUID, uuid } from '../attributes/parameters.ts';
import { secretsFor } from '../attributes/secret-attributes.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const NAME = { description: 'Who the link is for. Only you see it.', examples: ['Ada’s bakery'] };

const SHARE_LINK = resourceType('share_link', {
  description:
    'A link that opens the complete reports of a site, or of all sites with a tag, without an account: for clients who follow a site.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String(NAME),
    site_id: nullable(UUID, 'The id of the site; null for the link of a tag.', { examples: [UUID_EXAMPLE, null] }),
    tag: nullable(Type.String(), 'The tag; null for the link of a site.', { examples: [null, 'bakery'] }),
    num_sites: count(
      'The sites that it opens now. The link does not work while it opens none, because its sites are archived or have lost the tag.',
      { examples: [1] },
    ),
    share_url: Type.Optional(
      webAddress(
        'Anyone with this URL can read the complete reports of the sites, without an account. Its last segment is a secret that `GET /share/sites` accepts in place of an API token. Absent for read-only tokens, and if it was encrypted with another key.',
        { examples: ['https://sitewarden.example/latest/CtCjvqLc0RPl'] },
      ),
    ),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {
    site: { description: 'The site. Absent for the link of a tag.', path: '/sites/{site_id}' },
  },
});

const NEW = Type.Object(
  {
    name: Type.Optional(Type.String({ ...NAME, maxLength: shareLinkNameMaxCharacters, default: '' })),
    site_id: Type.Optional(
      Type.With(UUID, { description: 'The id of the site that it opens. Required unless there is a `tag`.' }),
    ),
    tag: Type.Optional(
      Type.String({
        description:
          'Opens all your sites with this tag, ignoring case, including sites that get the tag later. Not allowed with `site_id`.',
        maxLength: tagMaxCharacters,
        examples: ['bakery'],
      }),
    ),
  },
  { additionalProperties: false },
);

const PARAMS = Type.Object({ share_link_id: UUID });

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[site_id]': Type.Optional(
    Type.String({ description: 'Only links of the site with this id.', examples: [UUID_EXAMPLE] }),
  ),
  'filter[tag]': Type.Optional(
    Type.String({ description: 'Only links of this tag, ignoring case.', examples: ['bakery'] }),
  ),
});

export const SHARE_LINK_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/share_links',
    summary: 'Share the newest report of a site or a tag',
    description:
      'Creates a link that always shows the newest full report of the site, or of each site with the tag, its trend and what was fixed. It also opens all earlier complete reports. Readers see what readers of a shared report see, and the name of the site.',
    additive: true,
    answers: newOne(SHARE_LINK),
    body: {
      attributes: NEW,
      example: { name: 'Ada’s bakery', tag: 'bakery' },
      parse: (attributes) => targetOf(readAttributes(NEW, attributes)),
    },
    async answer({ call, body }) {
      const id = await createShareLink(call, { accountId: call.viewer.accountId, ...body });
      return renderShareLink(await ownLink(call, { share_link_id: id }), call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/share_links',
    summary: 'List share links of sites and tags',
    description: 'Returns your links, newest first. Reports that are shared on their own have `share_url`.',
    additive: true,
    query: LIST_QUERY,
    answers: listOf(SHARE_LINK),
    async answer({ call, query, paging }) {
      const siteId = query['filter[site_id]'];
      const filter = {
        accountId: call.viewer.accountId,
        siteId: siteId === undefined ? undefined : (uuid(siteId) ?? NO_UUID),
        tag: query['filter[tag]'],
      };
      return listed(await listSiteLinks(call.db, filter, paging), (link) => renderShareLink(link, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/share_links/{share_link_id}',
    summary: 'Get a share link',
    description: 'Returns one of your share links of sites and tags.',
    additive: true,
    params: PARAMS,
    answers: one(SHARE_LINK),
    subject: ownLink,
    answer: async ({ call, subject }) => renderShareLink(subject, call),
  }),
  endpoint({
    method: 'DELETE',
    path: '/share_links/{share_link_id}',
    summary: 'Revoke a share link',
    description: 'The link stops working immediately and permanently.',
    additive: true,
    params: PARAMS,
    answers: NOTHING,
    subject: ownLink,
    answer: ({ call, subject }) => deleteSiteLink(call.db, subject.id),
  }),
];

/** @throws RequestError invalid unless exactly one of site and tag is given */
function targetOf({ name = '', site_id: siteId, tag: given }: { name?: string; site_id?: string; tag?: string }) {
  const tag = given?.trim();
  if (siteId !== undefined && tag === undefined) return { name, siteId, tag: null } as const;
  const [attribute, problem] =
    siteId !== undefined
      ? ['tag', 'must not be given with site_id']
      : tag === undefined
        ? ['site_id', 'is required unless there is a tag']
        : ['tag', 'must be one tag'];
  if (siteId !== undefined || tag === undefined || tag === '' || tag.includes(',')) {
    throw new RequestError('invalid', [attributeProblem(attribute, problem)]);
  }
  return { name, siteId: null, tag } as const;
}

async function ownLink(call: Call, { share_link_id: id }: { readonly share_link_id: string }): Promise<ListedLink> {
  return owned(call.viewer, await findSiteLink(call.db, id));
}

function renderShareLink(link: ListedLink, { viewer, credentialStore, baseUrl, links }: Call): Resource {
  const { id, name, site_id, tag, num_sites, secret_hash: hash, secret_sealed: sealed, inserted_at: insertedAt } = link;
  const secret = openSecret(credentialStore.box, hash, sealed);
  return resource(SHARE_LINK, {
    id,
    attributes: {
      ...{ name, site_id, tag, num_sites, inserted_at: utcTime(insertedAt) },
      ...(secret !== null && secretsFor(viewer, { share_url: `${baseUrl}/latest/${secret}` })),
    },
    related: { site: site_id === null ? undefined : links(`/sites/${site_id}`) },
    self: links(`/share_links/${id}`),
  });
}
