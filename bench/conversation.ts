import type { EventOf } from 'singletree/events';

const words = ['the ', 'graph ', 'keeps ', 'every ', 'event, ', 'in ', 'order, ', 'and ', 'a ', 'reader ', 'resumes. '];

/** The events that the conversation is made of. */
export type ConversationEvent =
  | EventOf<'user' | 'text' | 'reasoning' | 'usage'>
  | EventOf<'harness_start' | 'harness_end' | 'step_start'>
  | EventOf<'tool_call' | 'tool_start' | 'tool_result'>;

/** The first events of an endless, always identical conversation between a person, an agent and its subagents. */
export function conversation(count: number): ConversationEvent[] {
  const events: ConversationEvent[] = [];
  const numbers = pseudoRandom();
  for (let turn = 0; ; turn++) {
    const asked = uuid(turn, 'a');
    const question: ConversationEvent = { type: 'user', runId: asked, content: `Please do task ${turn}.` };
    for (const event of [question, ...run(uuid(turn, 'b'), `${asked}:user`, numbers)]) {
      if (events.length === count) return events;
      events.push(event);
    }
  }
}

function run(runId: string, parentId: string, random: Random, depth = 0): ConversationEvent[] {
  const agentId = depth === 0 ? 'coder' : 'explorer';
  const events: ConversationEvent[] = [{ type: 'harness_start', runId, parentId, agentId }];
  const steps = random(3, 8);
  for (let step = 0; step < steps; step++) {
    events.push({ type: 'step_start', runId, step });
    events.push(...fragments('reasoning', runId, `${runId}/r${step}`, random(4, 10)));
    events.push(...fragments('text', runId, `${runId}/t${step}`, random(10, 30)));
    const delegates = depth < 2 && random(1, 12) === 1;
    const name = delegates ? 'agent' : 'bash';
    const id = `${runId}/call${step}`;
    events.push({ type: 'tool_call', runId, id, name, input: { command: `grep -rn "step ${step}" src` } });
    events.push({ type: 'usage', runId, inputTokens: random(1000, 90_000), outputTokens: random(20, 900) });
    events.push({ type: 'tool_start', runId, id, name });
    if (delegates) events.push(...run(`${runId}.${step}`, id, random, depth + 1));
    events.push({ type: 'tool_result', runId, id, name, output: { context: `src/file-${step}.ts:12: found` } });
  }
  events.push(...fragments('text', runId, `${runId}/t${steps}`, random(10, 30)));
  events.push({ type: 'harness_end', runId, agentId, reason: 'complete' });
  return events;
}

function fragments(type: 'text' | 'reasoning', runId: string, id: string, count: number): ConversationEvent[] {
  return Array.from({ length: count }, (_, n) => ({ type, runId, id, content: words[n % words.length] as string }));
}

type Random = (from: number, to: number) => number;

/** Whole numbers that look random and are the same each time (a linear congruential generator). */
function pseudoRandom(): Random {
  let state = 1;
  return (from, to) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

function uuid(turn: number, kind: 'a' | 'b'): string {
  return `019a0000-0000-7000-${kind}000-${turn.toString(16).padStart(12, '0')}`;
}
