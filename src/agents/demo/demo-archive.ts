import type { Agent } from '../contract/agent.ts';
import type { ScriptedTurn } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import { rlmAgent } from '../rlm/rlm-agent.ts';

const days = 30_000;
const oddDay = 21_417;
const winds = ['north', 'east', 'south', 'west'];

/** A log book of two million characters, in which one day differs from the others. */
function logBook(): string {
  const lines = Array.from({ length: days }, (_, at) => {
    const day = at + 1;
    const ships = (day * 7) % 23;
    return day === oddDay
      ? `Day ${day}: the lighthouse keeper found a green bottle with a map in it.`
      : `Day ${day}: ${ships} ships in the harbour, wind from the ${winds[day % 4]}, nothing to report.`;
  });
  return lines.join('\n');
}

/** A recursive language model on scripted models: it reads a log book far longer than a model's context window. */
export function archivist(paceMs: number): Agent {
  return rlmAgent({
    id: 'archivist',
    context: logBook,
    model: scriptedModel(request => cellFor(request, paceMs), { modelId: 'scripted', provider: 'demo' }),
    subModel: scriptedModel(readPage, { modelId: 'scripted-reader', provider: 'demo' }),
  });
}

function cellFor(request: ScriptedRequest, delayMs: number): ScriptedTurn {
  const isFirst = request.messages.every(({ role }) => role !== 'assistant');
  return { delayMs, text: isFirst ? lookAround : readOddPages };
}

const lookAround = `The log book is too long to read at once. First I look at how it is built.

\`\`\`js
const lines = context.split('\\n');
console.log(lines.length + ' lines, ' + context.length + ' characters');
console.log(lines.slice(0, 3).join('\\n'));
const odd = lines.filter(line => !line.includes('nothing to report'));
console.log(odd.length + ' line(s) that report something');
\`\`\``;

const readOddPages = `Now I let readers look at the pages around it, side by side.

\`\`\`js
const at = lines.indexOf(odd[0]);
const pages = [-60, -20, 20, 60].map(from => lines.slice(at + from - 20, at + from + 20).join('\\n'));
const notes = await Promise.all(pages.map(page => llm_query('What is unusual on this page?', page)));
notes.forEach((note, index) => console.log('page ' + (index + 1) + ': ' + note));
FINAL('In ' + lines.length + ' lines one day stands out. ' + odd[0]);
\`\`\``;

function readPage(request: ScriptedRequest): ScriptedTurn {
  const found = /^Day \d+: the (?!.*nothing to report).*$/m.exec(request.messages.map(({ text }) => text).join('\n'));
  return found === null ? 'Nothing unusual.' : `One entry is unusual: ${found[0]}`;
}
