import { type FormNode, buildForms } from './secret-forms.ts';

/** The locations of secrets in a text. */
export interface SecretScan {
  /** The ranges of the secrets, in order and without overlap. */
  readonly found: readonly (readonly [start: number, end: number])[];
  /** The position where an incomplete secret may begin; otherwise the length of the text. */
  readonly openAt: number;
}

/** The minimum number of characters at the end of a text that count as the start of a secret. */
const shortestBeginning = 3;
const mostStates = 5_000;
const asciiSize = 128;

/** A set of nodes reached by a text. */
interface State {
  readonly nodes: readonly FormNode[];
  /** The known transitions of ASCII characters; the others are in the map. */
  readonly ascii: (State | undefined)[];
  readonly others: Map<number, State>;
  readonly isFound: boolean;
  readonly isOpen: boolean;
}

/** Finds secrets in any form, in one pass over the text. */
export class SecretMatcher {
  readonly #root: FormNode;
  readonly #ids = new Map<FormNode, number>();
  #states = new Map<string, State>();
  #start: State;

  constructor(secrets: Iterable<string>) {
    this.#root = buildForms(secrets);
    this.#start = this.#getState([]);
  }

  scan(text: string): SecretScan {
    let state = this.#start;
    let isFound = false;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = (code < asciiSize ? state.ascii[code] : state.others.get(code)) ?? this.#step(state, code);
      if (state.isFound) isFound = true;
    }
    return isFound || state.isOpen ? this.#locate(text) : { found: [], openAt: text.length };
  }

  /** The same with locations, for the few texts that contain secrets. */
  #locate(text: string): SecretScan {
    const found: [number, number][] = [];
    let active = new Map<FormNode, number>();
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (active.size === 0 && !this.#root.next.has(code)) continue;
      const next = new Map<FormNode, number>();
      // The earliest start wins.
      for (const [node, start] of [...active, [this.#root, at] as const])
        for (const to of node.next.get(code) ?? []) if (!next.has(to)) next.set(to, start);
      for (const [node, start] of next) if (node.isEnd) addRange(found, start, at + 1);
      active = next;
    }
    const begun = [...active].filter(([node]) => isBeginning(node)).map(([, start]) => start);
    const openAt = Math.min(text.length, ...begun);
    const [around] = found.find(([start, end]) => start < openAt && openAt < end) ?? [openAt];
    return { found, openAt: around };
  }

  #step(state: State, code: number): State {
    const next = this.#getState([...state.nodes, this.#root].flatMap(node => node.next.get(code) ?? []));
    if (code < asciiSize) state.ascii[code] = next;
    else state.others.set(code, next);
    return next;
  }

  #getState(reached: readonly FormNode[]): State {
    const nodes = [...new Set(reached)];
    const key = nodes
      .map(node => this.#getId(node))
      .toSorted((one, other) => one - other)
      .join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const made: State = {
      nodes,
      ascii: Array<State | undefined>(asciiSize).fill(undefined),
      others: new Map(),
      isFound: nodes.some(({ isEnd }) => isEnd),
      isOpen: nodes.some(isBeginning),
    };
    if (this.#states.size >= mostStates) this.#reset();
    this.#states.set(key, made);
    return made;
  }

  /** Bounds the memory for adversarial texts. */
  #reset(): void {
    this.#states = new Map();
    this.#start = this.#getState([]);
  }

  #getId(node: FormNode): number {
    const id = this.#ids.get(node) ?? this.#ids.size;
    this.#ids.set(node, id);
    return id;
  }
}

function isBeginning({ depth, isEnd }: FormNode): boolean {
  return !isEnd && depth >= shortestBeginning;
}

function addRange(found: [number, number][], start: number, end: number): void {
  let from = start;
  for (let last = found.at(-1); last !== undefined && last[1] > from; last = found.at(-1)) {
    from = Math.min(from, last[0]);
    found.pop();
  }
  found.push([from, end]);
}
