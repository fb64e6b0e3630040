import { describe, expect, it } from 'vitest';
import { SingletreeError } from '../../base/singletree-error.ts';
import { actions, actionNames, type KeyCondition, type KeyContext } from './actions.ts';
import { characterKey, type Key, namedKey, parseKeys, shownKeys } from './key.ts';
import { type KeyMap, keyMap, KeyMatcher, type KeySettings, findKeys, sequencePauseMs } from './key-map.ts';

const ctrl = (name: string) => namedKey(name, { ctrl: true });

/** What one key does. */
function press(key: Key, conditions: KeyCondition[] = [], map: KeyMap = keyMap(), context: KeyContext = 'chat') {
  const meaning = new KeyMatcher(map).press(key, { context, conditions: new Set(conditions), now: 0 });
  return meaning.type === 'action' ? meaning.action : meaning.type === 'text' ? { text: meaning.text } : meaning.type;
}

function problemsOf(settings: KeySettings): unknown {
  try {
    keyMap(settings);
  } catch (error) {
    if (SingletreeError.is(error, 'invalid_config')) return error.details['problems'];
  }
  return undefined;
}

describe('the keys of a question', () => {
  it('come before those of the conversation, which has the others', () => {
    const inQuestion = (key: Key) => press(key, ['waiting', 'running', 'empty'], keyMap(), 'relay');
    expect(inQuestion(namedKey('enter'))).toBe('relay.choose');
    expect(inQuestion(namedKey('tab'))).toBe('relay.next');
    expect(inQuestion(ctrl('o'))).toBe('transcript');
    expect(inQuestion(namedKey('backspace'))).toBe('draft.delete-left');
    expect(inQuestion(characterKey('x'))).toEqual({ text: 'x' });
  });
});

describe('the default keys', () => {
  it('never shadow a readline key while a draft is written', () => {
    const readline = {
      a: 'draft.line-start',
      e: 'draft.line-end',
      b: 'draft.left',
      f: 'draft.right',
      p: 'draft.up',
      n: 'draft.down',
      u: 'draft.kill-line-left',
      k: 'draft.kill-line-right',
      w: 'draft.kill-word-left',
      y: 'draft.yank',
      d: 'draft.delete-right',
    };
    for (const [name, action] of Object.entries(readline)) {
      expect(press(ctrl(name))).toBe(action);
      expect(press(ctrl(name), ['running'])).toBe(action);
      expect(press(ctrl(name), ['idle', 'waiting'])).toBe(action);
      expect(press(ctrl(name), ['running', 'movable', 'waiting'])).toBe(action);
    }
  });

  it('have a slash command for each action with Alt that is no editing', () => {
    const missing = actionNames.filter(name => {
      const { in: context, keys, command, edits } = actions[name];
      return context === 'chat' && edits !== true && command === undefined && keys.some(key => key.startsWith('alt+'));
    });
    expect(missing).toEqual([]);
  });

  it('start a new line with every key that a terminal may send for it', () => {
    const enter = (held: object) => namedKey('enter', held);
    for (const key of [ctrl('j'), enter({ shift: true }), enter({ alt: true }), enter({ ctrl: true })])
      expect(press(key)).toBe('draft.newline');
    expect(press(namedKey('enter'))).toBe('send');
  });

  it('depend on what is the case', () => {
    expect(press(characterKey('?'), ['empty'])).toBe('help');
    expect(press(characterKey('?'))).toEqual({ text: '?' });
    expect(press(ctrl('d'), ['empty'])).toBe('quit');
    expect(press(ctrl('b'), ['movable', 'empty'])).toBe('background');
    expect(press(namedKey('tab'), ['running'])).toBe('queue');
    expect(press(namedKey('tab'), ['running', 'completing'])).toBe('completion.accept');
    expect(press(namedKey('tab'), ['running', 'waiting', 'empty'])).toBe('relay.enter');
    expect(press(namedKey('tab'))).toBe('none');
    expect(press(characterKey('y'), [], keyMap(), 'relay')).toBe('relay.approve');
    expect(press(characterKey('y'))).toEqual({ text: 'y' });
    expect(press(namedKey('tab', { shift: true }), ['empty', 'idle'])).toBe('mode');
  });

  it('take Escape twice for a rewind only when both found nothing to do', () => {
    const idle = { context: 'chat', conditions: new Set<KeyCondition>(['empty', 'idle']), now: 0 } as const;
    const running = { ...idle, conditions: new Set<KeyCondition>(['empty', 'running']) };
    const escape = namedKey('escape');
    const twice = new KeyMatcher(keyMap());
    expect([twice.press(escape, idle), twice.press(escape, idle), twice.press(escape, idle)]).toEqual([
      { type: 'action', action: 'back' },
      { type: 'action', action: 'rewind' },
      { type: 'action', action: 'back' },
    ]);
    const stopped = new KeyMatcher(keyMap());
    expect([stopped.press(escape, running), stopped.press(escape, idle)]).toEqual([
      { type: 'action', action: 'back' },
      { type: 'action', action: 'back' },
    ]);
    const slow = new KeyMatcher(keyMap());
    slow.press(escape, idle);
    expect(slow.press(escape, { ...idle, now: sequencePauseMs + 1 })).toEqual({ type: 'action', action: 'back' });
  });

  it('wait for the second key of a sequence, and take another key for itself', () => {
    const at = { context: 'chat', conditions: new Set<KeyCondition>(), now: 0 } as const;
    const matcher = new KeyMatcher(keyMap());
    expect(matcher.press(ctrl('x'), at)).toEqual({ type: 'pending', keys: ['ctrl+x'] });
    expect(matcher.press(ctrl('e'), at)).toEqual({ type: 'action', action: 'editor' });
    matcher.press(ctrl('x'), at);
    expect(matcher.press(characterKey('q'), at)).toEqual({ type: 'text', text: 'q' });
    expect(matcher.press(ctrl('e'), at)).toEqual({ type: 'action', action: 'draft.line-end' });
  });
});

