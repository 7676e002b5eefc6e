import type { StyleRule } from '../../../packages/client/occurrences.ts';
import { withoutVersion } from '../../page-source/markup.ts';

/** The color to edit so that text has sufficient contrast. */
export interface ColorEdit {
  readonly of: 'text' | 'background';
  readonly to: 'darker' | 'lighter';
}

/** What is known about the colors of text. */
export interface TextColors {
  /** As the browser computes it. */
  readonly color: string;
  /** The combined opacity of the element and its ancestors, from 0 to 1. */
  readonly opacity: number;
}

type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/**
 * Returns the color that one edit can change enough for sufficient contrast: the text, if it only has to differ more from its
 * background; otherwise the background; otherwise the text, made lighter than its background instead of darker, or the reverse.
 * @param failureSummary as axe-core returns it
 * @returns null if no single edit suffices, or the colors are not known
 */
export function colorEditOf(failureSummary: string, { color, opacity }: TextColors): ColorEdit | null {
  const link = /link text: #/.test(failureSummary);
  // Only the link's own color can make it differ from the text around it.
  if (link) return { of: 'text', to: 'darker' };
  const text = hexIn(/foreground color: #([0-9a-f]{6})\b/, failureSummary);
  const background = hexIn(/background color: #([0-9a-f]{6})\b/, failureSummary);
  const required = Number(/Expected contrast ratio of ([\d.]+):1/.exec(failureSummary)?.[1]);
  if (text === null || background === null || !(required > 1)) return null;
  const isDarker = luminanceOf(text) < luminanceOf(background);
  const textAt = (extreme: Rgb) => contrastOf(blended(extreme, background, opacity), background) >= required;
  if (textAt(isDarker ? BLACK : WHITE)) return { of: 'text', to: isDarker ? 'darker' : 'lighter' };
  const { rgb, alpha } = parsedColor(color) ?? { rgb: text, alpha: 1 };
  const other = isDarker ? WHITE : BLACK;
  if (contrastOf(blended(rgb, other, alpha * opacity), other) >= required) {
    return { of: 'background', to: isDarker ? 'lighter' : 'darker' };
  }
  return textAt(isDarker ? WHITE : BLACK) ? { of: 'text', to: isDarker ? 'lighter' : 'darker' } : null;
}

/**
 * Returns what identifies the declaration to edit. It is part of stored causes, so its format never changes. A color on several
 * backgrounds is one cause, unless it has to become darker on some of them and lighter on others. The same applies to a custom
 * property that sets both text and background colors.
 */
export function colorCauseOf({ to }: ColorEdit, { selector, url, property, value }: StyleRule): string {
  return JSON.stringify([to, property, value, selector, url === null ? null : withoutVersion(url)]);
}

function hexIn(pattern: RegExp, text: string): Rgb | null {
  const hex = pattern.exec(text)?.[1];
  if (hex === undefined) return null;
  const number = Number.parseInt(hex, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function parsedColor(color: string): { readonly rgb: Rgb; readonly alpha: number } | null {
  const [, red, green, blue, alpha] = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color) ?? [];
  return red === undefined ? null : { rgb: [Number(red), Number(green), Number(blue)], alpha: Number(alpha ?? 1) };
}

function blended(color: Rgb, below: Rgb, alpha: number): Rgb {
  const mix = (at: 0 | 1 | 2): number => color[at] * alpha + below[at] * (1 - alpha);
  return [mix(0), mix(1), mix(2)];
}

/** The relative luminance of WCAG 2. */
function luminanceOf([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The contrast ratio of WCAG 2. */
function contrastOf(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
