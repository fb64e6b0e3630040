import { describe, expect, it } from 'vitest';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { emptyComposer, insertText } from '../composer/composer.ts';
import { actionNames } from '../keys/actions.ts';
import { actOnBand, type Band, followingBand, isWriting, leaveBand, nextBand, takesKeys } from './relay-band.ts';

const entry = (id: string, command = 'ls'): RelayEntry => ({
  id,
  runId: 'r',
  status: 'pending',
  relay: {
    type: 'relay',
    runId: 'r',
    id,
    relayKind: 'permission',
    toolCallId: id,
    tool: 'bash',
    params: { command },
    command,
  },
});
const question = (id: string, options: readonly string[]): RelayEntry => ({
  id,
  runId: 'r',
  status: 'pending',
  relay: {
    type: 'relay',
    runId: 'r',
    id,
    relayKind: 'question',
    question: 'Which?',
    options: options.map(label => ({ label })),
  },
});
const written = insertText(emptyComposer, 'half a sentence');
/** The band after a frame that showed it beside a draft. */
const shown = (draft = emptyComposer, waiting = [entry('a')]): Band => ({
  ...(nextBand(undefined, waiting, draft) ?? expect.fail()),
  draft,
});

describe('the band of what waits', () => {
  it('takes keys from the frame that shows it, also while a draft is begun', () => {
    const band = nextBand(undefined, [entry('a')], written) ?? expect.fail();
    expect(takesKeys(band, written)).toBe(false);
    expect(takesKeys({ ...band, draft: written }, written)).toBe(true);
  });

  it('leaves the keys to a message that is written after it appeared, until that is sent or removed', () => {
    for (const draft of [emptyComposer, written]) {
      expect(takesKeys(shown(draft), insertText(draft, '!'))).toBe(false);
      expect(takesKeys(shown(draft), emptyComposer)).toBe(true);
    }
  });

  it('takes the words of an answer where a question has no options, unless a draft is begun', () => {
    expect(isWriting(shown(emptyComposer, [question('q', [])]))).toBe(true);
    expect(takesKeys(shown(written, [question('q', [])]), written)).toBe(true);
    expect(takesKeys(shown(emptyComposer, [question('q', ['one'])]), emptyComposer)).toBe(true);
  });

  it('stays with its relay until that is answered, and waits when it is left', () => {
    const waiting = [entry('a'), entry('b')];
    const band = shown(emptyComposer, waiting);
    expect(nextBand(band, waiting, emptyComposer)).toBe(band);
    expect(nextBand(band, [entry('b')], emptyComposer)?.relayId).toBe('b');
    expect(takesKeys(leaveBand(band), emptyComposer)).toBe(false);
    expect(followingBand(band, waiting, emptyComposer).relayId).toBe('b');
  });
});

describe('the keys of a question', () => {
  it.each(actionNames.filter(name => name.startsWith('relay.') && !name.startsWith('relay.enter')))(
    '%s does something in a question that waits',
    action => {
      const situation = { pending: [entry('a')], draft: emptyComposer, place: { cwd: '/' } };
      expect(actOnBand(shown(), action, situation)).toBeDefined();
    },
  );
});
