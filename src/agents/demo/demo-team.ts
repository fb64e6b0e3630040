import type { Agent, Tool } from '../contract/agent.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { ScriptedTurn } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import { demoPermissions } from './demo-tools.ts';

/** A subagent on a scripted model: it looks one thing up and reports what it found. */
export function scout(tools: readonly Tool[], paceMs: number): Agent {
  return loopAgent({
    id: 'scout',
    model: scriptedModel(request => turnFor(request, paceMs), { modelId: 'scripted', provider: 'demo' }),
    tools,
    permissions: demoPermissions,
  });
}

function turnFor(request: ScriptedRequest, delayMs: number): ScriptedTurn {
  if (request.step > 0)
    return { delayMs, text: `I looked it up: ${request.toolResults.at(-1)?.text.slice(0, 120) ?? 'nothing'}` };
  const name = request.lastUserText.includes('notes') ? 'read_notes' : 'current_time';
  const text = `My task: ${request.lastUserText} I use ${name}.`;
  return { delayMs, parts: [{ text }, { toolCall: { id: 'look', name, input: {} } }] };
}
