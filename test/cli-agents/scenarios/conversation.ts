import type { ModelScript, ScriptedTurn } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';
import type { LiveScene } from '../support/live-scene.ts';
import type { Profile, Turn } from './profile.ts';

/** The task of a subagent in a scene. */
export const subagentTask = 'SUBAGENT-TASK do it';

/** Whether a request belongs to the conversation; others ask for a title, a suggestion and the like. */
export function isOfConversation(request: ScriptedRequest, { aside }: Pick<Profile, 'aside'>): boolean {
  return request.toolNames.length > 0 && aside?.test(request.lastUserText) !== true;
}

/** The turns of an agent and of its subagent, one after the other. */
export function conversation(
  profile: Pick<Profile, 'aside'>,
  turns: readonly Turn[],
  subagent: readonly Turn[] = [],
): ModelScript {
  const left = [...turns];
  const leftOfSubagent = [...subagent];
  return request => {
    if (!isOfConversation(request, profile)) return 'A title';
    const isSubagent = request.messages.some(({ role, text }) => role === 'user' && text.includes(subagentTask));
    return next(isSubagent ? leftOfSubagent : left, request);
  };
}

/** The turns that follow each prompt of a person: those of the newest prompt that the request contains. */
export function byPrompt(
  profile: Pick<Profile, 'aside'>,
  prompts: Readonly<Record<string, readonly Turn[]>>,
): ModelScript {
  const left = Object.entries(prompts).map(([prompt, turns]) => ({ prompt, turns: [...turns] }));
  return request => {
    if (!isOfConversation(request, profile)) return 'A title';
    const said = request.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
    const newest = left.toSorted((a, b) => said.lastIndexOf(a.prompt) - said.lastIndexOf(b.prompt)).at(-1);
    return next(newest?.turns ?? [], request);
  };
}

function next(turns: Turn[], request: ScriptedRequest): ScriptedTurn {
  const turn = turns.shift() ?? 'Nothing left.';
  return typeof turn === 'function' ? turn(request) : turn;
}

/** The requests of the conversation so far, as text. */
export function asked(live: LiveScene, profile: Pick<Profile, 'aside'>): string[] {
  return live.seen().flatMap(({ seen, body }) => (isOfConversation(seen, profile) ? [JSON.stringify(body)] : []));
}