describe('keys of the configuration', () => {
  it('replace the keys of an action, or take them away', () => {
    const map = keyMap({ transcript: ['f2', 'ctrl+x t'], mode: false });
    expect(press(namedKey('f2'), [], map)).toBe('transcript');
    expect(press(ctrl('o'), [], map)).toBe('none');
    expect(press(namedKey('tab', { shift: true }), [], map)).toBe('none');
    expect(findKeys(map, 'transcript')).toBe('F2, Ctrl+X t');
    expect(findKeys(map, 'mode')).toBeUndefined();
  });

  it('report unknown actions, unknown keys and conflicts, all at once', () => {
    expect(problemsOf({ transcripts: 'f2', 'draft.undo': 'hyper+z', model: 'ctrl+k' })).toEqual([
      'Unknown action "transcripts". Did you mean transcript?',
      'Unknown key "hyper+z" for "draft.undo". Write keys like "ctrl+g", "alt+enter", "f5" or "ctrl+x ctrl+e".',
      'Ctrl+K is bound to both "model" and "draft.kill-line-right": give one of them another key, or none with false.',
      'Ctrl+K edits the draft, as in a shell: give "model" another key.',
    ]);
  });

  it('cannot take a readline key from a draft, whatever their conditions are and whoever gave the key away', () => {
    expect(problemsOf({ queue: 'ctrl+e' })).toEqual([
      'Ctrl+E edits the draft, as in a shell: give "queue" another key.',
    ]);
    expect(problemsOf({ 'draft.kill-line-left': false, threads: 'ctrl+u t' })).toHaveLength(1);
    expect(problemsOf({ background: 'ctrl+f', 'draft.line-end': 'ctrl+k', 'draft.kill-line-right': false })).toBe(
      undefined,
    );
  });

  it('accept a key that its former action gave away', () => {
    expect(press(ctrl('t'), [], keyMap({ tasks: false, threads: 'ctrl+t' }))).toBe('threads');
  });

  it('accept the usual spellings', () => {
    expect(parseKeys('Esc')).toEqual(['escape']);
    expect(parseKeys('shift+ctrl+A')).toEqual(['ctrl+shift+a']);
    expect(parseKeys('ctrl++')).toEqual(['ctrl++']);
    expect(parseKeys('ctrl+m')).toEqual(['enter']);
    expect(parseKeys('G')).toEqual(['shift+g']);
    expect(parseKeys('ctrl+')).toBeUndefined();
    expect(parseKeys('foo')).toBeUndefined();
    expect(shownKeys(['ctrl+x', '?'])).toBe('Ctrl+X ?');
  });
});
