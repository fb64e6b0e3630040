// A coding agent on a folder: it reads a file, edits it and runs a command, and can touch nothing outside.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopAgent, workspacePermissions, workspaceTools } from 'singletree/agents';
import { createActivityState, projectActivity } from 'singletree/projections';
import { scriptedModel } from 'singletree/testing';

const folder = mkdtempSync(join(tmpdir(), 'singletree-'));
writeFileSync(join(folder, 'sum.js'), 'console.log(2 - 2);\n');

const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const agent = loopAgent({
  // A script instead of a model, so that no key is needed; a real one is 'anthropic/claude-sonnet-5'.
  model: scriptedModel([
    call('read', { path: 'sum.js' }),
    call('edit', { path: 'sum.js', old_string: '2 - 2', new_string: '2 + 2' }),
    call('bash', { command: 'node sum.js' }),
    call('read', { path: '../../etc/passwd' }),
    'It prints 4 now.',
  ]),
  tools: workspaceTools(folder),
  // Reading is allowed; edits and commands would be asked, and are allowed here.
  permissions: { ...workspacePermissions, default: 'allow' },
});

const activity = createActivityState();
const messages = [{ role: 'user' as const, content: 'Make sum.js add.' }];
for await (const event of agent.invoke({ conversation: { messages } })) {
  if (event.type === 'tool_result') console.log(event.output);
  for (const { timestamp: _, ...done } of projectActivity(activity, event)) console.log(JSON.stringify(done));
}
rmSync(folder, { recursive: true });
