import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractLinks } from '../../src/spider/extract-links.ts';
import { linksPerPageMax, titleMaxCharacters } from '../../src/spider/limits.ts';
import { normaliseUrl } from '../../src/spider/url.ts';
import { anyPath, fc } from '../helpers/random.ts';

const url = 'https://example.org/dir/page';

function extract(html: string | Uint8Array, contentType = 'text/html; charset=utf-8') {
  const body = typeof html === 'string' ? Buffer.from(html) : html;
  return extractLinks({ url, httpStatus: 200, contentType, headers: [], body });
}
const links = (html: string) => extract(html).links;
const at = (path: string) => `https://example.org/${path}`;

it('detects a password field', () => {
  const has = (html: string) => extract(html).hasPasswordField;
  for (const field of [
    '<input type=password>',
    '<p><INPUT name=a value="x" TYPE="PassWord" />',
    '<input type="pass&#119;ord"',
  ]) {
    assert.ok(has(`<title>x</title><form>${field}${field.endsWith('>') ? '' : '>'}<input type=submit>`), field);
  }
  for (const none of [
    '<input><input type=text name=password><input type=text type=password><a type=password>',
    '<template><input type=password></template><!-- <input type=password> -->',
    '<textarea><input type=password></textarea><script>"<input type=password>"</script>',
    '<input data-type=password><input type=password',
  ]) {
    assert.ok(!has(none), none);
  }
  const { links: found, title } = extract('<title>T</title><input href=/no type=password><a href=/yes>');
  assert.deepEqual([found, title], [[at('yes')], 'T']);
});

describe('links', () => {
  it('are in document order, each once, without fragments', () => {
    const html =
      '<a href="b">1</a><area href=/c><a href="b#x">2</a><a href="https://other.test">3</a><a href="/a">4</a>';
    assert.deepEqual(links(html), [at('dir/b'), at('c'), 'https://other.test/', at('a')]);
    const routes = extract(
      '<a href="#/a">1</a><a href="/page#!/b">2</a><a href="#c">3</a><a href="/#">4</a><a href="/x">5</a>',
    );
    assert.equal(routes.hashRoutes, 2);
  });

  it('follow the URL Standard for white space, entities, empty and missing values', () => {
    assert.deepEqual(links('<a href=" /a\n/b ">'), [at('a/b')]);
    assert.deepEqual(links('<a href="?a=1&amp;b=2&copy=3&#x2F;">'), [at('dir/page?a=1&b=2&copy=3/')]);
    assert.deepEqual(links('<a href="">'), [url]);
    assert.deepEqual(links('<a href>'), [url]);
    assert.deepEqual(links('<a name=x>'), []);
    assert.deepEqual(links('<a href="/ä?ö">'), [at('%C3%A4?%C3%B6')]);
  });

  it('are parsed in any case and quoting; the first of repeated attributes counts', () => {
    assert.deepEqual(links(`<A HREF='/a'>x</A><a hReF=/b/>y<a href="/c" href="/d">`), [at('a'), at('b/'), at('c')]);
    assert.deepEqual(links('<a data-href="/no" xlink:href="/no" href="/yes">'), [at('yes')]);
  });

  it('are http and https only', () => {
    const html = ['mailto:a@b.c', 'javascript:void(0)', 'data:,x', 'tel:1', 'ftp://a/', 'http://[bad/', 'about:blank'];
    assert.deepEqual(links(html.map((href) => `<a href="${href}">`).join('')), []);
  });

  it('include downloads, SVG and noscript, and no template, script, comment, textarea or unfinished tag', () => {
    assert.deepEqual(links('<a href="/f.pdf" download>'), [at('f.pdf')]);
    assert.deepEqual(links('<svg><a href="/s"><a xlink:href="/x"></svg>'), [at('s')]);
    assert.deepEqual(links('<noscript><a href="/n"></noscript>'), [at('n')]);
    assert.deepEqual(links('<template><a href="/t"><template></template><a href=/t2></template><a href="/o">'), [
      at('o'),
    ]);
    assert.deepEqual(links('<script>"<a href=/s>"</script><style><a href=/s></style><a href="/o">'), [at('o')]);
    assert.deepEqual(links('<!-- <a href=/c> --><textarea><a href=/t></textarea><a href="/o">'), [at('o')]);
    assert.deepEqual(links('<a href="/o">x<a href="/unfinished"'), [at('o')]);
  });

  it('treat scripts after an unclosed SVG as scripts', () => {
    assert.deepEqual(links('<svg><path><p><script>"<a href=/s>"</script><a href="/o">'), [at('o')]);
  });

  it('resolve against the first base with an href, in any position', () => {
    assert.deepEqual(links('<a href="x"><base target=_top><base href="/b/"><base href="/c/">'), [at('b/x')]);
    assert.deepEqual(links('<base href="https://cdn.test/q?a"><a href="?b">'), ['https://cdn.test/q?b']);
    assert.deepEqual(links('<base href="data:,x"><a href="x">'), [at('dir/x')]);
    assert.deepEqual(links('<template><base href="/t/"></template><a href="x">'), [at('dir/x')]);
  });

  it('are at most linksPerPageMax', () => {
    const many = Array.from({ length: linksPerPageMax + 5 }, (_, index) => `<a href="/${index}">`).join('');
    const found = links(many);
    assert.equal(found.length, linksPerPageMax);
    assert.equal(found.at(-1), at(String(linksPerPageMax - 1)));
  });

  it('are found in any document made of them', () => {
    const noise = fc.constantFrom(
      '<p>',
      '</div>',
      'text &amp; ',
      '<!-- c -->',
      '<br/>',
      '<svg></svg>',
      '<b><i></b>',
      '<td>',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, anyPath)), (parts) => {
        const html = parts
          .map(([before, href]) => `${before}<a href="${href.replaceAll('&', '&amp;')}">x</a>`)
          .join('');
        assert.deepEqual(
          links(html),
          [...new Set(parts.map(([, href]) => normaliseUrl(href, url)))].filter((link) => link !== null),
        );
      }),
    );
  });

  it('are normalised for any bytes', () => {
    const piece = fc.oneof(
      fc.constantFrom('<a href="', '">', '<title>', '</title>', '<svg>', '<base href=', '&#'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const page = extract(pieces.join(''));
        for (const link of page.links) assert.equal(normaliseUrl(link), link);
        assert.equal(new Set(page.links).size, page.links.length);
        assert.ok(page.title === null || (page.title.length <= titleMaxCharacters && page.title.isWellFormed()));
      }),
      { numRuns: 500 },
    );
  });

  it('take linear time at any nesting', () => {
    for (const unit of [
      '<b>',
      '<svg>',
      '<template>',
      '</x>',
      '<a href=x>',
      '<',
      '<!',
      '<title>',
      '&',
      '<a ',
      '<a href="',
    ]) {
      extract(unit.repeat(250_000 / unit.length));
    }
  });
});

