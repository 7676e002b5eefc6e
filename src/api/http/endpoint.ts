import type { Readable } from 'node:stream';
import type { Transaction } from 'kysely';
import Type, { type Static, type TObject } from 'typebox';
import { Check } from 'typebox/schema';
import type { Standard } from '../../../packages/client/standards.ts';
import { requireOperator, type Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import type { SignUp } from '../../accounts/register.ts';
import type { ComparisonFormatName, ExportFormatName } from '../../domain/export-formats.ts';
import type { TestLogin } from '../../logins/test-login.ts';
import type { TestJourney } from '../../logins/try-steps.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ErrorCode, notFound } from '../../platform/errors.ts';
import { isObject } from '../../platform/json-object.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ComparedPeriod } from '../../reports/compare-site.ts';
import type { CountExchange } from '../../store/counts/count-exchange.ts';
import type { Database, Executor } from '../../store/database.ts';
import type { ListPage } from '../../store/listing.ts';
import type { CredentialStore } from '../../store/reports/credential-store.ts';
import type { VisibleReport } from '../../store/reports/reports.ts';
import type { PartResult, Schema } from '../../store/schema.ts';
import type { ReportFeeds } from '../events/report-feeds.ts';
import { type Attributes, attributesOf, readAttributes } from '../jsonapi/attributes.ts';
import { list, type Resource, single } from '../jsonapi/document.ts';
import { attributeProblem, parameterProblem } from '../jsonapi/errors.ts';
import { type Paging, pageLinks, pagingOf, type QueryPair, readQuery } from '../jsonapi/query.ts';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import type { AddressSettings, Links } from './links.ts';
import { refuseProValues, requirePro } from './pro-features.ts';

export interface ApiSettings extends AddressSettings {
  readonly planLimits: LimitsOfPlans;
  /** The standard of accounts that have not chosen one; null for none. */
  readonly standard: Standard | null;
  /** Requests per minute and token; null for no limit. */
  readonly apiRateLimit: number | null;
  /** When schedules run on their days, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
  /** A URL that shows owners of sites who operates the crawler; null for none. */
  readonly contactUrl: string | null;
  /** The sender of emails; null if this installation sends none. */
  readonly mailFrom: string | null;
  /** Who may create an account without the operator. */
  readonly signUp: SignUp;
  /** Where scheduled backups are written; null: there are none. */
  readonly backupDir: string | null;
  /** Whether requests to private networks are allowed. */
  readonly allowPrivateNetworks: boolean;
}

/**
 * Writes a report in a format, reading it as the chunks are requested.
 * @param report with the checks that its reader may see
 * @param signal aborted when no client waits for it anymore
 */
export type ExportReport = (
  report: VisibleReport,
  format: ExportFormatName,
  signal: AbortSignal,
) => AsyncIterable<string | Uint8Array>;

/** Writes the comparison of a period of a site in a format. */
export type ExportComparison = (period: ComparedPeriod, format: ComparisonFormatName) => AsyncIterable<string>;

/** The parts of the app that the routes of the API use. */
export interface ApiParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly clock: Clock;
  readonly feeds: ReportFeeds;
  /** Requests in the last minute to other processes. */
  readonly requestCounts: Pick<CountExchange, 'add' | 'others'>;
  readonly exportReport: ExportReport;
  readonly exportComparison: ExportComparison;
  readonly testLogin: TestLogin;
  readonly testJourney: TestJourney;
  readonly config: ApiSettings;
  readonly log: Logger;
}

/** An authenticated request, with what endpoints need to serve it. */
export interface Call
  extends Pick<
      ApiParts,
      'credentialStore' | 'clock' | 'feeds' | 'exportReport' | 'exportComparison' | 'testLogin' | 'testJourney'
    >,
    Pick<
      ApiSettings,
      'planLimits' | 'scheduleTimeMs' | 'contactUrl' | 'mailFrom' | 'signUp' | 'allowPrivateNetworks' | 'backupDir'
    > {
  readonly db: Executor;
  readonly once: Once;
  readonly viewer: Viewer;
  /** The public address of this installation, without a trailing slash. */
  readonly baseUrl: string;
  readonly links: Links;
  /** The path after `/api/v1`, as sent. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly QueryPair[];
  /** The `Last-Event-ID` header. */
  readonly lastEventId: string | undefined;
  /** Authenticates the request again, for a response that continues. @throws AppError as for a new request */
  reauthenticate(): Promise<Viewer>;
  /** The parsed body; undefined if there is none, or if the endpoint ignores bodies. */
  readonly body: unknown;
  /** Adds what the request does to the action in the audit log. */
  remark(text: string): void;
}

