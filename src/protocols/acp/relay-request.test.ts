import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../events/vocabulary.ts';
import { readForm, readOption, permissionOptions, questionForm } from './relay-request.ts';

type Relay = EventOf<'relay'>;
const base = { type: 'relay', runId: 'r', id: 'q' } as const;
const permission: Relay = { ...base, relayKind: 'permission', toolCallId: 'c', tool: 'bash', params: {} };
const question: Relay = {
  ...base,
  relayKind: 'question',
  question: 'Which?',
  options: [{ label: 'A' }, { label: 'B' }],
};
const namesOf = (relay: Relay) => permissionOptions(relay).map(({ optionId, kind }) => `${optionId} ${kind}`);

describe('what an editor offers as answers', () => {
  it('is to allow once or in the whole session, or to reject', () => {
    expect(namesOf(permission)).toEqual(['allow allow_once', 'always allow_always', 'reject reject_once']);
    expect(readOption(permission, 'always')).toEqual({ outcome: 'approve', remember: 'thread' });
  });

  it('has no grant for what only this answer can approve, and nothing that the agent cannot act on', () => {
    expect(namesOf({ ...permission, personOnly: true })).toEqual(['allow allow_once', 'reject reject_once']);
    expect(namesOf({ ...permission, answers: ['reject'] })).toEqual(['reject reject_once']);
  });

  it('is one option for each choice of a question', () => {
    expect(namesOf(question)).toEqual(['choice-1 allow_once', 'choice-2 allow_once', 'reject reject_once']);
    expect(readOption(question, 'choice-2')).toEqual({ outcome: 'answer', answer: 'B' });
    const several: Relay = { ...question, selectionMode: 'multi_select' };
    expect(readOption(several, 'choice-1')).toEqual({ outcome: 'answer', answer: ['A'] });
  });

  it('is to approve a plan or to keep planning', () => {
    const plan: Relay = { ...base, relayKind: 'plan', planId: 'p', plan: '1. Do it' };
    expect(permissionOptions(plan).map(({ name }) => name)).toEqual(['Approve the plan', 'Keep planning']);
  });

  it('ignores an option that was not offered', () => {
    expect(readOption(permission, 'choice-1')).toBeUndefined();
  });
});

describe('a question as a form', () => {
  it('asks for a text, one choice or several', () => {
    const fieldOf = (relay: Relay) => (questionForm(relay) as { properties: { answer: object } }).properties.answer;
    expect(fieldOf({ ...base, relayKind: 'question', question: 'Why?' })).toEqual({ type: 'string', title: 'Answer' });
    expect(fieldOf(question)).toMatchObject({ type: 'string', oneOf: [{ const: 'A' }, { const: 'B' }] });
    expect(fieldOf({ ...question, selectionMode: 'multi_select' })).toMatchObject({ type: 'array' });
    expect(questionForm(permission)).toBeUndefined();
  });

  it('is answered with its field, and declined when it is dismissed', () => {
    expect(readForm({ action: 'accept', content: { answer: 'A' } })).toEqual({ outcome: 'answer', answer: 'A' });
    expect(readForm({ action: 'accept', content: { answer: ['A', 'B'] } }).answer).toEqual(['A', 'B']);
    for (const action of ['decline', 'cancel']) expect(readForm({ action })).toEqual({ outcome: 'reject' });
    expect(readForm({ action: 'accept', content: null })).toEqual({ outcome: 'reject' });
  });
});
