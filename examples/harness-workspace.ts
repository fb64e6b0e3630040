// A harness whose modes work in one folder, and a person who is asked for a file outside it.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopAgent } from 'singletree/agents';
import { Harness } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';

const base = mkdtempSync(join(tmpdir(), 'workspace-'));
mkdirSync(join(base, 'project/skills/greet'), { recursive: true });
writeFileSync(join(base, 'project/skills/greet/SKILL.md'), '---\ndescription: greets people\n---\nSay "Moin".\n');
writeFileSync(join(base, 'names.txt'), 'Ada');

const model = scriptedModel([
  [{ toolCall: { name: 'skill', input: { skill: 'greet' } } }],
  [{ toolCall: { name: 'view', input: { path: '../names.txt' } } }],
  [{ toolCall: { name: 'write', input: { path: 'greeting.txt', content: 'Moin, Ada!' } } }],
  'It is written.',
]);
const harness = new Harness({
  id: 'writer',
  modes: [{ id: 'write', agent: loopAgent({ id: 'writer', model }) }],
  workspace: {
    root: join(base, 'project'),
    skills: ['skills'],
    tools: { read: { name: 'view' }, bash: { enabled: false } },
  },
});
harness.setPermissionForCategory({ category: 'read', policy: 'allow' });
harness.subscribe(event => {
  if (event.type === 'workspace_ready') console.log(`ready: ${event.workspaceName}`);
  if (event.type === 'workspace_error') console.error(event.error.message);
  if (event.type === 'tool_approval_required') {
    console.log(`May I use ${event.toolName}? You approve it.`);
    harness.respondToToolApproval({ decision: 'approve' });
  }
  if (event.type === 'sandbox_access_request') {
    console.log(`May I use names.txt? ${event.reason} You say yes.`);
    harness.respondToQuestion({ questionId: event.questionId, answer: 'yes' });
  }
});
await harness.sendMessage({ content: 'Greet everybody.' });
console.log(await harness.getWorkspace()?.readFile('greeting.txt'));
await harness.destroy();
