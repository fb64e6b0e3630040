import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../events/vocabulary.ts';
import { type Terminal, TerminalPerson } from './terminal-person.ts';

type Relay = EventOf<'relay'>;

const permission = (more: Partial<Extract<Relay, { relayKind: 'permission' }>> = {}): Relay => ({
  type: 'relay',
  runId: 'r',
  id: 'relay-1',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'Bash',
  params: { command: 'touch a' },
  command: 'touch a',
  reason: 'to make a file',
  ...more,
});

/** A terminal at which these lines are entered, undefined for Ctrl-D; without one left, the question stays open. */
function person(lines: (string | undefined)[], edited?: string) {
  const answers: object[] = [];
  const shown: string[] = [];
  let changed = () => {};
  const terminal: Terminal = {
    write: text => void shown.push(text),
    draw: text => void shown.push(text),
    ask: (prompt, signal) => {
      shown.push(prompt);
      if (lines.length > 0) return Promise.resolve(lines.shift());
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('closed')), { once: true }),
      );
    },
    edit: () => Promise.resolve(edited),
  };
  const asked = new TerminalPerson(terminal, (relay, answer) => {
    answers.push({ relay: relay.id, ...answer });
    changed();
    return Promise.resolve();
  });
  const answered = (count: number) =>
    new Promise<object[]>(resolve => {
      changed = () => void (answers.length === count && resolve(answers));
      changed();
    });
  return { asked, answered, text: () => shown.join('') };
}

describe('the person at a terminal', () => {
  it('reads the exact command and the reason, and approves', async () => {
    const { asked, answered, text } = person(['a']);
    asked.ask(permission());
    expect(await answered(1)).toEqual([{ relay: 'relay-1', outcome: 'approve' }]);
    expect(text()).toContain('$ touch a');
    expect(text()).toContain('because: to make a file');
  });

  it('rejects with a reason', async () => {
    const { asked, answered } = person(['r', 'not this file']);
    asked.ask(permission());
    expect(await answered(1)).toEqual([{ relay: 'relay-1', outcome: 'reject', feedback: 'not this file' }]);
  });

  it('approves for the rest of the thread', async () => {
    const { asked, answered } = person(['l']);
    asked.ask(permission());
    expect(await answered(1)).toEqual([{ relay: 'relay-1', outcome: 'approve', remember: 'thread' }]);
  });

  it('revises the input in an editor, and is asked again when it is not JSON', async () => {
    const valid = person(['v'], '{"command":"touch b"}');
    valid.asked.ask(permission());
    expect(await valid.answered(1)).toEqual([{ relay: 'relay-1', outcome: 'revise', input: { command: 'touch b' } }]);
    const invalid = person(['v', 'a'], 'touch b');
    invalid.asked.ask(permission());
    expect(await invalid.answered(1)).toEqual([{ relay: 'relay-1', outcome: 'approve' }]);
    expect(invalid.text()).toContain('not valid JSON');
  });

  it('is offered only the answers that the agent takes', async () => {
    const { asked, answered, text } = person(['v', 'a'], '{}');
    asked.ask(permission({ answers: ['approve', 'reject'] }));
    expect(await answered(1)).toEqual([{ relay: 'relay-1', outcome: 'approve' }]);
    expect(text()).not.toContain('e edit');
  });

  it('answers questions by number or in words', async () => {
    const question: Relay = {
      type: 'relay',
      runId: 'r',
      id: 'q',
      relayKind: 'question',
      question: 'Which?',
      options: [{ label: 'Red' }, { label: 'Blue' }],
    };
    const { asked, answered } = person(['2', 'green', '1, blueish']);
    asked.ask(question);
    asked.ask({ ...question, id: 'q2' });
    asked.ask({ ...question, id: 'q3', selectionMode: 'multi_select' });
    expect(await answered(3)).toEqual([
      { relay: 'q', outcome: 'answer', answer: 'Blue' },
      { relay: 'q2', outcome: 'answer', answer: 'green' },
      { relay: 'q3', outcome: 'answer', answer: ['Red', 'blueish'] },
    ]);
  });

  it('is no longer asked what was answered elsewhere', async () => {
    const lines: string[] = [];
    const { asked, answered, text } = person(lines);
    asked.ask(permission());
    asked.ask(permission({ id: 'relay-2' }));
    lines.push('a');
    asked.resolved('relay-1');
    expect(await answered(1)).toEqual([{ relay: 'relay-2', outcome: 'approve' }]);
    expect(text()).toContain('answered elsewhere');
  });

  it('is asked again after an answer that is none, and after Ctrl-D', async () => {
    const { asked, answered, text } = person(['x', undefined, 'a']);
    asked.ask(permission());
    expect(await answered(1)).toEqual([{ relay: 'relay-1', outcome: 'approve' }]);
    expect(text()).toContain('"x" is no answer here');
    expect(text()).toContain('press Ctrl-C to stop the run');
  });

  it('reads what a revision will run', async () => {
    const { asked, answered, text } = person(['v'], '{"command":"touch b"}');
    asked.ask(permission());
    await answered(1);
    expect(text()).toContain('revised: {"command":"touch b"}');
  });

  it('answers nothing after an interrupt', async () => {
    const { asked, text } = person([]);
    asked.ask(permission());
    asked.ask(permission({ id: 'relay-2' }));
    asked.interrupt();
    await expect.poll(() => asked.isAsking).toBe(false);
    expect(text()).toContain('(interrupted: not answered)');
    expect(text()).not.toContain('elsewhere');
  });
});
