// A file that is far too long for a prompt is a string in a REPL: the model writes code that searches it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rlmAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';

const folder = mkdtempSync(join(tmpdir(), 'singletree-'));
const file = join(folder, 'server.log');
const line = (n: number) => `${n} ${n === 54_321 ? 'ERROR disk /dev/sdb is full' : 'INFO all is well'}`;
writeFileSync(file, Array.from({ length: 180_000 }, (_, n) => line(n)).join('\n'));

const js = (code: string) => `\`\`\`js\n${code}\n\`\`\``;
const agent = rlmAgent({
  // Scripts instead of models, so that no key is needed; real ones are 'anthropic/claude-sonnet-5' and the like.
  model: scriptedModel([
    js(
      `const bad = context.split('\\n').filter(line => line.includes('ERROR'));\nprint(bad.length, 'of', context.length)`,
    ),
    js(`FINAL(await llm_query('What went wrong, in three words?', bad.join('\\n')))`),
  ]),
  subModel: scriptedModel(({ lastUserText }) => `${/disk \S+/.exec(lastUserText)?.[0]} full.`),
  context: () => readFileSync(file, 'utf8'),
});

const messages = [{ role: 'user' as const, content: 'What went wrong?' }];
for await (const event of agent.invoke({ conversation: { messages } })) {
  if (event.type === 'repl_input') console.log(`> ${event.code.replaceAll('\n', '\n> ')}`);
  if (event.type === 'repl_progress') process.stdout.write(event.chunk);
  if (event.type === 'harness_start' && event.agentId === 'llm_query') console.log('(a model is asked)');
  if (event.type === 'text' && event.id.endsWith(':final')) console.log(event.content);
}
rmSync(folder, { recursive: true });
