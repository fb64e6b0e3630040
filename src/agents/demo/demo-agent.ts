import type { Agent } from '../contract/agent.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { ScriptedPart, ScriptedTurn } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import { agentTool } from '../subagents/agent-tool.ts';
import { archivist } from './demo-archive.ts';
import { scout } from './demo-team.ts';
import { demoPermissions, demoTools } from './demo-tools.ts';

export interface DemoAgentOptions {
  /** The folder that holds its notes. */
  readonly folder: string;
  /** The delay before each word, in milliseconds. Default: 40. */
  readonly paceMs?: number;
}

/** Prompts that show all features of the demo agent. */
export const demoSuggestions = [
  'Save a note for me',
  'Ask a team of subagents',
  'Find what is odd in the long log book',
] as const;

/**
 * Creates an agent that needs no key: the real loop, real tools, real subagents and a real recursive language model on
 * scripted models. Its next action depends only on the conversation, so a killed run can resume.
 */
export function demoAgent({ folder, paceMs = 40 }: DemoAgentOptions): Agent {
  const tools = demoTools(folder);
  const team = agentTool({
    agents: [
      { agent: scout(tools, paceMs), description: 'looks one thing up' },
      { agent: archivist(paceMs), description: 'answers questions about the log book of the harbour' },
    ],
  });
  return loopAgent({
    id: 'demo',
    model: scriptedModel(request => turnFor(request, paceMs), { modelId: 'scripted', provider: 'demo' }),
    tools: [...tools, team],
    permissions: { ...demoPermissions, rules: [...demoPermissions.rules, { tool: 'agent', policy: 'allow' }] },
  });
}

function turnFor(request: ScriptedRequest, delayMs: number): ScriptedTurn {
  const asked = request.lastUserText.toLowerCase();
  const call = (name: string, input: object, at = 0): ScriptedPart => ({
    toolCall: { id: `${name}-${request.messages.length}-${at}`, name, input },
  });
  const parts = (...given: ScriptedPart[]) => ({ delayMs, parts: given });
  if (/\b(team|subagents?|scouts?)\b/.test(asked)) {
    if (request.step > 0) return { delayMs, text: teamText };
    const tasks = ['Find out the time.', 'Look at the notes.', 'Find out the date.'];
    return parts(
      { reasoning: 'Three things to find out, and none needs another: subagents can do them at once.' },
      { text: 'I ask three scouts at once.' },
      ...tasks.map((task, at) => call('agent', { agent: 'scout', task }, at)),
    );
  }
  if (/\b(log ?book|long|archive|odd)\b/.test(asked)) {
    if (request.step > 0) return { delayMs, text: `${request.toolResults.at(-1)?.text ?? ''}\n\n${archiveText}` };
    return parts(
      { text: 'The log book has two million characters. I give it to the archivist, who writes code to read it.' },
      call('agent', { agent: 'archivist', task: 'What is odd in the log book?' }),
    );
  }
  return noteTurn(request, parts, call, delayMs);
}

function noteTurn(
  request: ScriptedRequest,
  parts: (...given: ScriptedPart[]) => ScriptedTurn,
  call: (name: string, input: object, at?: number) => ScriptedPart,
  delayMs: number,
): ScriptedTurn {
  if (request.step === 0)
    return parts(
      { reasoning: 'Before I answer I should know the time and what was noted before.' },
      { text: 'Let me look at the clock and at the notes first.' },
      call('current_time', {}),
      call('read_notes', {}),
    );
  if (request.step === 1)
    return parts(
      { text: 'I would like to keep what you said as a note. That changes a file, so I ask you first.' },
      call('save_note', { text: request.lastUserText.slice(0, 200) || 'hello' }),
    );
  const saved = request.toolResults.at(-1)?.text.startsWith('Saved') ?? false;
  return { delayMs, text: saved ? doneText : leftText };
}

const teamText = `All three are back. Each scout was a run of its own, with its own model calls and tools, and all of it is in this log: open a card to see what it did, or the graph to see who started whom.`;

const archiveText = `No model was sent more than a few pages: the archivist's code searched the text in a sandbox and asked readers about four pages at once.`;

const doneText = `Done: the note is saved.

Everything you saw is in one log: the text as it streamed, both look-ups, your approval and the file that was written. Try this:

1. Reload the page in the middle of an answer: nothing is lost.
2. Stop the server while I ask you something, and start it again: I still wait for you.
3. Reject the next note: I go on without it.
4. Ask a team of subagents, or ask what is odd in the long log book.`;

const leftText = `All right, I left the notes as they are.

The rejected call stays in the log, with your reason if you gave one: the next time I am asked, I know about it.`;
