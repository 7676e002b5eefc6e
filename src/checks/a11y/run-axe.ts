import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession } from 'playwright-core';
import { finishAnimations } from '../../browser/page-load/finish-animations.ts';
import { type FrameWorld, innerWorlds, WORLD_NAME, withinFrameLimit } from '../../browser/page-load/frame-world.ts';
import { PAGE_LOAD_LIMITS } from '../../browser/page-load/limits.ts';
import type { ShownPage } from '../../browser/page-load/show-document.ts';
import type { RawCheck } from '../../domain/check.ts';
import { CheckFailure } from '../../domain/check-failure.ts';
import { rawCheckMaxCharacters } from '../limits.ts';
import { collectPieces, inPieces } from './answer-pieces.ts';
import type { AxeTarget, FrameAddress } from './axe-raw.ts';
import { type A11yLimits, framePingMs } from './limits.ts';
import { rawA11yCheck } from './raw-a11y-check.ts';

const AXE_PATH = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Frames of other origins are part of the page, so the checkers in them talk to each other. */
const AXE_SOURCE = `${readFileSync(AXE_PATH, 'utf8')}\n;axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] });`;
const START = 'startAxe';
const FRAME_PATHS = 'framePaths';

/**
 * Has every document of a page get axe when it begins, in a world of our own, asleep: as a function that is not called
 * yet. Sending the 650 kB when they are needed would cost 35 ms of processor time for each page.
 */
export async function prepareAxe(cdp: CDPSession): Promise<void> {
  const source = `globalThis.${START} = () => { ${AXE_SOURCE} };`;
  await cdp.send('Page.enable');
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD_NAME });
}

/**
 * Runs axe with its default rules on a page and the frames in it.
 *
 * axe is woken when the page has come to rest, in a world of its own: so it neither slows nor changes the loading of the
 * page, a policy of the page cannot keep it out, and a script of the page cannot bend it.
 * @throws CheckFailure when it finds too much
 */
export async function runAxe(
  { page, cdp, main, notes }: Pick<ShownPage, 'page' | 'cdp' | 'main' | 'notes'>,
  keepsRaw: boolean,
  { resultMaxCharacters }: A11yLimits,
): Promise<Buffer> {
  const [inner] = await Promise.all([innerWorlds(page, cdp), startAxe(main)]);
  await Promise.all(inner.map((world) => withinFrameLimit(startInFrame(world))));
  const keepRaw = keepsRaw ? `(results) => (${rawA11yCheck.toString()})(results, ${rawCheckMaxCharacters})` : 'null';
  const limits = `{ pingWaitTime: ${framePingMs}, maxCharacters: ${resultMaxCharacters}, pathsName: '${FRAME_PATHS}' }`;
  const first = await main.evaluate(inPieces(`(${runInPage.toString()})(axe, ${keepRaw}, ${limits})`));
  if (first === null) throw tooMuchFound(resultMaxCharacters);
  const found = await collectPieces(main, first);
  const frames = inner.length === 0 ? [] : await addressFrames(await framePaths(main), main, inner);
  const head = `{"notes":${JSON.stringify(notes)},"frames":${JSON.stringify(frames)},"found":`;
  return Buffer.concat([Buffer.from(head), found, Buffer.from('}')]);
}

function tooMuchFound(maxCharacters: number): CheckFailure {
  const params = { characters: maxCharacters };
  return new CheckFailure({ code: 'a11y_answer_too_large', params }, { permanent: true });
}

/** The page around it has been brought to rest before. */
async function startInFrame(world: FrameWorld): Promise<void> {
  await world.evaluate(finishAnimations(PAGE_LOAD_LIMITS.fontsTimeoutMs));
  await startAxe(world);
}

/** Frames in processes of their own have not been prepared, nor have some that never got a document. */
async function startAxe(world: FrameWorld): Promise<void> {
  const started = await world.evaluate(`typeof ${START} === 'function' && (${START}(), true)`);
  if (started !== true) await world.evaluate(AXE_SOURCE);
}

/** The paths of the frames in which something was found. */
async function framePaths(main: FrameWorld): Promise<AxeTarget[]> {
  const paths = await main.evaluate(FRAME_PATHS);
  // It is what `runInPage` left there, in a world that nothing of the page reaches.
  return Array.isArray(paths) ? paths : [];
}

/** The URL of each frame in which something was found. */
async function addressFrames(
  paths: readonly AxeTarget[],
  main: FrameWorld,
  inner: readonly FrameWorld[],
): Promise<FrameAddress[]> {
  const addresses = await Promise.all(paths.map((path) => addressFrame(path, main, inner)));
  return addresses.filter((address) => address !== null);
}

