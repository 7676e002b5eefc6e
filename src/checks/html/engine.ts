import { CheckFault } from '../../domain/check-fault.ts';
import { AppError } from '../../platform/errors.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { shareAnswer } from '../../platform/share-answer.ts';
import type { EngineRuntime } from '../check-engine.ts';
import {
  entityExpansionMaxCharacters,
  externalStartTimeoutMs,
  htmlCheckTimeoutMs,
  probeTimeoutMs,
  versionKeptMs,
} from './limits.ts';
import { createVnuClient, type HtmlValidator, isXml } from './vnu-client.ts';
import { createVnuServer, type VnuServerOptions } from './vnu-server.ts';

export interface HtmlEngineOptions extends VnuServerOptions {
  /** Number of documents at a time. One per core is enough. */
  readonly concurrency: number;
  /** The base URL of a running validator to use instead of starting one. */
  readonly externalUrl?: string | undefined;
}

/** Creates the HTML check: the W3C's Nu Html Checker, on the document that the site's server sent. */
export function createHtmlEngine(options: HtmlEngineOptions): EngineRuntime {
  const validator =
    options.externalUrl === undefined ? createVnuServer(options) : createExternalVnu(options.externalUrl);
  const semaphore = createSemaphore(options.concurrency);
  const version = shareAnswer(() => validator.version(), versionKeptMs);
  return {
    concurrency: options.concurrency,
    start: () => validator.start(),
    isReady: () => validator.isReady(),
    async basis() {
      const engineVersion = await version();
      // Another validator may report the same version.
      return engineVersion === null ? null : { engineVersion, settings: options.externalUrl ?? '' };
    },
    isResting: () => validator.isResting?.() ?? false,
    isBroken: () => validator.isBroken?.() ?? false,
    wake: async () => validator.wake?.(),
    stop: () => validator.stop(),
    async collect({ document, alone }, signal) {
      if (isXml(document.contentType) && expandsTooFar(document.body)) throw TOO_MUCH_EXPANDED;
      const release = await semaphore.acquire('check', signal, alone);
      return validator.validate(document, signal).finally(release);
    },
  };
}

const TOO_MUCH_EXPANDED = new CheckFault(
  { code: 'entities_too_long', params: { characters: entityExpansionMaxCharacters } },
  { permanent: true },
);

/**
 * Creates a client for a running vnu in server mode. Its limits `nu.validator.servlet.max-file-size` and
 * `nu.validator.messages.limit` must be raised, or large documents lose messages.
 */
export function createExternalVnu(url: string): HtmlValidator {
  const client = createVnuClient(url);
  let broken = false;
  return {
    async start() {
      if (await client.probe(externalStartTimeoutMs)) return;
      const remedy = 'Start it, fix SITEWARDEN_VNU_URL, or unset it to use the validator included in sitewarden.';
      throw new AppError('validator_failed_to_start', `No HTML validator responds at ${url}. ${remedy}`);
    },
    async isReady() {
      const ready = await client.probe(probeTimeoutMs);
      broken = !ready;
      return ready;
    },
    isBroken: () => broken,
    version: () => client.version(probeTimeoutMs),
    stop: () => client.close(),
    validate: (document, signal) =>
      client.validate(document, AbortSignal.any([signal, AbortSignal.timeout(htmlCheckTimeoutMs)])),
  };
}

/** Cost of each expansion, in addition to its characters. */
const charactersPerExpansion = 16;
/** Maximum depth of nested entities. Handwritten documents do not nest them deeper. */
const depthMax = 100;
/** Maximum length of a declaration before its value, in characters. */
const headMaxCharacters = 4_096;

const DECLARATION = '<!ENTITY';
/** The name of a general or parameter entity, up to the quote of its value or the keyword of an external entity. */
const HEAD = /^\s+(%\s+)?([^\s"'%&;]+)\s+(["']|SYSTEM\s|PUBLIC\s)/;
const REFERENCE = /[&%]([^\s"'%&;#]{1,200});/g;

/**
 * Returns whether the entities of an XML document expand to more than `entityExpansionMaxCharacters`. The validator's parser has
 * no such limit: nine entities that each contain ten references to the previous one would block it forever.
 *
 * Takes linear time. Assumes the worst in unclear cases (a declaration in a comment, a name that is declared twice). Circular
 * references cost nothing, because the validator reports them.
 */
export function expandsTooFar(body: Uint8Array): boolean {
  const text = asText(body);
  if (!text.includes(DECLARATION)) return false;
  const values = declaredValues(text);
  if (values === null) return true;
  const costs = new Map<string, number>();
  const open = new Set<string>();

  const costOfReferences = (source: string): number => {
    let cost = 0;
    for (const [, name = ''] of source.matchAll(REFERENCE)) {
      if (values.has(name)) cost += costOf(name) + charactersPerExpansion;
      if (cost > entityExpansionMaxCharacters) break;
    }
    return cost;
  };
  const costOf = (name: string): number => {
    const known = open.has(name) ? 0 : costs.get(name);
    if (known !== undefined) return known;
    if (open.size === depthMax) return Number.POSITIVE_INFINITY;
    open.add(name);
    const value = values.get(name) ?? '';
    const cost = value.length + costOfReferences(value);
    open.delete(name);
    costs.set(name, cost);
    return cost;
  };
  return costOfReferences(text) > entityExpansionMaxCharacters;
}

/** Decodes the bytes, approximately: declarations are ASCII, and other characters are only compared with each other. */
function asText(body: Uint8Array): string {
  const [first, second] = body;
  if (first === 0xfe || first === 0) return new TextDecoder('utf-16be').decode(body);
  if (first === 0xff || second === 0) return new TextDecoder('utf-16le').decode(body);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
}

/**
 * Returns the values of the declared entities. Joins the values of a name that is declared twice. External entities have none,
 * because they are never fetched.
 * @returns null when a declaration has an unknown form, or might expand to other declarations
 */
function declaredValues(text: string): ReadonlyMap<string, string> | null {
  const values = new Map<string, string>();
  for (let at = text.indexOf(DECLARATION); at !== -1; ) {
    const start = at + DECLARATION.length;
    const [head = '', parameter, name = '', mark = ''] = HEAD.exec(text.slice(start, start + headMaxCharacters)) ?? [];
    if (head === '') return null;
    const valueStart = start + head.length;
    let end = valueStart;
    if (mark === '"' || mark === "'") {
      end = text.indexOf(mark, valueStart);
      // An unterminated declaration is an error that the validator reports.
      if (end === -1) return values;
      const value = text.slice(valueStart, end);
      if (parameter !== undefined && /<!|&#|%/.test(value)) return null;
      values.set(name, (values.get(name) ?? '') + value);
    }
    at = text.indexOf(DECLARATION, end);
  }
  return values;
}
