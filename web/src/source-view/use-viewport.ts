import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** What of the source is on the screen, and how large its characters are. */
export interface Viewport {
  readonly top: number;
  readonly height: number;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  /** Characters that fit into a row. */
  readonly columns: number;
}

/** The space between the numbers and the code, and behind it. */
const marginCharacters = 2;
const START: Viewport = { top: 0, height: 0, rowHeight: 20, columns: 80 };

/**
 * Follows scrolling and size of the source.
 * @param frame what scrolls
 * @param probe an element as wide as 100 characters and as high as a row
 * @param gutterCharacters the width that line numbers take
 */
export function useViewport(
  frame: RefObject<HTMLElement | null>,
  probe: RefObject<HTMLElement | null>,
  gutterCharacters: number,
): Viewport {
  const [viewport, setViewport] = useState(START);
  useLayoutEffect(() => {
    const element = frame.current;
    const sample = probe.current;
    if (element === null || sample === null) return;
    const measure = (): void => {
      const { width, height: rowHeight } = sample.getBoundingClientRect();
      const columns = Math.max(
        8,
        Math.floor(element.clientWidth / (width / 100)) - gutterCharacters - marginCharacters,
      );
      setViewport((before) => ({
        ...before,
        top: element.scrollTop,
        height: element.clientHeight,
        rowHeight,
        columns,
      }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(sample);
    measure();
    return () => observer.disconnect();
  }, [frame, probe, gutterCharacters]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const onScroll = (): void => setViewport((before) => ({ ...before, top: element.scrollTop }));
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [frame]);
  return viewport;
}
