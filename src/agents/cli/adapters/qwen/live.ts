import { acpLive } from '../../channels/acp/acp-adapter.ts';
import { acpProfile, type AskedQuestion, type CallFields } from '../../channels/acp/profile.ts';
import { toList, toRecord, toText } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';
import { drainMethod, QwenSteering } from './steering.ts';

/** The Agent Client Protocol profile of Qwen Code: how it differs from the defaults. */
export const qwenProfile = acpProfile({
  name: 'Qwen Code',
  modes: { ask: 'default', yolo: 'yolo', unsafe: ['auto-edit', 'auto', 'yolo'] },
  modelName: id => /^(?:\$runtime\|[^|]*\|)?(.+?)(?:\([^()]*\))?$/.exec(id)?.[1] ?? id,
  switchModel: 'start',
  calls: {
    nameOf: ({ meta }) => toText(meta['toolName']),
    shellTool: 'run_shell_command',
    reasonOf: (_, input) => toText(input['description']),
  },
  // Each model call reports its usage in an empty text chunk.
  usageOf: () => undefined,
  planOf: ({ kind, rawInput }, options) => {
    const optionId = ['restore_previous', 'proceed_once'].find(option => options.includes(option));
    const plan = toText(toRecord(rawInput)?.['plan']);
    return kind === 'switch_mode' && optionId !== undefined && plan !== undefined ? { plan, optionId } : undefined;
  },
  questionsOf: readQuestions,
  steering: channel => new QwenSteering(channel),
  ignored: new Set([
    '_qwencode/start_turn',
    '_qwencode/end_turn',
    'qwen/notify/session/mode-update',
    'qwen/notify/session/prompt-suggestion',
    drainMethod,
  ]),
});

/** Qwen Code over the Agent Client Protocol. */
export const qwenLive = acpLive(qwenProfile, {
  abilities: {
    plans: true,
    steer: 'joins',
    subagents: 'denied',
    parallelRequests: false,
    switchModel: false,
    switchMode: true,
  },
  modes: [
    { id: 'default', name: 'Ask', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
  command: ({ model, yolo, extraArgs = [] }) => ({
    args: [
      '--acp',
      ...(model === undefined ? [] : ['-m', model]),
      '--approval-mode',
      yolo === true ? 'yolo' : 'default',
      ...extraArgs,
    ],
  }),
});

function readQuestions({ meta }: CallFields): readonly AskedQuestion[] | undefined {
  if (meta['qwenInteractionKind'] !== 'user_question') return undefined;
  const questions = toList(meta['qwenQuestions']).flatMap(value => {
    const asked = toRecord(value);
    const question = toText(asked?.['question']);
    if (question === undefined) return [];
    const options = toList(asked?.['options']).flatMap(option => {
      const { label, description } = toRecord(option) ?? {};
      const about = toText(description);
      return typeof label === 'string' ? [{ label, ...defined({ description: about }) }] : [];
    });
    return [{ question, options, multiple: asked?.['multiSelect'] === true }];
  });
  return questions.length === 0 ? undefined : questions;
}
