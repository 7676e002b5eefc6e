import Type from 'typebox';
import type { Viewer } from '../../accounts/access.ts';
import { PRO } from '../../domain/schemas.ts';
import { commaSeparated } from '../../platform/comma-separated.ts';
import { isObject } from '../../platform/json-object.ts';
import { tagsMax } from '../../reports/definition/limits.ts';
import type { CurrentSite, SiteContents } from '../../reports/save-site.ts';
import type { NewTimes, SiteUpdate } from '../../schedules/update-sites.ts';
import { refuseProValues } from '../http/pro-features.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { attributeProblem, type Problem, RequestError } from '../jsonapi/errors.ts';
import { NEW_SCHEDULE_ATTRIBUTES, parseNewSchedule } from './new-schedule.ts';
import { parseSiteChange, SITE_CHANGES } from './new-site.ts';
import { parseSelection, SELECTION, type Selection } from './site-selection.ts';

/** The attributes of a request that changes several sites. */

/** Attributes that sites do not have in common. Credentials and journeys are for one website. */
const OWN = ['name', 'starting_url', 'basic_auth', 'headers', 'cookies', 'login', 'journeys', 'only_journeys'];

const CHANGE = Type.Object(
  Object.fromEntries(Object.entries(SITE_CHANGES.properties).filter(([name]) => !OWN.includes(name))),
  {
    additionalProperties: false,
    description:
      'The attributes to change, as in `PATCH /sites/{site_id}`, except `name`, `starting_url`, credentials and journeys. `tags` replaces all tags.',
    examples: [{ max_pages: 500 }],
  },
);

const { periodicity, time_of_day, time_zone, spread, active, fail_on } = NEW_SCHEDULE_ATTRIBUTES.properties;
const SCHEDULE = Type.Object(
  { periodicity, time_of_day, time_zone, spread, active, fail_on },
  {
    additionalProperties: false,
    description:
      'Creates a schedule for each site, with the settings and credentials of the site, unless it has a schedule with the same times. Attributes as in `POST /schedules`.',
    examples: [{ periodicity: { every: 'week', weekday: 'friday' }, spread: true }],
    ...PRO,
  },
);

const givenTags = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: tagsMax })], {
      description: `${description} Separated by commas, or an array. Case is ignored.`,
      examples: ['shop', ['shop', 'blog']],
    }),
  );

export const SITE_UPDATE = Type.Object(
  {
    ...SELECTION,
    change: Type.Optional(CHANGE),
    add_tags: givenTags('Tags to add to each site.'),
    remove_tags: givenTags('Tags to remove from each site.'),
    schedule: Type.Optional(SCHEDULE),
    delete: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Deletes the sites with all their reports and schedules. Cannot be combined with a change.',
        examples: [false],
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to preview the request: the response is the same, but nothing is changed.',
        examples: [true],
      }),
    ),
  },
  { additionalProperties: false },
);

/** What to do with the selected sites. */
export interface SiteUpdateRequest {
  readonly selection: Selection;
  readonly isRehearsal: boolean;
  /** Null to delete them. */
  readonly update: SiteUpdate | null;
}

/** @throws RequestError invalid or pro_required, with all problems except those that depend on a site */
export function parseSiteUpdate(attributes: Attributes, viewer: Viewer): SiteUpdateRequest {
  // The parsers of sites and schedules name these attributes without the name of the object.
  const { change, schedule, ...flat } = attributes;
  const inner = { ...(change !== undefined && { change: {} }), ...(schedule !== undefined && { schedule: STAND_IN }) };
  const given = readAttributes(SITE_UPDATE, {
    ...flat,
    ...inner,
    ...(!isObject(change) && change !== undefined && { change }),
    ...(!isObject(schedule) && schedule !== undefined && { schedule }),
  });
  const selection = parseSelection(attributes);
  const isRehearsal = given.dry_run === true;
  const tags = { add: tagsIn(given.add_tags), remove: tagsIn(given.remove_tags) };
  const isChange = isObject(change) || tags.add.length + tags.remove.length > 0;
  const update = {
    change: isChange ? parseChange(isObject(change) ? change : {}, tags, viewer) : null,
    schedule: isObject(schedule) ? parseTimes(schedule, viewer) : null,
  };
  const isNothing = update.change === null && update.schedule === null;
  if (given.delete === true) {
    if (!isNothing) throw problem('delete', 'cannot be combined with a change, tags or a schedule');
    return { selection, isRehearsal, update: null };
  }
  if (isNothing) throw problem('change', "can't be blank without add_tags, remove_tags, schedule or delete");
  return { selection, isRehearsal, update };
}

/** A valid schedule that stands in for the given one, which is parsed separately. */
const STAND_IN = { periodicity: { every: 'day' } };

interface TagChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

function parseChange(change: Attributes, tags: TagChanges, viewer: Viewer): (current: CurrentSite) => SiteContents {
  within('change', () => readAttributes(CHANGE, change));
  refuseProValues(viewer, CHANGE, change, (name, title) => inside('change', attributeProblem(name, title)));
  const changesTags = tags.add.length + tags.remove.length > 0;
  const name = changesTags && !Object.hasOwn(change, 'tags') ? 'add_tags' : 'change';
  return (current) => {
    const before = Object.hasOwn(change, 'tags') ? tagsIn(change['tags']) : current.definition.tags;
    const attributes = changesTags ? { ...change, tags: changedTags(before, tags) } : change;
    return within(name, () => parseSiteChange(attributes, viewer)(current));
  };
}

/** Existing tags keep their order and spelling. */
function changedTags(before: readonly string[], { add, remove }: TagChanges): string[] {
  const has = (list: readonly string[], tag: string): boolean =>
    list.some((other) => other.toLowerCase() === tag.toLowerCase());
  const kept = before.filter((tag) => !has(remove, tag));
  return [...kept, ...add.filter((tag) => !has(kept, tag))];
}

function parseTimes(schedule: Attributes, viewer: Viewer): NewTimes {
  within('schedule', () => readAttributes(SCHEDULE, schedule));
  // Only the times are used.
  const attributes = { ...schedule, starting_url: 'https://example.com/' };
  const { periodicity, startTime, active, failOn } = within('schedule', () => parseNewSchedule(attributes, viewer));
  return { periodicity, startTime, active, failOn };
}

function tagsIn(given: unknown): string[] {
  const tags = typeof given === 'string' ? commaSeparated(given) : Array.isArray(given) ? given.map(String) : [];
  return tags.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

/** Runs a parser of the attributes in an object, and puts the name of the object into the pointers of its errors. */
function within<Result>(name: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new RequestError(
      error.code,
      error.problems.map((each) => inside(name, each)),
    );
  }
}

function inside(name: string, { source, ...words }: Problem): Problem {
  if (source === undefined || !('pointer' in source)) return { ...words };
  const pointer =
    name === 'add_tags' ? '/data/attributes/add_tags' : source.pointer.replace('/attributes/', `/attributes/${name}/`);
  return { ...words, source: { pointer } };
}

function problem(name: string, title: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, title)]);
}
