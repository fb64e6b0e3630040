import type { AgentEvent } from '../../src/events/index.ts';
import { scriptedAgent, type Stage } from './scripted-agent.ts';

/** Requests a permission before a tool, and writes the answer. */
export async function* askingScript({
  event,
  answer,
  params: {
    run: { runId },
  },
}: Stage): AsyncGenerator<AgentEvent> {
  const id = `${runId}/call-1`;
  const tool = { id, name: 'shell' };
  yield event('text', { id: 'a', content: 'A listing first.' });
  yield event('tool_call', { ...tool, input: { command: 'ls -la /srv' } });
  const params = { command: 'ls -la /srv' };
  yield event('relay', { id: `${runId}/ask`, relayKind: 'permission', toolCallId: id, tool: 'shell', params });
  const { outcome, feedback = 'no reason', remember } = await answer(`${runId}/ask`);
  if (outcome === 'approve') {
    yield event('tool_start', tool);
    yield event('tool_result', { ...tool, output: { context: 'README.md\nsrc' } });
  } else yield event('tool_result', { ...tool, output: { status: 'denied', reason: feedback } });
  yield event('text', { id: 'b', content: `Answer: ${outcome} ${remember ?? 'once'}.` });
}
export const asking = scriptedAgent('asking', askingScript);

/** Starts a run below its own, and puts a question with choices. */
export const delegating = scriptedAgent(
  'delegating',
  async function* ({
    event,
    answer,
    params: {
      run: { runId },
    },
  }) {
    const id = `${runId}/call-1`;
    const child = (fields: object) =>
      ({ runId: `${runId}-child`, agentId: 'reader', ...fields }) as unknown as AgentEvent;
    yield event('tool_call', { id, name: 'agent', input: { task: 'Read the notes' } });
    yield event('tool_start', { id, name: 'agent' });
    yield child({ type: 'harness_start', parentId: id });
    yield child({ type: 'text', id: 't', content: 'Notes from below.' });
    const options = [{ label: 'Short' }, { label: 'Long', description: 'with all details' }];
    yield event('relay', { id: 'q', relayKind: 'question', question: 'How long?', options });
    const said = String((await answer('q')).answer);
    yield child({ type: 'harness_end' });
    yield event('tool_result', { id, name: 'agent', output: { error: 'the reader gave up' } });
    yield event('text', { id: 't', content: `It will be ${said}.` });
  },
);
