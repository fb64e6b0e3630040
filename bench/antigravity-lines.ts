/** What Antigravity prints, written by hand after its documentation: no stream of it was recorded. */
export function antigravityLines(): string[] {
  const words = 'The failing test expects a sorted list, so the sort has to be stable across runs.'.split(' ');
  const said = words.map(word => step(1, 'agent_response', { text_delta: `${word} ` }));
  const read = {
    name: 'view_file',
    parameters: { AbsolutePath: '/home/dev/project/src/sort.ts', StartLine: 1, EndLine: 80 },
  };
  const ran = { name: 'run_command', parameters: { CommandLine: 'npm test -- sort', Cwd: '/home/dev/project' } };
  return [
    { event: 'init', conversation_id: 'c', init: { cwd: '/home/dev/project', model: 'gemini', tools: [] } },
    ...said,
    ...[read, ran].flatMap((tool, at) => [
      step(at + 2, 'tool', { tool_name: tool.name, tool_info: tool }),
      step(at + 2, 'tool', { state: 'DONE', tool_name: tool.name, tool_info: { ...tool, output: 'ok '.repeat(200) } }),
    ]),
    { event: 'result', result: { conversation_id: 'c', status: 'SUCCESS' } },
  ].map(record => JSON.stringify(record));
}

function step(step_index: number, step_type: string, more: object): object {
  return { event: 'step_update', step_update: { step_index, step_type, state: 'ACTIVE', ...more } };
}
