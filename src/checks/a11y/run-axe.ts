import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { DevtoolsSession } from '../../browser/devtools-session.ts';
import { finishAnimations } from '../../browser/page-load/finish-animations.ts';
import { type FrameWorld, innerWorlds, WORLD_NAME, withinFrameLimit } from '../../browser/page-load/frame-world.ts';
import { PAGE_LOAD_LIMITS } from '../../browser/page-load/limits.ts';
import type { ShownPage } from '../../browser/page-load/show-document.ts';
import { CheckFault } from '../../domain/check-fault.ts';
import { COLOR_RULES } from '../../domain/color-rules.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { rawCheckMaxCharacters } from '../limits.ts';
import { rawA11yCheck, runAxeInPage } from './axe-in-page.ts';
import { describeSettersInPage, type FoundStyleRules } from './describe-setters-in-page.ts';
import { listElementsExpression } from './elements-in-page.ts';
import type { AxeTarget, FrameAddress } from './interpret-axe.ts';
import { type A11yLimits, framePingMs, STYLE_RULE_LIMITS, styleRulesTimeoutMs } from './limits.ts';
import { type LocatedStyleRules, locateStyleRules, withoutPositions } from './locate-style-rules.ts';
import { collectRulesInPage, findStyleRulesInPage, probeInPage, traceColorsInPage } from './style-rules-in-page.ts';

const { resolve } = createRequire(import.meta.url);
const AXE_PATH = resolve('axe-core/axe.min.js');
const AXE_VERSION: string = JSON.parse(readFileSync(resolve('axe-core/package.json'), 'utf8')).version;
/** Lets axe communicate with frames of other origins, which are part of the page. */
const AXE_SOURCE = `${readFileSync(AXE_PATH, 'utf8')}\n;axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] });`;
/** Names of global variables in the isolated world. */
const START = 'startAxe';
const FRAME_PATHS = 'framePaths';
const REST = 'restOfAnswer';
const COLORED = 'coloredElements';
const SHEET_OWNERS = 'sheetOwners';
/** Characters per message from the page. Parsing a message of this size blocks the event loop for about 10 ms. */
const pieceCharacters = 1_048_576;

/**
 * Adds axe to the isolated world of every new document of a page, as a function that is called later. Sending the 650 kB for each
 * check would take 35 ms of CPU time.
 */
export async function prepareAxe(cdp: DevtoolsSession): Promise<void> {
  const source = `globalThis.${START} = () => { ${AXE_SOURCE} };`;
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD_NAME });
}

export interface AxeOptions {
  /** Whether to also return axe's whole results. Default: false. */
  readonly keepsRaw?: boolean;
  /** Rules that run in addition to the default rules. */
  readonly rules: readonly string[];
  /** An expression for the function that removes known findings from axe's results. Default: null, all are kept. */
  readonly narrow?: string | null;
}

/**
 * Runs axe with its default rules and additional rules on a page and the frames in it.
 *
 * axe starts when the page has settled, in an isolated world, so that it does not affect how the page loads, the page's content
 * security policy does not apply to it, and the page's scripts cannot manipulate it.
 * @returns the parts of the result as JSON, after the notes that begin it
 * @throws CheckFault when the results are too large
 */
export async function runAxe(
  { page, cdp, main }: Pick<ShownPage, 'page' | 'cdp' | 'main'>,
  { keepsRaw = false, rules, narrow = null }: AxeOptions,
  { resultMaxCharacters }: A11yLimits,
): Promise<readonly Buffer[]> {
  const [inner] = await Promise.all([innerWorlds(page, cdp), startAxe(main)]);
  await Promise.all(inner.map((world) => withinFrameLimit(startInFrame(world))));
  const keepRaw = keepsRaw ? `(results) => (${rawA11yCheck.toString()})(results, ${rawCheckMaxCharacters})` : 'null';
  const options = `{ rules: ${JSON.stringify(rules)}, pingWaitTime: ${framePingMs}, maxCharacters: ${resultMaxCharacters}, pathsName: '${FRAME_PATHS}', coloredName: '${COLORED}', colorRules: ${JSON.stringify(COLOR_RULES)} }`;
  const first = await main.evaluate(
    inPieces(`(${runAxeInPage.toString()})(axe, ${keepRaw}, ${narrow}, ${listElementsExpression()}, ${options})`),
  );
  if (first === null) throw tooMuchFound(resultMaxCharacters);
  const found = await collectPieces(main, first);
  const frames = inner.length === 0 ? [] : await addressFrames(await framePaths(main), main, inner);
  const engineVersion = engineVersionWith(page.context().browser()?.version());
  const head = `"engineVersion":${JSON.stringify(engineVersion)},"frames":${JSON.stringify(frames)},"found":`;
  return [Buffer.from(head), found, Buffer.from('}')];
}

/** How axe's results begin when they have no issues. */
const WITHOUT_FINDINGS = '{"results":{"violations":[],"incomplete":[]}';

