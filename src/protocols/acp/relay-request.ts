import type { EventOf } from '../../events/vocabulary.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';

type Relay = EventOf<'relay'>;

/** A choice of a permission request. */
export interface AcpOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once';
}

/** The answer of a person in an editor. */
export type AcpAnswer = Pick<EventOf<'relay_resolved'>, 'outcome' | 'answer' | 'remember'>;

interface Choice extends AcpOption {
  readonly answer: AcpAnswer;
}

/** Returns the choices of a permission request about a relay. A question without choices can only be declined by one. */
export function permissionOptions(relay: Relay): AcpOption[] {
  return listChoices(relay).map(({ optionId, name, kind }) => ({ optionId, name, kind }));
}

/** Returns the answer that a choice stands for; undefined for an unknown choice. */
export function readOption(relay: Relay, optionId: string): AcpAnswer | undefined {
  return listChoices(relay).find(choice => choice.optionId === optionId)?.answer;
}

/** Returns the form for a question as the schema of an elicitation; undefined for other relays. */
export function questionForm(relay: Relay): Readonly<Record<string, unknown>> | undefined {
  if (relay.relayKind !== 'question') return undefined;
  const { options = [], selectionMode } = relay;
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  const answer =
    choices.length === 0
      ? { type: 'string', title: 'Answer' }
      : selectionMode === 'multi_select'
        ? { type: 'array', title: 'Answers', items: { anyOf: choices } }
        : { type: 'string', title: 'Answer', oneOf: choices };
  return { type: 'object', properties: { answer }, required: ['answer'] };
}

/** Returns the answer of a submitted form; a dismissed form declines the question. */
export function readForm({ action, content }: { readonly action: string; readonly content?: unknown }): AcpAnswer {
  const fields = typeof content === 'object' && content !== null ? (content as Readonly<Record<string, unknown>>) : {};
  const { answer } = fields;
  if (action !== 'accept' || answer === undefined) return { outcome: 'reject' };
  const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return { outcome: 'answer', answer: Array.isArray(answer) ? answer.map(toText) : toText(answer) };
}

function listChoices(relay: Relay): readonly Choice[] {
  const possible = possibleAnswers(relay);
  return [...listAnswers(relay), ...listApprovals(relay), ...listRefusals(relay)].filter(({ answer }) =>
    possible.some(outcome => outcome === answer.outcome),
  );
}

function listAnswers(relay: Relay): Choice[] {
  if (relay.relayKind !== 'question') return [];
  const isList = relay.selectionMode === 'multi_select';
  return (relay.options ?? []).map(({ label }, index) => ({
    optionId: `choice-${index + 1}`,
    name: label,
    kind: 'allow_once',
    answer: { outcome: 'answer', answer: isList ? [label] : label },
  }));
}

function listApprovals(relay: Relay): Choice[] {
  const once: Choice = { optionId: 'allow', name: 'Allow', kind: 'allow_once', answer: { outcome: 'approve' } };
  if (relay.relayKind === 'plan') return [{ ...once, name: 'Approve the plan' }];
  if (relay.relayKind !== 'permission' || relay.personOnly === true) return [once];
  return [
    once,
    {
      optionId: 'always',
      name: 'Always allow this in the session',
      kind: 'allow_always',
      answer: { outcome: 'approve', remember: 'thread' },
    },
  ];
}

function listRefusals({ relayKind }: Relay): Choice[] {
  const name = relayKind === 'plan' ? 'Keep planning' : relayKind === 'question' ? 'Do not answer' : 'Reject';
  return [{ optionId: 'reject', name, kind: 'reject_once', answer: { outcome: 'reject' } }];
}