/**
 * Does a part of a request in a transaction. If an interrupted request with the same idempotency key has already done it, only
 * returns that result.
 * @param part its name in the request
 */
export type Once = <Result extends PartResult>(
  part: string,
  work: (trx: Transaction<Schema>) => Promise<Result>,
) => Promise<Result>;

export interface Answer {
  readonly status: number;
  readonly document: object | null;
  readonly location?: string;
  /** Opens the stream of events that the response consists of. Not called for HEAD. */
  stream?(): Promise<Readable>;
  readonly file?: FileAnswer;
}

/** A file that the response consists of. */
export interface FileAnswer {
  readonly name: string;
  readonly mediaType: string;
  /**
   * Starts to read it. Not called for HEAD.
   * @param gone aborted when the client goes away
   * @throws AppError if it cannot be read
   */
  open(gone: AbortSignal): Promise<Readable>;
}

/** The body that an endpoint takes: the attributes of a resource. */
export interface BodySpec<Body> {
  readonly attributes: TObject;
  /** Valid attributes, for the documentation. A test sends them. */
  readonly example: Attributes;
  /** @throws RequestError invalid, with everything that is wrong */
  parse(attributes: Attributes, viewer: Viewer): Body;
}

/** The response of an endpoint if it succeeds, made of what its `answer` returns. */
export interface Success<Result = never> {
  readonly status: 200 | 201 | 204;
  readonly content: 'one' | 'list' | 'events' | 'file' | 'nothing';
  /** The type of the resources in it; null without content. */
  readonly of: ResourceType | null;
  /** The `meta` of a list, except for `total` and `page`. */
  readonly meta?: TObject;
  /** The media types of a file. */
  readonly mediaTypes?: readonly string[];
  respond(result: Result, call: Call, paging: Paging): Omit<Answer, 'status'>;
}

export function one(of: ResourceType): Success<Resource> {
  return { status: 200, content: 'one', of, respond: (data) => ({ document: single(data) }) };
}

/** The response has the URL of the new resource, if it has one, in `Location`. */
export function newOne(of: ResourceType): Success<Resource> {
  const respond = (data: Resource) => ({ document: single(data), ...(data.links && { location: data.links.self }) });
  return { status: 201, content: 'one', of, respond };
}

export function listOf(of: ResourceType): Success<Listed> {
  return {
    status: 200,
    content: 'list',
    of,
    respond({ total, resources, more }, call, paging) {
      const { links, meta } = pageLinks(call.links(call.path), call.query, paging, total);
      return { document: list(resources, links, { ...meta, ...more }) };
    },
  };
}

/** The endpoint returns a function that opens the stream. */
export function eventsAbout(of: ResourceType): Success<() => Promise<Readable>> {
  return { status: 200, content: 'events', of, respond: (stream) => ({ document: null, stream }) };
}

/** The endpoint returns the file. */
export function fileOf(of: ResourceType, mediaTypes: readonly string[]): Success<FileAnswer> {
  return { status: 200, content: 'file', of, mediaTypes, respond: (file) => ({ document: null, file }) };
}

export const NOTHING: Success<void> = {
  status: 204,
  content: 'nothing',
  of: null,
  respond: () => ({ document: null }),
};

/** A page of a list. */
interface Listed {
  /** Number of resources in the whole list. */
  readonly total: number;
  readonly resources: readonly Resource[];
  /** Additional members of the list's `meta`. */
  readonly more: object;
}

export function listed<Row>({ total, rows }: ListPage<Row>, render: (row: Row) => Resource, more: object = {}): Listed {
  return { total, resources: rows.map(render), more };
}

/** The declaration of an endpoint: enough to serve it and to document it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`: `/reports/{report_id}`. */
  readonly path: string;
  readonly summary: string;
  /** More details, in sentences. */
  readonly description: string;
  /** Whether it requires a plan with Pro features. */
  readonly pro: boolean;
  /** Whether only operators may use it. */
  readonly operator: boolean;
  /** Whether sitewarden adds it to the contract. */
  readonly additive: boolean;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: Omit<BodySpec<unknown>, 'parse'> | null;
  readonly answers: Success;
  /** Codes of errors that do not follow from the method, the path, the query and the body. */
  readonly errors: readonly ErrorCode[];
  /**
   * Whether it uses several transactions even with an idempotency key. Each must change nothing when it is repeated, or use
   * `once`. If it fails with an AppError, it must have changed nothing.
   */
  readonly isInParts: boolean;
  /** For an endpoint without attributes, the problem with any attribute in a body; null to ignore bodies. */
  readonly refusal: string | null;
  /** Whether an idempotency key has no effect: it changes nothing, and takes too long for a transaction. */
  readonly ignoresKey: boolean;
  run(call: Call): Promise<Answer>;
}

