import type { Page } from 'playwright-core';

/** Whether a page repeats a secret outside of the fields that the steps have filled, which are masked. */
export async function showsSecret(page: Page, secrets: readonly string[]): Promise<boolean> {
  const texts = await Promise.all(page.frames().map((frame) => frame.evaluate<string>(SHOWN).catch(() => '')));
  return secrets.some((secret) => texts.some((text) => text.includes(secret)));
}

/** The texts and the field values of a document, including those in open shadow roots. */
const SHOWN = `(() => {
  const texts = [document.body?.innerText ?? ''];
  const read = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) {
        texts.push(...[...element.shadowRoot.children].map((child) => child.innerText ?? ''));
        read(element.shadowRoot);
      }
      const isField = element.matches('input:not([type=password]), textarea');
      if (isField && element.style.webkitTextSecurity !== 'disc') texts.push(element.value);
    }
  };
  read(document);
  return texts.join('\\n');
})()`;
