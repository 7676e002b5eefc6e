import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import type { Failure } from '../domain/failures/failure.ts';
import type { LoginStep, PageTest } from '../domain/login.ts';
import { addressOf } from '../domain/login-session.ts';
import { messageOf } from '../platform/errors.ts';
import { expectTimeoutMs, openTimeoutMs, pollMs, stepTimeoutMs, waitTimeoutMs } from './limits.ts';

/** Why a step failed. Its failure never contains text that the step enters. */
export class StepFault extends Error {
  override readonly name = 'StepFault';
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.code, options);
    this.failure = failure;
  }
}

/** A function that keeps the text of a field out of screenshots, for `evaluate`. */
const MASK = (field: MaskedField): void => field.style.setProperty('-webkit-text-security', 'disc', 'important');

/** The part of an element that `MASK` uses: this project does not include the browser's types. */
interface MaskedField {
  readonly style: { setProperty(name: string, value: string, priority: string): void };
}

/**
 * Returns a one-time password for a key that no other login uses.
 * @throws StepFault if other logins use all of them; the signal's reason
 */
export type TakeCode = (key: string, signal: AbortSignal) => Promise<string>;

/**
 * Performs a step of a login.
 * @throws StepFault; errors of Playwright for a page that has ended. Their messages may contain what was entered.
 */
export async function performStep(
  page: Page,
  step: LoginStep,
  takeCode: (key: string) => Promise<string>,
): Promise<void> {
  if ('open' in step) return open(page, step.open);
  if ('wait_for' in step) return untilTrue(page, step.wait_for, waitTimeoutMs);
  if ('expect' in step) return untilTrue(page, step.expect, expectTimeoutMs);
  if ('press' in step) return page.keyboard.press(step.press).catch(refused);
  if ('click' in step) return use(page, step.click, (element) => element.click({ timeout: stepTimeoutMs }));
  if ('select' in step) return select(page, step.select, step.value);
  if ('value' in step) return use(page, step.fill, (field) => field.fill(step.value, { timeout: stepTimeoutMs }));
  const text = 'secret' in step ? step.secret : await takeCode(step.totp);
  return use(page, step.fill, async (field) => {
    // Screenshots do not show the text, even if the page does.
    await field.evaluate(MASK, null, { timeout: stepTimeoutMs });
    await field.fill(text, { timeout: stepTimeoutMs });
  });
}

async function open(page: Page, url: string): Promise<void> {
  const response = await page.goto(url, { waitUntil: 'domcontentloaded', timeout: openTimeoutMs }).catch((cause) => {
    const text = /net::ERR_[A-Z_]+/.exec(messageOf(cause))?.[0] ?? 'it did not load in time';
    throw new StepFault({ code: 'login_page_not_opened', params: { text } }, { cause });
  });
  const status = response?.status() ?? 200;
  // Login pages may have the status 401 or 403 themselves.
  if (status >= 400 && status !== 401 && status !== 403)
    throw new StepFault({ code: 'login_page_status', params: { status } });
}

/** Uses the first element that matches a selector. */
async function use(page: Page, selector: string, act: (element: Locator) => Promise<void>): Promise<void> {
  const element = page.locator(`css=${selector}`).first();
  const params = { seconds: stepTimeoutMs / 1_000 };
  await element.waitFor({ state: 'attached', timeout: stepTimeoutMs }).catch((cause) => {
    throw isTimeout(cause) ? new StepFault({ code: 'login_element_missing', params }, { cause }) : cause;
  });
  await act(element).catch(refused);
}

/**
 * Elements of the wrong kind and keys that do not exist are refused at once: `Element is not an <input>`.
 * @throws StepFault; the error, if the page has ended
 */
function refused(cause: unknown): never {
  if (cause instanceof StepFault || hasEnded(cause)) throw cause;
  throw new StepFault({ code: 'login_element_unusable', params: { seconds: stepTimeoutMs / 1_000 } }, { cause });
}

function hasEnded(error: unknown): boolean {
  return /Target (?:page|crashed|closed)|has been closed|browser has disconnected/i.test(messageOf(error));
}

function select(page: Page, selector: string, value: string): Promise<void> {
  return use(page, selector, async (list) => {
    const choose = async (option: { readonly value: string } | { readonly label: string }, timeout: number) => {
      await list.selectOption(option, { timeout });
    };
    try {
      // Chooses by label if no option has the value.
      await choose({ value }, pollMs).catch(() => choose({ label: value }, stepTimeoutMs));
    } catch (cause) {
      if (!isTimeout(cause)) throw cause;
      throw new StepFault({ code: 'login_option_missing', params: { seconds: stepTimeoutMs / 1_000 } }, { cause });
    }
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Returns the URL of a page for messages: forms may put what was entered into the query. */
export function shownUrl(page: Page): string {
  return addressOf(page.url());
}

/** Waits until a test is true of a page. @throws StepFault if it does not become true in time */
export async function untilTrue(page: Page, test: PageTest, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue(page, test))) {
    if (performance.now() > deadline) {
      throw new StepFault({ code: 'login_not_met', params: { url: shownUrl(page), seconds: timeoutMs / 1_000 } });
    }
    await delay(pollMs);
  }
}

/** Returns whether all parts of a test hold. False while the page is being replaced. */
export async function isTrue(page: Page, { url, selector, text }: PageTest): Promise<boolean> {
  if (url !== undefined && !page.url().includes(url)) return false;
  if (selector === undefined && text === undefined) return true;
  const shown = await page
    .evaluate(lookFor({ ...(selector !== undefined && { selector }), ...(text !== undefined && { text }) }))
    .catch(() => false);
  return shown === true;
}

/** Returns an expression for whether a page shows an element and a text. */
function lookFor(wanted: Pick<PageTest, 'selector' | 'text'>): string {
  return `(({ selector, text }) => {
    const flat = (words) => words.replaceAll(/\\s+/g, ' ').trim();
    if (text !== undefined && !flat(document.body?.innerText ?? '').includes(flat(text))) return false;
    if (selector === undefined) return true;
    return [...document.querySelectorAll(selector)].some((element) => element.checkVisibility({ visibilityProperty: true }));
  })(${JSON.stringify(wanted)})`;
}
