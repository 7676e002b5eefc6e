import { nameOfActions, type RecordedSteps, stepsOfActions } from '../../../packages/client/recorded-steps.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { shown, textsOf } from './imported.ts';
import {
  type ImportedSteps,
  importedJourneys,
  importedLogin,
  isUsable,
  type StepsTarget,
  targetOf,
} from './login-steps.ts';

interface Page {
  readonly url: string;
  readonly own: JsonObject;
}

/** What the actions of pa11y became. */
interface ImportedActions extends ImportedSteps {
  /** The lists of actions that are imported. */
  readonly imported: ReadonlySet<unknown>;
}

interface PageSteps extends RecordedSteps {
  readonly url: string;
  readonly from: unknown;
}

/**
 * Imports actions: the first list that signs in becomes the login, and lists of pages that do not sign in become journeys. pa11y
 * performs the actions of `defaults` on each page, so they are a login, too.
 */
export function importActions(
  defaults: JsonObject,
  pages: readonly Page[],
  name: string,
  as: StepsTarget | undefined,
): ImportedActions {
  const [first] = pages;
  const ofAll = first === undefined ? [] : readFrom([{ url: first.url, own: defaults }]);
  const ofPages = readFrom(pages);
  const usable = ofPages.filter(({ steps }) => steps.length > 1);
  const login = [...ofAll, ...usable].find(({ steps, from }) =>
    from === defaults['actions'] ? as !== 'journeys' : targetOf(steps, as) === 'login',
  );
  const isOneSite = new Set(pages.map(({ url }) => URL.parse(url)?.origin)).size === 1;
  const journeys = isOneSite && as !== 'login' ? usable.filter(({ steps }) => targetOf(steps, as) === 'journeys') : [];
  const unusable = ofPages.filter(({ steps }) => steps.length === 1);
  const used = [...(login === undefined ? [] : [login]), ...journeys, ...unusable];
  const read = [
    ...(login === undefined ? [] : [importedLogin(login.steps, name)]),
    ...(journeys.length === 0
      ? []
      : [importedJourneys(journeys.map(({ url, steps }) => ({ name: nameOfActions(url), steps })))]),
  ];
  return {
    settings: Object.assign({}, ...read.map(({ settings }) => settings)),
    journeys: read.flatMap((each) => each.journeys),
    remarks: [
      ...used.flatMap(({ others, url, from }) => {
        const owner = from === defaults['actions'] ? 'defaults' : url;
        return others.map(
          ({ number, what }) => `Action ${number} ${shown(what)} of ${owner} is not imported: it has no equivalent.`,
        );
      }),
      ...read.flatMap(({ remarks }) => remarks),
    ],
    notes: read.flatMap(({ notes }) => notes),
    imported: new Set(used.map(({ from }) => from)),
  };
}

function readFrom(pages: readonly Page[]): PageSteps[] {
  return pages.flatMap(({ url, own }) => {
    const actions = textsOf(own['actions']);
    if (actions.length === 0 || !/^https?:/.test(url)) return [];
    return [{ ...stepsOfActions(actions, url, isUsable), url, from: own['actions'] }];
  });
}
