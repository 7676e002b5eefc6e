import type { Page } from 'playwright-core';

/** Whether a page repeats a secret outside of the fields that the steps have filled, which are masked. */
export async function showsSecret(page: Page, secrets: readonly string[]): Promise<boolean> {
  const shown = String(await page.evaluate(SHOWN).catch(() => ''));
  return secrets.some((secret) => shown.includes(secret));
}

const SHOWN = `[document.body?.innerText ?? '', ...[...document.querySelectorAll('input:not([type=password]), textarea')]
  .filter((field) => field.style.webkitTextSecurity !== 'disc').map((field) => field.value)].join('\\n')`;
