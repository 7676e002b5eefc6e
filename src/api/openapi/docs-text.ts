import { Html, html } from './html.ts';

/** Pieces of text for the reference, and the little Markdown of descriptions. */

/** Where the parts of the page are that a text may name, by what it names: `GET /reports`. */
export type Anchors = ReadonlyMap<string, string>;

/** Text with its code marked, and what is an endpoint of the page linked. */
export function prose(text: string, anchors: Anchors): Html {
  const pieces = text.split('`').map((piece, index) => {
    if (index % 2 === 0) return linked(piece);
    const anchor = anchors.get(piece);
    const code = html`<code>${breakable(piece)}</code>`;
    return anchor === undefined ? code : html`<a href="#${anchor}">${code}</a>`;
  });
  return joined(pieces, '');
}

/** `[words](https://…)` as links. */
function linked(text: string): Html {
  return new Html(html`${text}`.text.replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2">$1</a>'));
}

/** A name that may break where its parts meet, and nowhere else. */
export function breakable(name: string): Html {
  return joined(
    name.split(/(?<=\.)|(?=[/[])/).map((part) => html`${part}`),
    '<wbr>',
  );
}

export function codes(words: readonly string[]): Html {
  return joined(
    words.map((word) => html`<code>${word}</code>`),
    ', ',
  );
}

export function joined(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}
