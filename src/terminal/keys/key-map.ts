import { SingletreeError } from '../../base/singletree-error.ts';
import { actions, type ActionName, actionNames, type KeyCondition, type KeyContext } from './actions.ts';
import { type Key, keyNotation, parseKeys, shownKeys } from './key.ts';

/** The keys of the configuration: by action, other keys, or false for none. */
export type KeySettings = Readonly<Record<string, string | readonly string[] | false>>;

/** One sequence of keys and its action. */
interface KeyBinding {
  readonly keys: readonly string[];
  readonly action: ActionName;
  readonly in: KeyContext;
  readonly when: readonly KeyCondition[];
}

/** Bindings, those with more conditions first: the first that applies is taken. */
export type KeyMap = readonly KeyBinding[];

/**
 * Returns the default keys with the changes of a configuration. Throws `invalid_config` when it names an unknown action
 * or key, or gives two actions the same key.
 */
export function keyMap(settings: KeySettings = {}): KeyMap {
  const problems = Object.keys(settings).filter(isUnknown).map(unknownAction);
  const bindings = actionNames.flatMap(action => resolveBindings(action, settings[action], problems));
  problems.push(...conflicts(bindings), ...shadowed(bindings));
  if (problems.length > 0)
    throw new SingletreeError('invalid_config', ['Invalid "keys" in the configuration.', ...problems].join('\n- '), {
      details: { problems },
    });
  return bindings.toSorted((one, other) => other.when.length - one.when.length);
}

/** Returns the keys of an action in words; undefined when it has none. */
export function findKeys(map: KeyMap, action: ActionName): string | undefined {
  const keys = map.filter(binding => binding.action === action).map(binding => shownKeys(binding.keys));
  return keys.length === 0 ? undefined : keys.join(', ');
}

function resolveBindings(
  action: ActionName,
  setting: KeySettings[string] | undefined,
  problems: string[],
): KeyBinding[] {
  const { keys: defaults, in: context, when = [] } = actions[action];
  const texts =
    setting === undefined ? defaults : setting === false ? [] : typeof setting === 'string' ? [setting] : setting;
  return texts.flatMap(text => {
    const keys = parseKeys(text);
    if (keys === undefined) problems.push(unknownKey(action, text));
    return keys === undefined ? [] : [{ keys, action, in: context, when }];
  });
}

/** One sentence for each pair of actions that has the same keys under the same conditions. */
function conflicts(bindings: readonly KeyBinding[]): string[] {
  const seen = new Map<string, KeyBinding>();
  return bindings.flatMap(binding => {
    const id = [binding.in, ...binding.keys, ...binding.when.toSorted().map(condition => `?${condition}`)].join(' ');
    const other = seen.get(id);
    seen.set(id, binding);
    if (other === undefined || other.action === binding.action) return [];
    const keys = shownKeys(binding.keys);
    return [
      `${keys} is bound to both "${other.action}" and "${binding.action}": give one of them another key, or none with false.`,
    ];
  });
}

/** The keys with which readline edits a line. */
const readlineKeys: ReadonlySet<string> = new Set('abdefknpuwy'.split('').map(letter => `ctrl+${letter}`));
/** While one of these is the case no draft is edited with readline keys. */
const withoutDraft: ReadonlySet<KeyCondition> = new Set(['empty', 'completing']);

/** One sentence for each readline key that would do something else while a draft is written. */
function shadowed(bindings: readonly KeyBinding[]): string[] {
  return bindings.flatMap(({ keys, action, in: context, when }) => {
    const isInDraft = context === 'chat' && !when.some(condition => withoutDraft.has(condition));
    const [first = ''] = keys;
    if (!isInDraft || !readlineKeys.has(first) || actions[action].edits === true) return [];
    return [`${shownKeys([first])} edits the draft, as in a shell: give "${action}" another key.`];
  });
}

function isUnknown(name: string): boolean {
  return !(actionNames as readonly string[]).includes(name);
}

function unknownAction(name: string): string {
  const [, last = name] = name.split('.');
  const near = actionNames.filter(other => other.includes(last) || name.includes(other)).slice(0, 3);
  const hint = near.length === 0 ? 'The help sheet (/help) lists all actions' : `Did you mean ${near.join(' or ')}`;
  return `Unknown action "${name}". ${hint}${near.length === 0 ? '.' : '?'}`;
}

function unknownKey(action: ActionName, text: string): string {
  return `Unknown key "${text}" for "${action}". Write keys like "ctrl+g", "alt+enter", "f5" or "ctrl+x ctrl+e".`;
}

/** How long the next key of a sequence may take. */
export const sequencePauseMs = 1_000;

/** The state in which a key is pressed. */
interface KeySituation {
  readonly context: KeyContext;
  readonly conditions: ReadonlySet<KeyCondition>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The meaning of a key: an action, text to insert, the start of a sequence, or nothing. */
type KeyMeaning =
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

const headings: Readonly<Record<KeyContext, string>> = {
  chat: 'In the conversation',
  relay: 'In a question',
  list: 'In a list',
  viewer: 'In the transcript',
};

/** Returns the default keys as Markdown: one table for each place where they apply. */
export function keyTable(): string {
  const map = keyMap();
  return (Object.keys(headings) as KeyContext[])
    .map(context => {
      const rows = actionNames
        .filter(name => actions[name].in === context)
        .map(name => {
          const { does, command, when = [] } = actions[name];
          const extra = [
            ...(when.length === 0 ? [] : [`when ${when.join(' and ')}`]),
            ...(command ? [`also \`${command}\``] : []),
          ];
          return `| ${findKeys(map, name) ?? ''} | ${does}${extra.length === 0 ? '' : ` (${extra.join('; ')})`} | \`${name}\` |`;
        });
      return [`### ${headings[context]}`, '', '| keys | what they do | action |', '|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
}
