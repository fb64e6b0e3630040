import type { LiveRequest } from '../contract/live-channel.ts';

type Permission = Extract<LiveRequest, { kind: 'permission' }>;

/** What the model reads when a person changed the input of its call: its own history keeps the original. */
export function revisionNote({ tool }: Permission, input: unknown): string {
  return `The user changed your call of ${tool} before it ran. It ran with this input instead: ${JSON.stringify(input)}`;
}

/** What the model reads about a rejection when the answer itself cannot carry the reason. */
export function rejectionNote(request: LiveRequest, feedback: string): string {
  if (request.kind === 'permission' || request.kind === 'check')
    return `Your call of ${request.tool} ${shortened(request.command ?? JSON.stringify(request.input))} was rejected and did not run. ${feedback}`;
  return request.kind === 'plan'
    ? `Your plan was not approved. ${feedback}`
    : `Your question was declined. ${feedback}`;
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
