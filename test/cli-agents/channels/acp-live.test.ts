import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acpProfiles } from '../scenarios/profiles/acp.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { callTool, LiveScene } from '../support/live-scene.ts';

/** How the model of a program writes a file; these programs report no locations. */
const writes: Readonly<Record<string, (path: string) => ReturnType<typeof callTool>>> = {
  goose: path => callTool('write', { path, content: 'hi\n' }),
  cline: path => callTool('editor', { path, new_text: 'hi\n' }),
};

for (const profile of acpProfiles)
  tryProgram(profile, version => {
    const write = writes[profile.agent];
    if (write === undefined) return;

    it('writes no file that a rule guards, by its absolute path or through a link', async () => {
      let folder = '';
      const paths = ['secret.txt', 'src/link/secret.txt', 'src/made.txt'];
      const live = await LiveScene.open(version, ({ toolNames, toolResults }) => {
        const path = paths[toolResults.length];
        return toolNames.length === 0 || path === undefined ? 'Done.' : write(join(folder, path));
      });
      folder = live.options.cwd;
      mkdirSync(join(folder, 'src'));
      symlinkSync('..', join(folder, 'src/link'));
      try {
        const rules = [{ input: { path: 'secret.txt' }, policy: 'deny' as const, reason: 'RULE-1: it is secret' }];
        const run = await live.send('go', { permissions: { default: 'allow', rules } });
        const { events } = await live.finished(run);
        const outputs = events.flatMap(event => (event.type === 'tool_result' ? [JSON.stringify(event.output)] : []));
        expect(outputs).toHaveLength(3);
        expect(outputs.slice(0, 2).every(output => output.includes('denied'))).toBe(true);
        expect([live.has('secret.txt'), live.has('src/made.txt')]).toEqual([false, true]);
      } finally {
        await live.close();
      }
    });
  });
