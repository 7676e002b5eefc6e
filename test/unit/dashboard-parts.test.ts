import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const web = (path: string): string => readFileSync(new URL(`../../web/${path}`, import.meta.url), 'utf8');

test('the types and settings of the client match the API', async () => {
  const { apiTypes, reportAttributes, values } = await import(
    new URL('../../scripts/generate-api-types.mjs', import.meta.url).href
  );
  assert.ok(apiTypes() === web('../packages/client/schema.ts'), 'Run `npm run api-types`.');
  assert.equal(web('../packages/client/report-attributes.ts'), reportAttributes(), 'Run `npm run api-types`.');
  assert.equal(web('../packages/client/values.ts'), values(), 'Run `npm run api-types`.');
});

test('the server serves exactly the paths that the router has', async () => {
  const { PATHS } = await import('../../web/src/lib/paths.ts');
  const routed = [...web('src/router.tsx').matchAll(/^ {2}'([^']+)': (?:lazy|\w+Screen)/gm)].map(([, path]) => path);
  assert.deepEqual([...PATHS].sort(), [...new Set(routed)].sort());
});

test('the colors have enough contrast in both schemes', () => {
  const tokens = new Map(
    [...web('src/style/tokens.css').matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
      ([, name, light = '', dark = '']) => [name, [light, dark] as const],
    ),
  );
  const contrastOf = (one: string, other: string, scheme: 0 | 1): number => {
    const [dark = 0, light = 0] = [one, other]
      .map((name) => luminance(tokens.get(name)?.[scheme] ?? ''))
      .sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const texts = ['text', 'soft', 'accent', 'critical', 'serious', 'moderate', 'minor', 'pass'];
  for (const scheme of [0, 1] as const) {
    for (const ground of ['ground', 'panel']) {
      for (const name of texts) assert.ok(contrastOf(name, ground, scheme) >= 4.5, `${name} on ${ground}, ${scheme}`);
      assert.ok(contrastOf('edge', ground, scheme) >= 3, `edge on ${ground}, ${scheme}`);
    }
    assert.ok(contrastOf('on-accent', 'accent', scheme) >= 4.5);
    assert.ok(contrastOf('text', 'mark', scheme) >= 4.5);
  }
});

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
