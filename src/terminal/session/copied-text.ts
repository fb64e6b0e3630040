import type { ViewNode } from '../../projections/index.ts';

/** Returns the newest answer, code block or command of a thread; undefined when there is none. */
export function textToCopy(nodes: readonly ViewNode[], what: string): string | undefined {
  const answers = nodes.filter(({ role, text }) => role === 'assistant' && text.trim() !== '');
  if (what === 'command')
    return nodes
      .flatMap(({ toolCalls }) => toolCalls)
      .map(commandOf)
      .findLast(text => text !== undefined);
  const newest = answers.at(-1)?.text.trim();
  if (what !== 'code') return newest;
  const blocks = answers.flatMap(({ text }) =>
    Array.from(text.matchAll(/^```[^\n]*\n([^]*?)^```/gm), ([, code]) => code),
  );
  return blocks.at(-1)?.trimEnd();
}

/** Returns the bytes that ask a terminal to put a text into the clipboard, also over ssh. */
export function copyText(text: string): string {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}

function commandOf({ input }: ViewNode['toolCalls'][number]): string | undefined {
  const command = (input as { readonly command?: unknown } | undefined)?.command;
  return typeof command === 'string' ? command : undefined;
}
