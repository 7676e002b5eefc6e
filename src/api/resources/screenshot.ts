import Type from 'typebox';
import { noteText } from '../../domain/check-note.ts';
import { DECIMAL_ID, flag, TIMESTAMP } from '../../domain/schemas.ts';
import { AppError } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { findScreenshot } from '../../store/pages/screenshots.ts';
import type { WebPageWithChecks } from '../../store/pages/web-pages.ts';
import { WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { imageAudience, imageUrl } from '../attributes/screenshot-image.ts';
import { endpoint, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { contentToRead } from './web-page.ts';

const SCREENSHOT = resourceType('screenshot', {
  description: 'A screenshot of a web page, taken during its accessibility check or at a mark of a journey.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    width: Type.Integer({ minimum: 1, description: 'Width of the screenshot in pixels.', examples: [320] }),
    height: Type.Integer({
      minimum: 1,
      description: 'Height of the screenshot in pixels, at most 16,383.',
      examples: [960],
    }),
    scale: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'Screenshot pixels per CSS pixel of the page. The point `[x, y]` of the page is at `[x * scale, y * scale]`.',
      examples: [0.4],
    }),
    taken_at: Type.With(TIMESTAMP, { description: 'When it was taken.' }),
    clipped: flag('Whether the page is larger than the screenshot.', { examples: [false] }),
    image_url: Type.String({
      description:
        'The image, in WebP. The URL needs no token, cannot be guessed, and is valid for at least an hour. To get a new URL, get the screenshot again.',
      examples: [
        'https://sitewarden.example.com/screenshots/4711.492300.a.N2x5Zm1vdGhpbmcgdG8gc2VlIGhlcmUsIG1vdmUgb24',
      ],
    }),
  }),
  relationships: {},
});

export const SCREENSHOT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages/{web_page_id}/screenshot',
    summary: 'Get the screenshot of a web page',
    description:
      'Marks of journeys have one if the browser could take it and it shows no secret of the journey. For other pages: not found if the report did not request screenshots with `store_screenshots`, the accessibility check has not run, or the browser could not take the screenshot (`note` of the check says why). If the report has site credentials, readers it is shared with cannot get screenshots.',
    pro: true,
    additive: true,
    params: WEB_PAGE_PARAMS,
    answers: one(SCREENSHOT),
    errors: ['forbidden'],
    subject: contentToRead,
    async answer({ call, subject: { page, report } }) {
      const found = await findScreenshot(call.db, page.id);
      if (found === undefined) throw new AppError('not_found', reasonFor(page));
      const { hash, width, height, scale, clipped, takenAt } = found;
      const audience = imageAudience(report, call.viewer);
      const url = imageUrl(call.baseUrl, { webPageId: page.id, hash, audience }, call.credentialStore.box, call.clock);
      const attributes = { width, height, scale, taken_at: utcTime(takenAt), clipped, image_url: url };
      return resource(SCREENSHOT, { id: page.id, attributes, self: call.links(call.path) });
    },
  }),
];

/** Returns why a page has no screenshot. */
function reasonFor({ checks }: WebPageWithChecks): string {
  const notes = Object.values(checks).flatMap((check) => check.notes);
  return noteText(notes.filter(({ code }) => code.startsWith('screenshot_'))) ?? 'This page has no screenshot.';
}
