import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** The visible part of the source, and the size of its characters. */
export interface Viewport {
  readonly top: number;
  readonly height: number;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  /** Characters that fit in a row. */
  readonly columns: number;
}

/** The space between line numbers and code, and after the code. */
const marginCharacters = 2;
const START: Viewport = { top: 0, height: 0, rowHeight: 20, columns: 80 };

/**
 * Follows the scroll position and size of the source.
 * @param frame the scrolling element
 * @param probe an element that is 100 characters wide and one row high
 * @param gutterCharacters the width of the line numbers
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
