import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A piece of HTML that is already escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Tag for HTML templates. Escapes values unless they are already HTML. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + textOf(parts[index - 1] ?? '') + string));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The style of all pages. The API reference has a second column for navigation. */
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1d2430, #e4e8ee); --soft: light-dark(#4d5768, #a9b3c2);
  --ground: light-dark(#fff, #12161d); --panel: light-dark(#f4f6f9, #1b212b); --line: light-dark(#d5dbe4, #343d4b);
  --accent: light-dark(#0b57d0, #8ab4f8); --pro: light-dark(#7a3e00, #ffb870); }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: break-word; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: 1rem; }
.page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 82rem; margin: auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: .25rem 0 1rem; padding: 0; font-size: .9rem; }
nav p { margin: 0; font-weight: 600; } nav li a { display: block; padding: .15rem 0; text-decoration: none; }
main { padding: 1.5rem 2rem 6rem; }
h1 { margin-top: 0; } h2 { margin-top: 3.5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article { margin: 2rem 0; padding: 0 1.25rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
h3 { font-size: 1.05rem; overflow-wrap: break-word; } h4 { margin: 1.25rem 0 .35rem; font-size: .95rem; }
.method { font: 700 .8rem ui-monospace, monospace; padding: .15rem .45rem; border: 1px solid currentcolor; border-radius: .25rem; }
.pro, .additive { padding: 0 .35rem; border: 1px solid currentcolor; border-radius: 1rem; font-size: .75rem; font-weight: 600;
  white-space: nowrap; color: var(--pro); } .additive { color: var(--accent); }
dl { margin: .5rem 0 1rem; font-size: .9rem; border-top: 1px solid var(--line); }
dl > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 0 1rem; padding: .4rem 0;
  border-bottom: 1px solid var(--line); } dd { margin: 0; overflow-wrap: break-word; }
.soft { color: var(--soft); } dl .soft { font-size: .8rem; }
pre { white-space: pre-wrap; margin: .5rem 0; padding: .75rem 1rem; background: var(--ground); border: 1px solid var(--line);
  border-radius: .35rem; }
summary { cursor: pointer; }
@media (max-width: 60rem) { .page { display: block; } nav { position: static; height: auto; max-height: 12rem;
  border: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } article { padding: 0 .75rem .75rem; }
  ul { padding-left: 1.25rem; } }
@media (max-width: 40rem) { dl > div { display: block; } dt { margin-bottom: .15rem; } }
`;

/** Returns a complete HTML page. */
export function htmlPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}

/** Pages contain no scripts and load nothing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Sends a page made by `htmlPage`.
 * @param formAction where its forms may be sent: nowhere, or to this service
 */
export function sendPage(reply: FastifyReply, page: string, formAction: "'none'" | "'self'" = "'none'"): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', `${CONTENT_SECURITY_POLICY}; form-action ${formAction}`)
    .send(page);
}
