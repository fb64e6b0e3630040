import { expect, it } from 'vitest';
import { bash, pi } from '../scenarios/profiles/pi.ts';
import { tryProgram } from '../scenarios/try-program.ts';
import { comparedEvents } from '../support/compared-events.ts';
import { callTool } from '../support/live-scene.ts';

tryProgram(pi, version => {
  it('reports the same events as print mode', async () => {
    const { print, live } = await comparedEvents(version, () => [
      [{ text: 'I begin.' }, ...bash('cat notes.txt')],
      callTool('write', { path: 'new.txt', content: 'hi\n' }),
      bash('exit 3'),
      'Done.',
    ]);
    expect(print.map(({ type }) => type)).toContain('tool_result');
    expect(live).toEqual(print);
  });
});
