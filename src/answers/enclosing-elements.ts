import type { SourceElement } from './source-element.ts';

/** Finds the innermost element around a place, however deep elements are nested. */
export interface EnclosingElements {
  /**
   * Returns the nearest of an element and its ancestors that ends after an offset, or the outermost one if none does. Takes
   * logarithmic time, besides time proportional to the number of ancestors that no earlier call has met.
   */
  around(element: SourceElement, offset: number): SourceElement;
}

/**
 * An element and the nearest ancestor that ends after it: what lies between them cannot be the answer for an element below. Ends
 * grow along such a chain, so that it can be searched. Jumps are those of a skew-binary list.
 */
class Step {
  readonly element: SourceElement;
  /** The outermost element is the answer if nothing else is. */
  readonly end: number;
  readonly next: Step;
  readonly jump: Step;
  readonly #height: number;

  constructor(element: SourceElement, next: Step | null) {
    this.element = element;
    this.end = next === null ? Number.POSITIVE_INFINITY : element.end;
    this.next = next ?? this;
    this.#height = next === null ? 0 : next.#height + 1;
    this.jump = next === null ? this : next.#jumpFromBelow();
  }

  #jumpFromBelow(): Step {
    const far = this.jump;
    return this.#height - far.#height === far.#height - far.jump.#height ? far.jump : this;
  }

  /** Returns the first step of the chain that ends after an offset. */
  endingAfter(offset: number): Step {
    let step: Step = this;
    while (step.end <= offset) step = step.jump.end <= offset ? step.jump : step.next;
    return step;
  }
}

export function createEnclosingElements(): EnclosingElements {
  const steps = new Map<SourceElement, Step>();

  const stepOf = (element: SourceElement): Step => {
    const unknown: SourceElement[] = [];
    let open: SourceElement | null = element;
    for (; open !== null && !steps.has(open); open = open.parent) unknown.push(open);
    let step = open === null ? undefined : steps.get(open);
    for (const below of unknown.reverse()) {
      step = new Step(below, step?.endingAfter(below.end) ?? null);
      steps.set(below, step);
    }
    return step ?? new Step(element, null);
  };

  return { around: (element, offset) => stepOf(element).endingAfter(offset).element };
}
