import Type from 'typebox';
import type { Viewer } from '../../accounts/access.ts';
import { nullable } from '../../domain/schemas.ts';
import { NO_ACCESS } from '../../domain/site-access.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { measuredBy, readDefinitionChange } from '../../reports/definition/definition-change.ts';
import {
  siteNameMaxCharacters,
  siteNotesMaxCharacters,
  siteSourceMaxCharacters,
} from '../../reports/definition/limits.ts';
import { NEW_REPORT } from '../../reports/definition/new-report.ts';
import { requestAttributes } from '../../reports/definition/request-attributes.ts';
import type { CurrentSite, NewSite, SiteContents } from '../../reports/save-site.ts';
import type { Attributes } from '../jsonapi/attributes.ts';
import { invalid } from '../jsonapi/errors.ts';

/** The defaults of a new site: as for a new report. */
const DEFAULTS: CurrentSite = {
  ...{ name: '', notes: '', isArchived: false, definition: NEW_REPORT, signsIn: false },
  siteAccess: () => NO_ACCESS,
};

const OWN_ATTRIBUTES = {
  name: Type.Optional(
    Type.String({
      maxLength: siteNameMaxCharacters,
      default: '',
      description: 'What you call the site.',
      examples: ['Shop'],
    }),
  ),
  notes: Type.Optional(
    Type.String({
      maxLength: siteNotesMaxCharacters,
      default: '',
      description: 'Notes, which only you see.',
      examples: [''],
    }),
  ),
};

/** What `synced_from` means, in requests and responses. */
export const SYNCED_FROM =
  'The `sitewarden sync` file that created the site and whose sync with `--prune` can archive or delete it';

/** The attributes of POST /sites. */
export const NEW_SITE_ATTRIBUTES = Type.Object(
  {
    ...requestAttributes(),
    ...OWN_ATTRIBUTES,
    synced_from: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: siteSourceMaxCharacters }),
        `${SYNCED_FROM}; null for none. Cannot be changed.`,
        { default: null, examples: [null, 'sites.yaml'] },
      ),
    ),
  },
  { additionalProperties: false },
);

/** The attributes of PATCH, all optional. */
export const SITE_CHANGES = Type.Partial(
  Type.Object(
    {
      ...requestAttributes(),
      ...OWN_ATTRIBUTES,
      archived: Type.Boolean({
        description: 'Whether it is archived: lists leave it out by default, and its schedules do not run.',
        examples: [true],
      }),
      acknowledged: Type.Literal(true, {
        description:
          'Acknowledges what the last report found, so that the site no longer needs attention because of it. Other attributes do not change.',
        examples: [true],
      }),
    },
    { additionalProperties: false },
  ),
);

/**
 * Parses the attributes of a new site.
 * @throws RequestError invalid, with every problem
 */
export function parseNewSite(attributes: Attributes, viewer: Viewer): NewSite {
  const contents = readContents(NEW_SITE_ATTRIBUTES, attributes, viewer, measuredBy(viewer, DEFAULTS));
  const { synced_from: source } = attributes;
  return { ...contents, syncedFrom: typeof source === 'string' ? source : null };
}

/** Parses a change to a site. Returns a function that applies it, and throws like `parseNewSite`. */
export function parseSiteChange(attributes: Attributes, viewer: Viewer): (current: CurrentSite) => SiteContents {
  return (current) => readContents(SITE_CHANGES, attributes, viewer, current);
}

function readContents(
  schema: typeof NEW_SITE_ATTRIBUTES | typeof SITE_CHANGES,
  attributes: Attributes,
  viewer: Viewer,
  current: CurrentSite,
): SiteContents {
  const faults = attributeFaults(schema, attributes);
  const changed = readDefinitionChange(attributes, faults, viewer.limits, current);
  if (faults.size > 0) throw invalid([...faults.values()]);
  const { name, notes, archived, acknowledged } = attributes;
  return {
    ...changed,
    name: typeof name === 'string' ? name.trim() : current.name,
    notes: typeof notes === 'string' ? notes : current.notes,
    isArchived: typeof archived === 'boolean' ? archived : current.isArchived,
    ...(acknowledged === true && { acknowledges: true }),
  };
}
