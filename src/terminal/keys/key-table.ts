import { actionDefinition, actionNames, type KeyContext } from './actions.ts';
import { keyMap, keysOf } from './key-map.ts';

const headings: Readonly<Record<KeyContext, string>> = {
  chat: 'In the conversation',
  relay: 'In a question',
  list: 'In a list',
  viewer: 'In the transcript',
};

/** Returns the default keys as Markdown: one table for each place where they apply. */
export function keyTable(): string {
  const map = keyMap();
  return (Object.keys(headings) as KeyContext[])
    .map(context => {
      const rows = actionNames
        .filter(name => actionDefinition(name).in === context)
        .map(name => {
          const { does, command, when = [] } = actionDefinition(name);
          const extra = [
            ...(when.length === 0 ? [] : [`when ${when.join(' and ')}`]),
            ...(command ? [`also \`${command}\``] : []),
          ];
          return `| ${keysOf(map, name) ?? ''} | ${does}${extra.length === 0 ? '' : ` (${extra.join('; ')})`} | \`${name}\` |`;
        });
      return [`### ${headings[context]}`, '', '| keys | what they do | action |', '|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
}
