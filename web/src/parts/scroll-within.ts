/** Scrolls a frame so that an element in it is visible from its top, without scrolling the page around the frame. */
export function scrollWithin(frame: Element | null | undefined, element: Element | null): void {
  if (frame == null || element === null) return;
  const [view, place] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  if (place.top < view.top || place.height > view.height) frame.scrollTop += place.top - view.top;
  else if (place.bottom > view.bottom) frame.scrollTop += place.bottom - view.bottom;
}
