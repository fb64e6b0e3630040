/**
 * Keeps what is under a pressed pointer where it is while rows around it grow: a click needs the same element at its
 * beginning and its end.
 */
export class PressedPlace {
  readonly #onRelease: () => void;
  #scroll: HTMLElement | undefined;
  #pressed: { readonly element: Element; readonly top: number } | undefined;

  /** `onRelease` is called after the click that a release makes. */
  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  /** Starts with the scrolling element. Returns a function that stops it. */
  attach(scroll: HTMLElement): () => void {
    this.#scroll = scroll;
    const press = ({ target }: Event) => {
      // The scroll bar belongs to the element itself.
      if (target instanceof Element && target !== scroll) this.#take(target);
    };
    // A reader who selects text past the edge scrolls too.
    const scrolled = () => this.#pressed && this.#take(this.#pressed.element);
    const release = () => {
      if (this.#pressed === undefined) return;
      requestAnimationFrame(() => {
        this.#pressed = undefined;
        this.#onRelease();
      });
    };
    scroll.addEventListener('pointerdown', press, { passive: true });
    scroll.addEventListener('scroll', scrolled, { passive: true });
    for (const type of releases) addEventListener(type, release, true);
    return () => {
      scroll.removeEventListener('pointerdown', press);
      scroll.removeEventListener('scroll', scrolled);
      for (const type of releases) removeEventListener(type, release, true);
      this.#pressed = undefined;
    };
  }

  /** Scrolls so that the pressed element keeps its position. Returns whether an element is pressed. */
  hold(): boolean {
    if (this.#pressed === undefined || this.#scroll === undefined) return false;
    const { element, top } = this.#pressed;
    if (!element.isConnected) return false;
    const moved = element.getBoundingClientRect().top - top;
    if (Math.abs(moved) > 0.5) this.#scroll.scrollTop += moved;
    return true;
  }

  #take(element: Element): void {
    this.#pressed = { element, top: element.getBoundingClientRect().top };
  }
}

const releases = ['pointerup', 'pointercancel'] as const;
