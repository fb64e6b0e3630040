// Two modes: one plans and asks for approval, the other builds. An approved plan leads from the first to the second.
import { defineTool, loopAgent } from 'singletree/agents';
import { Harness } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const write = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: z.object({ path: z.string(), text: z.string() }),
  execute: ({ path, text }) => `${path}: ${text.length} characters`,
});
const planner = scriptedModel([
  [{ toolCall: { name: 'submit_plan', input: { title: 'A page', plan: '1. Write index.html' } } }],
]);
const builder = scriptedModel([
  [{ toolCall: { name: 'write_file', input: { path: 'index.html', text: '<h1>Hi</h1>' } } }],
  'The page is there.',
]);

const harness = new Harness({
  id: 'plan-build',
  modes: [
    { id: 'plan', name: 'Plan', agent: loopAgent({ id: 'planner', model: planner }) },
    { id: 'build', name: 'Build', default: true, agent: loopAgent({ id: 'builder', model: builder, tools: [write] }) },
  ],
});
harness.subscribe(event => {
  if (event.type === 'mode_changed') console.log(`mode: ${event.previousModeId} → ${event.modeId}`);
  if (event.type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'approve' });
  if (event.type === 'plan_approval_required') {
    console.log(`plan: ${event.title}\n${event.plan}`);
    void harness.respondToPlanApproval({ planId: event.planId, response: { action: 'approved' } });
  }
  if (event.type === 'tool_end') console.log(`done: ${JSON.stringify(event.result)}`);
});
await harness.switchMode({ modeId: 'plan' });
await harness.sendMessage({ content: 'Make a page.' });
await harness.sendMessage({ content: 'Go ahead.' });
console.log([...harness.getDisplayState().modifiedFiles.keys()], harness.getTokenUsage().totalTokens, 'tokens');
