import type { ActionName, KeyCondition, KeyContext } from './actions.ts';
import { type Key, keyNotation } from './key.ts';
import type { KeyBinding, KeyMap } from './key-map.ts';

/** How long the next key of a sequence may take. */
export const sequencePauseMs = 1_000;

/** What is the case when a key is pressed. */
export interface KeySituation {
  readonly context: KeyContext;
  readonly conditions: ReadonlySet<KeyCondition>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a key means: an action, text to insert, the start of a sequence, or nothing. */
export type KeyMeaning =
  | { readonly type: 'action'; readonly action: ActionName }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'pending'; readonly keys: readonly string[] }
  | { readonly type: 'none' };

/**
 * Finds the action of keys. A key that has an action and also begins a sequence, such as Escape, acts at once; the
 * sequence applies when its conditions were met at each of its keys.
 */
export class KeyMatcher {
  readonly #map: KeyMap;
  #begun: readonly KeyBinding[] = [];
  #length = 0;
  #at = 0;

  constructor(map: KeyMap) {
    this.#map = map;
  }

  press(key: Key, situation: KeySituation): KeyMeaning {
    const notation = keyNotation(key);
    const isInTime = situation.now - this.#at <= sequencePauseMs;
    const begun = isInTime ? this.#begun.filter(binding => applies(binding, situation)) : [];
    const position = begun.length === 0 ? 0 : this.#length;
    const continued = begun.filter(binding => binding.keys[position] === notation);
    const fresh = this.#map.filter(binding => binding.keys[0] === notation && applies(binding, situation));
    const found = continued.length > 0 ? continued : fresh;
    const candidates = found.toSorted(
      (one, other) => Number(other.in === situation.context) - Number(one.in === situation.context),
    );
    this.#length = (continued.length > 0 ? position : 0) + 1;
    this.#at = situation.now;
    this.#begun = candidates.filter(({ keys }) => keys.length > this.#length);
    const whole = candidates.find(({ keys }) => keys.length === this.#length);
    if (whole !== undefined) {
      if (continued.length > 0) this.#begun = [];
      return { type: 'action', action: whole.action };
    }
    if (this.#begun.length > 0) return { type: 'pending', keys: this.#begun[0]?.keys.slice(0, this.#length) ?? [] };
    return key.text === undefined ? { type: 'none' } : { type: 'text', text: key.text };
  }
}

/** A question lies over the conversation, which gets the keys that mean nothing to it. */
function applies({ in: context, when }: KeyBinding, situation: KeySituation): boolean {
  const isReached = context === situation.context || (context === 'chat' && situation.context === 'relay');
  return isReached && when.every(condition => situation.conditions.has(condition));
}
