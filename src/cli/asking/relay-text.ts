import type { EventOf } from '../../events/index.ts';

/** What a person reads before answering: what would happen, exactly, and why. */
export function relayText(relay: EventOf<'relay'>): string {
  if (relay.relayKind === 'question') {
    const options = (relay.options ?? []).map(
      ({ label, description }, index) =>
        `  ${index + 1}. ${label}${description === undefined ? '' : `: ${description}`}`,
    );
    return [`? ${relay.question}`, ...options].join('\n');
  }
  if (relay.relayKind === 'plan') return `? Plan: ${relay.title ?? ''}\n${indented(relay.plan)}`;
  if (relay.relayKind === 'permission') {
    const what = relay.command === undefined ? indented(relay.diff ?? shown(relay.params)) : `  $ ${relay.command}`;
    const why = relay.reason === undefined ? [] : [`  because: ${relay.reason}`];
    return [`? ${relay.tool} needs approval`, what, ...why].join('\n');
  }
  return `? ${relay.relayKind === 'access' ? 'Access' : relay.tool} needs approval\n${indented(shown(relay.params))}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value ?? {}, undefined, 2);
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `  ${line}`)
    .join('\n');
}