/** Whether the parts that `runAxe` returned have no issues. */
export function isWithoutFindings([, found]: readonly Buffer[]): boolean {
  return found?.toString('latin1', 0, WITHOUT_FINDINGS.length) === WITHOUT_FINDINGS;
}

export function engineVersionWith(browserVersion: string | undefined): string {
  return `axe-core ${AXE_VERSION}, Chromium ${browserVersion}`;
}

/**
 * Finds the style rules of elements with insufficient contrast. Null if there are none; also null, and not complete, if the
 * search fails or takes too long.
 */
export async function findStyleRules({ cdp, main }: Pick<ShownPage, 'cdp' | 'main'>): Promise<{
  readonly styleRules: LocatedStyleRules | null;
  readonly isComplete: boolean;
}> {
  const functions = Object.entries({
    collect: collectRulesInPage,
    trace: traceColorsInPage,
    probe: probeInPage,
    describe: describeSettersInPage,
  }).map(([name, each]) => `${name}: ${each.toString()}`);
  const options = `${COLORED}, ${JSON.stringify(STYLE_RULE_LIMITS)}, '${SHEET_OWNERS}'`;
  const expression = `(${findStyleRulesInPage.toString()})({ ${functions.join(', ')} }, ${options})`;
  const finding = main.evaluate(`${COLORED}.length === 0 ? 'none' : ${expression}`);
  const found = (await inTimeOr(finding, styleRulesTimeoutMs, null)) as FoundStyleRules | 'none' | null;
  if (found === null || found === 'none') return { styleRules: null, isComplete: found !== null };
  const located = await inTimeOr(locateStyleRules(cdp, main, found, SHEET_OWNERS), styleRulesTimeoutMs, null);
  return { styleRules: located ?? withoutPositions(found), isComplete: located !== null };
}

function tooMuchFound(maxCharacters: number): CheckFault {
  const params = { characters: maxCharacters };
  return new CheckFault({ code: 'a11y_answer_too_large', params }, { permanent: true });
}

/** Finishes the frame's animations and starts axe. In the main frame, `settlePage` has finished them. */
async function startInFrame(world: FrameWorld): Promise<void> {
  await world.evaluate(finishAnimations(PAGE_LOAD_LIMITS.fontsTimeoutMs));
  await startAxe(world);
}

/** Starts axe, once. Frames in separate processes, and some frames without a document, have not been prepared. */
async function startAxe(world: FrameWorld): Promise<void> {
  if ((await world.evaluate(`typeof globalThis.axe?.run === 'function'`)) === true) return;
  const started = await world.evaluate(`typeof ${START} === 'function' && (${START}(), true)`);
  if (started !== true) await world.evaluate(AXE_SOURCE);
}

/** Returns the paths of the frames with issues. */
async function framePaths(main: FrameWorld): Promise<AxeTarget[]> {
  const paths = await main.evaluate(FRAME_PATHS);
  // Set by `runAxeInPage`, in a world that the page cannot access.
  return Array.isArray(paths) ? paths : [];
}

/** Finds the URL of each frame with issues. */
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

/** Returns an expression for the element. A selector that is a list leads through shadow roots. */
function elementExpression(selector: string | readonly string[]): string {
  const steps = typeof selector === 'string' ? [selector] : selector;
  return `${JSON.stringify(steps)}.reduce(
    (root, step, index) => (index === 0 ? root : root.shadowRoot).querySelector(step), document)`;
}

/** The first piece of a page's result. The others are requested one by one. */
interface FirstPiece {
  readonly text: string;
  /** Number of pieces that follow. */
  readonly following: number;
}

/** Returns an expression that splits the text that `textExpression` resolves with. Null remains null. */
function inPieces(textExpression: string): string {
  return `(${textExpression}).then((text) => text && (${splitInPage.toString()})(text, ${pieceCharacters}, '${REST}'))`;
}

/** Collects the remaining pieces and returns the whole text in UTF-8. */
async function collectPieces(world: FrameWorld, first: unknown): Promise<Buffer> {
  if (!isFirstPiece(first)) throw new Error('The page returned no result.');
  const pieces = [Buffer.from(first.text)];
  for (let index = 0; index < first.following; index += 1) {
    pieces.push(Buffer.from(String(await world.evaluate(`${REST}[${index}]`))));
  }
  return Buffer.concat(pieces);
}

function isFirstPiece(value: unknown): value is FirstPiece {
  return typeof value === 'object' && value !== null && 'text' in value && 'following' in value;
}

/** Runs in the page, so it refers to nothing outside of it. Never splits surrogate pairs, which could not be encoded. */
function splitInPage(text: string, maxCharacters: number, rest: string): FirstPiece {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + maxCharacters;
    const code = text.charCodeAt(end - 1);
    const isWithinPair = end < text.length && code >= 0xd800 && code < 0xdc00;
    pieces.push(text.slice(start, isWithinPair ? end - 1 : end));
    start = isWithinPair ? end - 1 : end;
  }
  const [first = '', ...following] = pieces;
  Reflect.set(globalThis, rest, following);
  return { text: first, following: following.length };
}
