import type { VirtualizerHandle } from 'virtua';
import { PressedPlace } from './pressed-place.ts';
import { type Row, rowAt } from './rows.ts';

/** The reader follows the end when it is at most this far away. */
const endPx = 40;
/** The distance to the end of the loaded rows at which more are loaded. */
const loadPx = 1_500;
/** How far below the upper edge a row is put that the reader goes to. */
const marginPx = 72;

/** The effects of a reading position outside its list. */
export interface PositionEffects {
  readonly loadEarlier: () => void;
  readonly loadLater: () => void;
  /** Called with the event that the reader sees; undefined while the end is followed. */
  readonly look: (seq: number | undefined) => void;
  /** Called when the reader scrolls away from the end or returns to it. */
  readonly onAway: (isAway: boolean) => void;
  /** Called when the list has scrolled to a row. */
  readonly onTarget: (key: string | undefined) => void;
}

/** The rows in the list and their position in the thread. */
export interface ListContent {
  readonly rows: readonly Row[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

const moves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

interface Goal {
  readonly seq: number;
  readonly partId: string | undefined;
  readonly isMarked: boolean;
}

const nothing: ListContent = { rows: [], firstSeq: 1, lastSeq: 0, hasEarlier: false, hasLater: false };

/**
 * The place of a reader in a list of rows that changes at both ends: it follows the end, keeps a new turn in view, or
 * holds the first visible row where it is. It works on the elements; nothing is rendered while the reader scrolls.
 */
export class ReadingPosition {
  readonly #effects: PositionEffects;
  #scroll: HTMLElement | undefined;
  #spacer: HTMLElement | undefined;
  #list: VirtualizerHandle | undefined;
  #content = nothing;
  #follows = true;
  /** Where the list was scrolled to, and its height then. */
  #lastTop = 0;
  #lastHeight = 0;
  /** Whether the reader touched, dragged, wheeled or pressed a key since the list was last put in its place. */
  #isMoving = false;
  /** The visible rows, the first of them scrolled by some pixels. */
  #anchor: { readonly keys: readonly string[]; readonly into: number } | undefined;
  #goal: Goal | undefined;
  /** The turn that the reader started: it begins at the upper edge until it fills the list. */
  #turnAfter: number | undefined;
  readonly #pressed = new PressedPlace(() => this.#settle());

  constructor(effects: PositionEffects) {
    this.#effects = effects;
  }

  /** Starts with the elements of the list. Returns a function that stops it. */
  attach(elements: { scroll: HTMLElement; column: HTMLElement; spacer: HTMLElement }): () => void {
    this.#scroll = elements.scroll;
    this.#spacer = elements.spacer;
    const onScroll = () => this.#scrolled();
    const onMove = () => {
      this.#isMoving = true;
    };
    const observer = new ResizeObserver(() => this.#settle());
    observer.observe(elements.scroll);
    observer.observe(elements.column);
    elements.scroll.addEventListener('scroll', onScroll, { passive: true });
    for (const move of moves) elements.scroll.addEventListener(move, onMove, { passive: true });
    const detachPressed = this.#pressed.attach(elements.scroll);
    return () => {
      observer.disconnect();
      detachPressed();
      elements.scroll.removeEventListener('scroll', onScroll);
      for (const move of moves) elements.scroll.removeEventListener(move, onMove);
    };
  }

  /** Updates the position to the current content, after it was rendered. */
  update(list: VirtualizerHandle | null, content: ListContent): void {
    this.#list = list ?? undefined;
    this.#content = content;
    if (this.#reachGoal()) return;
    if (!this.#follows) this.#hold();
    this.#settle();
    this.#loadMore();
  }

  /** Follows the end; with a new turn, which begins at the upper edge. */
  toEnd(turnAfter?: number): void {
    this.#goal = undefined;
    this.#turnAfter = turnAfter ?? this.#turnAfter;
    this.#follow(true);
    this.#settle();
  }

  /** Goes to the row of an event, now or when it is in the list. */
  goTo(goal: Goal): void {
    this.#goal = goal;
    this.#follow(false);
    this.#reachGoal();
  }

  /** Keeps the current position through the next change. */
  stay(): void {
    this.#recordAnchor();
    this.#follow(false);
  }

  /** Scrolls by pages of what is visible. */
  scrollPages(pages: number): void {
    this.#isMoving = true;
    this.#scroll?.scrollBy({ top: pages * (this.#scroll.clientHeight - marginPx) });
  }

  #scrolled(): void {
    const box = this.#scroll;
    if (box === undefined) return;
    const { scrollTop, scrollHeight, clientHeight } = box;
    const isEnd = scrollHeight - scrollTop - clientHeight < endPx && !this.#content.hasLater;
    if (isEnd) this.#follow(this.#goal === undefined);
    else if (scrollTop < this.#lastTop - 1 && this.#isMove(box)) this.#follow(false);
    if (this.#follows && !isEnd) return this.#settle();
    this.#lastTop = scrollTop;
    this.#lastHeight = scrollHeight;
    this.#isMoving = false;
    this.#recordAnchor();
    this.#loadMore();
  }

  /**
   * Whether a scroll up is a move of the reader. Rows that are measured or added scroll too: then only a way of half a
   * screen to an earlier row is a move, as by a search of the browser.
   */
  #isMove({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
    if (this.#isMoving || scrollHeight === this.#lastHeight) return true;
    if (this.#lastTop - scrollTop < clientHeight / 2) return false;
    const before = this.#content.rows.findIndex(({ key }) => key === this.#anchor?.keys[0]);
    return (this.#anchorNow()?.first ?? before) < before;
  }

  #follow(follows: boolean): void {
    if (this.#follows === follows) return;
    this.#follows = follows;
    this.#effects.onAway(!follows);
  }

  #recordAnchor(): void {
    const { rows } = this.#content;
    const place = this.#anchorNow();
    if (place === undefined) return;
    const { first, into } = place;
    this.#anchor = { keys: rows.slice(first, first + 12).map(({ key }) => key), into };
    const seen = rows.slice(first).find(({ kind }) => kind !== 'edge');
    this.#effects.look(this.#follows ? undefined : seen?.seq);
  }

  /** The first visible row, and by how much it is scrolled. */
  #anchorNow(): { readonly first: number; readonly into: number } | undefined {
    const box = this.#scroll;
    if (box === undefined || this.#list === undefined || this.#content.rows.length === 0) return undefined;
    const first = this.#list.findItemIndex(box.scrollTop);
    return { first, into: box.scrollTop - this.#list.getItemOffset(first) };
  }

  /** Puts the first row that was visible where it was. */
  #hold(): void {
    const box = this.#scroll;
    if (box === undefined || this.#list === undefined || this.#anchor === undefined) return;
    const { keys, into } = this.#anchor;
    const places = new Map(this.#content.rows.map(({ key }, place) => [key, place]));
    const key = keys.find(each => places.has(each));
    if (key === undefined) return;
    const top = this.#list.getItemOffset(places.get(key) as number) + (key === keys[0] ? into : 0);
    if (Math.abs(top - box.scrollTop) > 1) box.scrollTop = top;
    this.#lastTop = box.scrollTop;
  }

  #settle(): void {
    const box = this.#scroll;
    if (box === undefined) return;
    this.#makeRoom(box);
    if (this.#pressed.hold()) return;
    if (!this.#follows || this.#content.hasLater) return;
    box.scrollTop = box.scrollHeight;
    this.#lastTop = box.scrollTop;
    this.#lastHeight = box.scrollHeight;
    this.#recordAnchor();
  }

  /** Leaves so much room below the turn that the reader started that it can begin at the upper edge. */
  #makeRoom(box: HTMLElement): void {
    const spacer = this.#spacer;
    const after = this.#turnAfter;
    if (spacer === undefined || this.#list === undefined || after === undefined) return;
    const place = this.#content.rows.findLastIndex(row => row.kind === 'user');
    const isNew = (this.#content.rows[place]?.seq ?? 0) > after;
    const taken = isNew ? spacer.offsetTop - this.#list.getItemOffset(place) : box.clientHeight;
    const height = `${Math.max(0, Math.floor(box.clientHeight - taken))}px`;
    if (spacer.style.height !== height) spacer.style.height = height;
  }

  #reachGoal(): boolean {
    const { rows, firstSeq, lastSeq } = this.#content;
    const goal = this.#goal;
    if (goal === undefined || this.#list === undefined || rows.length === 0) return false;
    const isLoaded = goal.seq >= firstSeq && goal.seq <= lastSeq;
    if (!isLoaded) return false;
    this.#goal = undefined;
    const isFirst = goal.seq <= 1;
    const place = rowAt(rows, goal.seq, goal.partId);
    // The list corrects its way to a row for a moment, which the beginning does not need.
    if (isFirst) this.#scroll?.scrollTo({ top: 0 });
    else this.#list.scrollToIndex(place, { align: 'start', offset: -marginPx });
    this.#effects.onTarget(goal.isMarked ? rows[place]?.key : undefined);
    return true;
  }

  #loadMore(): void {
    const box = this.#scroll;
    if (box === undefined || this.#goal !== undefined || this.#content.rows.length === 0) return;
    const { hasEarlier, hasLater } = this.#content;
    if (hasEarlier && box.scrollTop < loadPx) this.#effects.loadEarlier();
    else if (hasLater && box.scrollHeight - box.scrollTop - box.clientHeight < loadPx) this.#effects.loadLater();
  }
}
