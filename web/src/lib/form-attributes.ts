import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { completeUrl, linesOf, pairsOf } from './report-settings.ts';

/** The attributes that a form of a report or a schedule sends, by API name. */
export type FormAttributes = Readonly<Record<string, unknown>>;

/**
 * Reads the settings in a form.
 * @param isPro whether the form has the fields of paid plans
 */
export function settingsIn(fields: FormData, isPro: boolean): FormAttributes {
  const shown = Object.entries(REPORT_ATTRIBUTES).filter(([, attribute]) => isPro || !attribute.isPro);
  // Forms of guests and of plans without a browser do not show journeys.
  const given = shown.filter(([name, { field }]) => field !== 'steps' || fields.has(name));
  return Object.fromEntries(given.map(([name, { field }]) => [name, valueIn(fields, name, field)]));
}

type FieldKind = (typeof REPORT_ATTRIBUTES)[keyof typeof REPORT_ATTRIBUTES]['field'];

function valueIn(fields: FormData, name: string, field: FieldKind): unknown {
  switch (field) {
    case 'flag':
      return fields.has(name);
    case 'number':
      return numberIn(text(fields, name));
    case 'lines':
      return linesOf(text(fields, name));
    case 'url':
      return completeUrl(text(fields, name));
    case 'device':
      return text(fields, name) || 'default';
    case 'choice':
      return text(fields, name) || null;
    case 'steps':
      return stepsIn(text(fields, name));
    case 'text':
      return text(fields, name);
  }
}

/** Reads JSON. The service reports what is wrong with text that is not JSON. */
function stepsIn(given: string): unknown {
  if (given.trim() === '') return [];
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** The credentials that were entered for the site, without empty fields, and the errors by attribute. */
interface AccessIn {
  readonly attributes: FormAttributes;
  readonly problems: readonly { readonly field: string; readonly detail: string }[];
}

/** Reads the credentials for the site in a form. `forget_access` deletes the stored ones. */
export function accessIn(fields: FormData): AccessIn {
  const [username = '', password = ''] = fields.getAll('basic_auth').map(String);
  const headers = pairsOf(text(fields, 'headers'), ':');
  const cookies = pairsOf(text(fields, 'cookies'), '=');
  const none = fields.has('forget_access') ? { basic_auth: null, headers: null, cookies: null, login: null } : {};
  return {
    attributes: {
      ...none,
      ...(username + password !== '' && { basic_auth: { username, password } }),
      ...(Object.keys(headers.pairs).length > 0 && { headers: headers.pairs }),
      ...(Object.keys(cookies.pairs).length > 0 && { cookies: cookies.pairs }),
    },
    problems: [
      ...(headers.wrong === null
        ? []
        : [
            {
              field: 'headers',
              detail: `Headers: “${headers.wrong}” must have the form “Name: value”, and each name may occur only once.`,
            },
          ]),
      ...(cookies.wrong === null
        ? []
        : [
            {
              field: 'cookies',
              detail: `Cookies: “${cookies.wrong}” must have the form “name=value”, and each name may occur only once.`,
            },
          ]),
    ],
  };
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, or the text that was entered instead, which the service rejects with the name of the attribute. */
function numberIn(typed: string): number | string {
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}