/** The parameters of an endpoint that has none. */
const NONE = Type.Object({});

interface Parsed<Params, Query, Subject, Body> {
  readonly call: Call;
  readonly params: Params;
  readonly query: Query;
  readonly subject: Subject;
  readonly body: Body;
  /** The page of a list that the query requests. */
  readonly paging: Paging;
}

type Declared = 'method' | 'path' | 'summary' | 'description';
type Optional = 'pro' | 'operator' | 'additive' | 'errors' | 'isInParts' | 'refusal' | 'ignoresKey';

interface EndpointSpec<Params extends TObject, Query extends TObject, Subject, Body, Result>
  extends Pick<Endpoint, Declared>,
    Partial<Pick<Endpoint, Optional>> {
  readonly answers: Success<Result>;
  /** Required if the path has parameters. */
  readonly params?: Params;
  /** Default: no parameters. */
  readonly query?: Query;
  /**
   * Finds what the path names, if the viewer may access it. Every endpoint whose path has parameters checks access here, with
   * `accounts/access.ts`.
   */
  subject?(call: Call, params: Static<Params>): Promise<Subject>;
  answer(parsed: Parsed<Static<Params>, Static<Query>, Subject, Body>): Promise<Result>;
}

/** Defines an endpoint that takes no attributes. */
export function endpoint<Params extends TObject, Query extends TObject, Subject, Result>(
  spec: EndpointSpec<Params, Query, Subject, undefined, Result>,
): Endpoint {
  const { refusal = null } = spec;
  return define(spec, null, ({ body }) => {
    const data = isObject(body) ? body['data'] : null;
    const attributes = isObject(data) ? data['attributes'] : null;
    if (refusal !== null && isObject(attributes)) readAttributes(NONE, attributes, { ofUnknown: refusal });
  });
}

/** Defines an endpoint that takes a body. */
export function bodyEndpoint<Params extends TObject, Query extends TObject, Subject, Body, Result>(
  spec: EndpointSpec<Params, Query, Subject, Body, Result> & { readonly body: BodySpec<Body> },
): Endpoint {
  return define(spec, spec.body, (call) => {
    // The body of a change may have the id of the resource, the last parameter of the path.
    const id = spec.method === 'POST' ? null : (Object.values(call.params).at(-1) ?? null);
    const attributes = attributesOf(call.body, { type: spec.answers.of?.name ?? '', id });
    refuseProValues(call.viewer, spec.body.attributes, attributes, attributeProblem);
    return spec.body.parse(attributes, call.viewer);
  });
}

/**
 * Defines an endpoint and the order of its checks. Before it runs, the server has checked the token (401, 403, 429) and read
 * the body (413, 415, 400). Then it checks:
 * 1. the viewer: whether it is an operator, if that is required, and whether the plan includes the endpoint (403, which reveals
 *    nothing about what the path names)
 * 2. the path: whether its ids are well-formed, and whether the viewer can access what it names (404, 403)
 * 3. the query, then the body: their form (400, 409), whether the plan includes what they ask for (403, with all such values,
 *    before other values are validated, since fixing those would not help), and their values (400, 422)
 */
function define<Params extends TObject, Query extends TObject, Subject, Body, Result>(
  spec: EndpointSpec<Params, Query, Subject, Body, Result>,
  body: Endpoint['body'],
  parseBody: (call: Call) => Body,
): Endpoint {
  if (spec.path.includes('{') && (spec.params === undefined || spec.subject === undefined)) {
    throw new Error(`${spec.method} ${spec.path} declares no parameters, or not who may access what they name.`);
  }
  // Without a declaration, the compiler infers the type.
  const { params = NONE as TObject as Params, query = NONE as TObject as Query, pro = false, operator = false } = spec;
  const { answers, description } = spec;
  return {
    ...{ additive: false, errors: [], isInParts: false, refusal: null, ignoresKey: false },
    ...spec,
    ...{ params, query, pro, operator, body },
    description: operator ? `${description} Only for operators.` : description,
    async run(call) {
      if (operator) requireOperator(call.viewer);
      if (pro) requirePro(call.viewer);
      if (!Check(params, call.params)) throw notFound();
      const subject = (await spec.subject?.(call, call.params)) as Subject;
      const parsedQuery = readQuery(query, call.query);
      refuseProValues(call.viewer, query, parsedQuery, parameterProblem);
      const paging = pagingOf(parsedQuery);
      const parsed = { call, params: call.params, query: parsedQuery, subject, paging, body: parseBody(call) };
      return { status: answers.status, ...answers.respond(await spec.answer(parsed), call, paging) };
    },
  };
}
