/** Metadata of a subagent's run. */
export interface SubagentMeta {
  readonly modelId: string;
  readonly durationMs: number;
  readonly toolCalls: { readonly name: string; readonly isError: boolean }[];
}

const tag = /\n<subagent-meta modelId="([^"]*)" durationMs="(\d+)" tools="([^"]*)" \/>$/;

/** Appends a line of metadata to a subagent's result. */
export function withSubagentMeta(text: string, { modelId, durationMs, toolCalls }: SubagentMeta): string {
  const tools = toolCalls.map(({ name, isError }) => `${name}:${isError ? 'err' : 'ok'}`).join(',');
  const model = modelId.replaceAll('"', '');
  return `${text}\n<subagent-meta modelId="${model}" durationMs="${Math.round(durationMs)}" tools="${tools.replaceAll('"', '')}" />`;
}

/** Splits the metadata line from a subagent's result; a text without one stays whole. */
export function parseSubagentMeta(content: string): { readonly text: string } & Partial<SubagentMeta> {
  const found = tag.exec(content);
  if (found === null) return { text: content };
  const [, modelId = '', durationMs, tools = ''] = found;
  const toolCalls = tools.split(',').flatMap(entry => {
    const colon = entry.lastIndexOf(':');
    return entry === '' ? [] : [{ name: entry.slice(0, colon), isError: entry.slice(colon + 1) === 'err' }];
  });
  return { text: content.slice(0, found.index), modelId, durationMs: Number(durationMs), toolCalls };
}