describe('canonical', () => {
  const canonical = (html: string) => extract(html).canonical;

  it('is the first valid one in the head, resolved', () => {
    assert.equal(canonical('<link rel="canonical" href="/c#x"><link rel=canonical href=/d>'), at('c'));
    assert.equal(canonical('<link href="/c" rel="nofollow CANONICAL">'), at('c'));
    assert.equal(
      canonical('<link rel=canonical href=""><link rel=canonical href="http://[/"><link rel=canonical href=/d>'),
      at('d'),
    );
    assert.equal(canonical('<base href="/b/"><link rel=canonical href=c>'), at('b/c'));
    assert.equal(canonical('<link rel="canonicals" href="/c"><link rel=alternate href=/c>'), null);
    assert.equal(canonical('<link rel=canonical>'), null);
  });

  it('can be a Link header, if the document has none', () => {
    const named = (html: string, ...values: string[]) => {
      const headers = values.map((value) => ['link', value] as const);
      const body = Buffer.from(html);
      return extractLinks({ url, httpStatus: 200, contentType: 'text/html', headers, body }).canonical;
    };
    assert.equal(named('<base href="/b/">', '<c>; rel="canonical"'), at('dir/c'));
    assert.equal(named('<link rel=canonical href=/d>', '</c>; rel=canonical'), at('d'));
    assert.equal(
      named('', '</a>; rel=preload; as="x,y", <//[>; rel=canonical', '</c?a,b>;REL="Next Canonical"'),
      at('c?a,b'),
    );
    assert.equal(
      named('', '</c>; title="; rel=canonical"', '</c>; rel=canonicals', '</c>; rel=x; rel=canonical'),
      null,
    );
    assert.equal(named('', '</c>; rel=canonical; anchor="#a"', 'rel=canonical', '</c'), null);
    assert.equal(named('', `${'<'.repeat(60_000)}>${';a   '.repeat(10_000)}`), null);
  });

  it('does not count in the body', () => {
    const link = '<link rel=canonical href=/c>';
    assert.equal(canonical(`<html><head><title>t</title></head><body>${link}`), null);
    assert.equal(canonical(`<p>${link}`), null);
    assert.equal(canonical(`text${link}`), null);
    assert.equal(canonical(`&amp;${link}`), null);
    assert.equal(canonical(`<head><noscript><body>${link}`), null);
    assert.equal(canonical(`<head><template>${link}</template>`), null);
  });

  it('counts after everything that a head may contain', () => {
    const link = '<link rel=canonical href=/c>';
    assert.equal(
      canonical(`<!DOCTYPE html>\n<html>\n<head>\n<meta charset=utf-8><script>var a = "<p>"</script>${link}`),
      at('c'),
    );
    assert.equal(canonical(`<style>p{}</style><title>A &amp; <b></title><template><p>x</template>${link}`), at('c'));
    assert.equal(canonical(`<noscript><img src=x>text</noscript>${link}`), at('c'));
  });
});