async function addressFrame(
  path: AxeTarget,
  main: FrameWorld,
  inner: readonly FrameWorld[],
): Promise<FrameAddress | null> {
  let world: FrameWorld | undefined = main;
  for (const selector of path) {
    const frameId: string | null = await world.frameIn(elementExpression(selector)).catch(() => null);
    world = inner.find((candidate) => candidate.frameId === frameId);
    if (world === undefined) return null;
  }
  return { path, url: world.url };
}

/** A selector that is a list leads through shadow roots. */
function elementExpression(selector: string | readonly string[]): string {
  const steps = typeof selector === 'string' ? [selector] : selector;
  return `${JSON.stringify(steps)}.reduce(
    (root, step, index) => (index === 0 ? root : root.shadowRoot).querySelector(step), document)`;
}

/** The parts of the page's world that `runInPage` touches; this file is not checked against a browser's types. */
interface PageElement {
  getRootNode(): { readonly host?: PageElement };
}
interface PageReference {
  element?: PageElement | undefined;
}
interface PageCheck {
  readonly relatedNodes: readonly PageReference[];
}
interface PageNode extends PageReference {
  readonly any: readonly PageCheck[];
  readonly all: readonly PageCheck[];
  readonly none: readonly PageCheck[];
  readonly target: AxeTarget;
}
interface PageRule {
  readonly nodes: readonly PageNode[];
}
interface PageResults extends Record<'violations' | 'incomplete' | 'passes' | 'inapplicable', readonly PageRule[]> {
  readonly toolOptions: { elementRef?: boolean | undefined; pingWaitTime?: number | undefined };
}
interface PageAxe {
  run(options: object): Promise<PageResults>;
}
declare const document: { querySelectorAll(selector: string): Iterable<PageElement> & ArrayLike<PageElement> };

interface PageOptions {
  readonly pingWaitTime: number;
  readonly maxCharacters: number;
  /** The global variable that gets the paths of the frames in which something was found. */
  readonly pathsName: string;
}

/**
 * Runs in the page, and so stands alone. Gives the results as JSON, which is the fastest way out of a page, with the
 * place of each node among the page's elements: that of its frame or shadow host for one further inside. Gives null when
 * that is longer than `maxCharacters`.
 */
async function runInPage(
  axe: PageAxe,
  keepRaw: ((results: PageResults) => RawCheck) | null,
  { pingWaitTime, maxCharacters, pathsName }: PageOptions,
): Promise<string | null> {
  const wanted = keepRaw !== null ? {} : { resultTypes: ['violations', 'incomplete'] };
  const results = await axe.run({ ...wanted, elementRef: true, pingWaitTime });
  const order = new Map<PageElement, number>();
  for (const element of document.querySelectorAll('*')) order.set(element, order.size);

  function elementOf(node: PageNode): PageElement | undefined {
    if (node.element !== undefined) return node.element;
    const outermost = node.target[0];
    const selector = typeof outermost === 'string' ? outermost : outermost?.[0];
    return selector === undefined ? undefined : document.querySelectorAll(selector)[0];
  }
  function placeOf(node: PageNode): number {
    let element = elementOf(node);
    while (element !== undefined && !order.has(element)) element = element.getRootNode().host;
    return element === undefined ? 0 : (order.get(element) ?? 0);
  }
  const placesOf = (rules: readonly PageRule[]): number[][] => rules.map((rule) => rule.nodes.map(placeOf));
  const places = { violations: placesOf(results.violations), incomplete: placesOf(results.incomplete) };
  // An element has no meaning outside of the page, and what is undefined is left out, so that the rest is as axe gives it.
  results.toolOptions.elementRef = undefined;
  results.toolOptions.pingWaitTime = undefined;
  const all = [results.violations, results.incomplete, results.passes, results.inapplicable];
  for (const node of all.flat().flatMap((rule) => rule.nodes)) {
    node.element = undefined;
    const related = [node.any, node.all, node.none].flat().flatMap((check) => check.relatedNodes);
    for (const reference of related) reference.element = undefined;
  }
  const { violations, incomplete } = results;
  const inFrames = [violations, incomplete]
    .flat()
    .flatMap((rule) => rule.nodes.filter((node) => node.target.length > 1));
  const paths = new Map(inFrames.map(({ target }) => [JSON.stringify(target.slice(0, -1)), target.slice(0, -1)]));
  Reflect.set(globalThis, pathsName, [...paths.values()]);
  const answer = JSON.stringify({ results: { violations, incomplete }, places, full: keepRaw?.(results) ?? null });
  return answer.length > maxCharacters ? null : answer;
}
