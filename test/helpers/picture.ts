import type { BrowserPool } from '../../src/browser/browser-pool.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { patienceMs } from './patience.ts';

/** A decoded image. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of a pixel. */
  colour(x: number, y: number): readonly [red: number, green: number, blue: number];
}

/** Decodes an image in a browser. */
export async function decodePicture(pool: BrowserPool, image: Uint8Array): Promise<Picture> {
  const data = Buffer.from(image).toString('base64');
  const request = {
    purpose: 'check',
    viewport: DEFAULT_VIEWPORT,
    cacheGroup: 'pictures',
    timeLimitMs: patienceMs,
  } as const;
  const signal = new AbortController().signal;
  const decoded = await pool.withPage({ ...request, signal }, async ({ page }) =>
    page.evaluate<{ width: number; height: number; pixels: string }>(`(async () => {
      const image = new Image();
      image.src = 'data:image/webp;base64,${data}';
      await image.decode();
      const [width, height] = [image.naturalWidth, image.naturalHeight];
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0);
      const bytes = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
      return { width, height, pixels: bytes.toBase64() };
    })()`),
  );
  const pixels = Buffer.from(decoded.pixels, 'base64');
  const { width, height } = decoded;
  return {
    width,
    height,
    colour(x, y) {
      const at = 4 * (Math.floor(y) * width + Math.floor(x));
      return [pixels[at] ?? -1, pixels[at + 1] ?? -1, pixels[at + 2] ?? -1];
    },
  };
}