describe('title', () => {
  const title = (html: string) => extract(html).title;

  it('is the first one of the document, decoded, with white space collapsed', () => {
    assert.equal(
      title('<title>\n A &amp; B\t&lt;p> &eacute;\u00a0x </title><title>second</title>'),
      'A & B <p> é\u00a0x',
    );
    assert.equal(title('<svg><title>icon</title></svg><body><title>late</title>'), 'late');
    assert.equal(title('<title>page</title><svg><title>icon</title></svg>'), 'page');
    assert.equal(title('<title></title>'), null);
    assert.equal(title('<p>none'), null);
    assert.equal(title('<title>open'), 'open');
    assert.equal(title('<title>a\0b</title>'), 'a\uFFFDb');
  });

  it('is bounded without a broken character at its end', () => {
    assert.equal(title(`<title>${'a'.repeat(1_000_000)}</title>`), 'a'.repeat(titleMaxCharacters));
    assert.equal(title(`<title>${'a'.repeat(titleMaxCharacters - 1)}😀</title>`), 'a'.repeat(titleMaxCharacters - 1));
  });
});

describe('encodings', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const cases: readonly [name: string, body: Uint8Array, contentType: string, title: string][] = [
    ['UTF-8 when it is', Buffer.from('<title>ä€</title>'), 'text/html', 'ä€'],
    ['windows-1252 when it is not UTF-8', latin1('<title>\xe4\x80</title>'), 'text/html', 'ä€'],
    [
      'the header before the meta',
      latin1('<meta charset=utf-8><title>\xe4</title>'),
      'text/html; charset="ISO-8859-5"',
      'ф',
    ],
    ['meta charset', latin1('<meta charset="koi8-r"><title>\xc1</title>'), 'text/html', 'а'],
    [
      'meta http-equiv',
      latin1('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><title>\xb1</title>'),
      'text/html',
      'ą',
    ],
    ['no meta in a comment', latin1('<!-- <meta charset=koi8-r> --><title>\xe4</title>'), 'text/html', 'ä'],
    [
      'an unknown label is passed over',
      latin1('<meta charset=nonsense><title>\xe4</title>'),
      'text/html; charset=bogus',
      'ä',
    ],
    ['the byte order mark before all', Buffer.from('\ufeff<title>ä</title>'), 'text/html; charset=iso-8859-1', 'ä'],
    ['UTF-16 by its mark', Buffer.from('\ufeff<title>ä</title>', 'utf16le'), 'text/html', 'ä'],
    [
      'an XML declaration',
      latin1('<?xml version="1.0" encoding="iso-8859-2"?><title>\xb1</title>'),
      'application/xhtml+xml',
      'ą',
    ],
  ];
  for (const [name, body, contentType, title] of cases) {
    it(name, () => assert.equal(extract(body, contentType).title, title));
  }
});

describe('XHTML', () => {
  it('treats self-closing elements as closed', () => {
    const body =
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a"/><title>T</title></head><body><a href="/a"/></body></html>';
    const page = extract(body, 'application/xhtml+xml');
    assert.deepEqual([page.title, page.links], ['T', [at('a')]]);
  });
});
