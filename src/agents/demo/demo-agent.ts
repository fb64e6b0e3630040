import type { Agent } from '../agent.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { ScriptedTurn } from '../model/script.ts';
import { scriptedModel } from '../model/scripted-model.ts';
import type { ScriptedRequest } from '../model/scripted-request.ts';
import { demoPermissions, demoTools } from './demo-tools.ts';

export interface DemoAgentOptions {
  /** The folder that holds its notes. */
  readonly folder: string;
  /** The pause before each word, in milliseconds; 40 when absent. */
  readonly paceMs?: number;
}

/**
 * An agent that needs no key: the real loop and real tools on a scripted model. It looks things up, asks before it
 * saves a note, and answers. What it does next depends only on the conversation, so a killed run goes on.
 */
export function demoAgent({ folder, paceMs = 40 }: DemoAgentOptions): Agent {
  return loopAgent({
    id: 'demo',
    model: scriptedModel(request => turnFor(request, paceMs), { modelId: 'scripted', provider: 'demo' }),
    tools: demoTools(folder),
    permissions: demoPermissions,
  });
}

function turnFor(request: ScriptedRequest, delayMs: number): ScriptedTurn {
  const id = (name: string) => `${name}-${request.messages.length}`;
  if (request.step === 0)
    return {
      delayMs,
      parts: [
        { reasoning: 'Before I answer I should know the time and what was noted before.' },
        { text: 'Let me look at the clock and at the notes first.' },
        { toolCall: { id: id('clock'), name: 'current_time', input: {} } },
        { toolCall: { id: id('notes'), name: 'read_notes', input: {} } },
      ],
    };
  if (request.step === 1)
    return {
      delayMs,
      parts: [
        { text: 'I would like to keep what you said as a note. That changes a file, so I ask you first.' },
        {
          toolCall: {
            id: id('save'),
            name: 'save_note',
            input: { text: request.lastUserText.slice(0, 200) || 'hello' },
          },
        },
      ],
    };
  const saved = request.toolResults.at(-1)?.text.startsWith('Saved') ?? false;
  return { delayMs, text: saved ? doneText : leftText };
}

const doneText = `Done: the note is saved.

Everything you saw is in one log: the text as it streamed, both look-ups, your approval and the file that was written. Try this:

1. Reload the page in the middle of an answer: nothing is lost.
2. Stop the server while I ask you something, and start it again: I still wait for you.
3. Reject the next note: I go on without it.`;

const leftText = `All right, I left the notes as they are.

The rejected call stays in the log, with your reason if you gave one: the next time I am asked, I know about it.`;
