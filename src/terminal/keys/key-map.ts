import { SingletreeError } from '../../events/singletree-error.ts';
import { actionDefinition, type ActionName, actionNames, type KeyCondition, type KeyContext } from './actions.ts';
import { parseKeys, shownKeys } from './key-notation.ts';

/** The keys of the configuration: by action, other keys, or false for none. */
export type KeySettings = Readonly<Record<string, string | readonly string[] | false>>;

/** One sequence of keys and its action. */
export interface KeyBinding {
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
  const bindings = actionNames.flatMap(action => bindingsOf(action, settings[action], problems));
  problems.push(...conflicts(bindings), ...shadowed(bindings));
  if (problems.length > 0)
    throw new SingletreeError('invalid_config', ['Invalid "keys" in the configuration.', ...problems].join('\n- '), {
      details: { problems },
    });
  return bindings.toSorted((one, other) => other.when.length - one.when.length);
}

/** Returns the keys of an action in words; undefined when it has none. */
export function keysOf(map: KeyMap, action: ActionName): string | undefined {
  const keys = map.filter(binding => binding.action === action).map(binding => shownKeys(binding.keys));
  return keys.length === 0 ? undefined : keys.join(', ');
}

function bindingsOf(action: ActionName, setting: KeySettings[string] | undefined, problems: string[]): KeyBinding[] {
  const { keys: defaults, in: context, when = [] } = actionDefinition(action);
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
    if (!isInDraft || !readlineKeys.has(first) || actionDefinition(action).edits === true) return [];
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
