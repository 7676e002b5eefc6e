import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { completeUrl, linesOf, pairsOf } from './report-settings.ts';

/** What a form of a report or a schedule sends: attributes of the API, by name. */
export type FormAttributes = Readonly<Record<string, unknown>>;

/**
 * Reads the settings in a form.
 * @param isPro whether the form has the fields that a paying plan has
 */
export function settingsIn(fields: FormData, isPro: boolean): FormAttributes {
  const shown = Object.entries(REPORT_ATTRIBUTES).filter(([, attribute]) => isPro || !attribute.isPro);
  return Object.fromEntries(shown.map(([name, { field }]) => [name, valueIn(fields, name, field)]));
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
    case 'text':
      return text(fields, name);
  }
}

/** Credentials for the site, of which only those that were typed are given, and what is wrong with them by attribute. */
interface AccessIn {
  readonly attributes: FormAttributes;
  readonly problems: readonly { readonly field: string; readonly detail: string }[];
}

/** Reads the credentials for the site in a form. `forget_access` takes away those that are stored. */
export function accessIn(fields: FormData): AccessIn {
  const [username = '', password = ''] = fields.getAll('basic_auth').map(String);
  const headers = pairsOf(text(fields, 'headers'), ':');
  const cookies = pairsOf(text(fields, 'cookies'), '=');
  const none = fields.has('forget_access') ? { basic_auth: null, headers: null, cookies: null } : {};
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
              detail: `Headers: “${headers.wrong}” is not a name, a colon and a value, or is there twice.`,
            },
          ]),
      ...(cookies.wrong === null
        ? []
        : [
            {
              field: 'cookies',
              detail: `Cookies: “${cookies.wrong}” is not a name, = and a value, or is there twice.`,
            },
          ]),
    ],
  };
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, or what was typed instead, which the service refuses by name. */
function numberIn(typed: string): number | string {
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}
