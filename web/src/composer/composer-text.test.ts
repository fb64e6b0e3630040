import { describe, expect, it } from 'vitest';
import { bytesText, toContent } from './attachments.ts';
import { contextShare } from './context-share.ts';
import { keyAction } from './send-key.ts';

const press = (...held: ('shiftKey' | 'ctrlKey' | 'metaKey' | 'isComposing')[]) => ({
  key: 'Enter',
  shiftKey: held.includes('shiftKey'),
  ctrlKey: held.includes('ctrlKey'),
  metaKey: held.includes('metaKey'),
  isComposing: held.includes('isComposing'),
});

describe('the key that sends', () => {
  it.each([
    [press(), 'enter', false, 'send'],
    [press(), 'enter', true, 'send'],
    [press('shiftKey'), 'enter', false, undefined],
    [press('ctrlKey'), 'enter', false, 'send'],
    [press('metaKey'), 'enter', true, 'queue'],
    [press('isComposing'), 'enter', false, undefined],
    [press(), 'mod-enter', false, undefined],
    [press('ctrlKey'), 'mod-enter', true, 'send'],
    [press('ctrlKey', 'shiftKey'), 'mod-enter', true, 'queue'],
    [{ ...press(), key: 'a' }, 'enter', false, undefined],
  ] as const)('is %j with %s, running %s: %s', (key, sendKey, isRunning, action) =>
    expect(keyAction(key, sendKey, isRunning)).toBe(action),
  );
});

describe('the content of a message', () => {
  it('is its text, or parts when something is attached', () => {
    expect(toContent('hi', [])).toBe('hi');
    const file = { id: '1', name: 'a.txt', mediaType: 'text/plain', data: 'YQ==', size: 1 };
    const image = { id: '2', name: 'b.png', mediaType: 'image/png', data: 'YQ==', size: 1 };
    expect(toContent('', [file, image])).toEqual([
      { type: 'file', data: 'YQ==', mediaType: 'text/plain', filename: 'a.txt' },
      { type: 'image', data: 'YQ==', mediaType: 'image/png' },
    ]);
  });

  it('has sizes that can be read', () => {
    expect([500, 2_048, 3_000_000].map(bytesText)).toEqual(['500 B', '2 KB', '2.9 MB']);
  });
});

it('knows the share of the context that is used only when the size of the model is known', () => {
  const agents = [{}, { contextWindows: { 'a/b': 200 } }];
  expect(contextShare({ tokens: 50, model: 'a/b' }, agents)).toEqual({ used: 0.25, window: 200 });
  expect(contextShare({ tokens: 500, model: 'a/b' }, agents)?.used).toBe(1);
  expect(contextShare({ tokens: 50, model: 'x' }, agents)).toBeUndefined();
  expect(contextShare(undefined, agents)).toBeUndefined();
});
