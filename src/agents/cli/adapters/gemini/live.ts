import { acpLive } from '../../channels/acp/acp-adapter.ts';
import { contentDiffs, contentText, toOutput } from '../../channels/acp/call-content.ts';
import { acpProfile, type CallFields } from '../../channels/acp/profile.ts';
import { toCount, toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { loadDelay, readPlanFile, removeEmptyRecordings } from './session-files.ts';

const planTitle = /^Requesting plan approval for: (.+)$/s;

/** The Agent Client Protocol profile of Gemini CLI: how it differs from the defaults. */
export const geminiProfile = acpProfile({
  name: 'Gemini CLI',
  modes: { ask: 'default', yolo: 'yolo', unsafe: ['autoEdit', 'yolo'] },
  switchModel: 'set_model',
  calls: {
    // Neither a name nor arguments are sent: the id begins with the name, the title and the content show the rest.
    nameOf: ({ rawId }) => /^(.+?)__/.exec(rawId)?.[1],
    inputOf: toInput,
    shellTool: 'run_shell_command',
    reasonOf: ({ content }) => / ?\((.+)\)$/s.exec(contentText(content) ?? '')?.[1],
    outputOf: call => (isStopped(call) ? { error: contentText(call.content) ?? '' } : toOutput(call)),
  },
  modeIn: text => /^\[MODE_UPDATE\] (\S+)$/.exec(text)?.[1],
  usageOf: result => {
    const tokens = toRecord(toRecord(toRecord(result['_meta'])?.['quota'])?.['token_count']);
    const inputTokens = toCount(tokens?.['input_tokens']);
    const outputTokens = toCount(tokens?.['output_tokens']);
    if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return undefined;
    return { inputTokens, outputTokens };
  },
  reportsRejected: false,
  planOf: ({ title }, options) => {
    const path = planTitle.exec(title ?? '')?.[1];
    return path === undefined || !options.includes('proceed_once')
      ? undefined
      : { plan: undefined, path, optionId: 'proceed_once' };
  },
  historyFollowsLoad: true,
  loadDelayMs: ({ sessionId, environment }) => loadDelay(sessionId, environment, Date.now()),
  readPlan: (path, { sessionId, environment }) => readPlanFile(path, sessionId, environment),
});

/** Gemini CLI over the Agent Client Protocol. */
export const geminiLive = acpLive(geminiProfile, {
  abilities: {
    rejectEndsTurn: false,
    questions: false,
    plans: true,
    subagents: 'denied',
    parallelRequests: false,
    switchMode: true,
  },
  modes: [
    { id: 'default', name: 'Ask', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
  command: ({ model, extraArgs = [] }) => ({
    args: ['--acp', '--skip-trust', ...(model === undefined ? [] : ['-m', model]), ...extraArgs],
  }),
  prepare: ({ sessionId, environment }) => {
    if (sessionId !== undefined) removeEmptyRecordings(sessionId, environment);
  },
});

function toInput({ title, kind, content, locations }: CallFields, name: string): WireRecord {
  const [diff] = contentDiffs(content);
  const path = diff?.path ?? toText(toRecord(toList(locations)[0])?.['path']);
  if (name === 'run_shell_command') return { command: title ?? '' };
  if (name === 'write_file') return { file_path: path, ...(diff && { content: diff.newText }) };
  if (kind === 'edit') return { file_path: path, ...(diff && { old_text: diff.oldText, new_text: diff.newText }) };
  if (kind === 'read') return { file_path: path ?? title };
  return title === undefined ? {} : { title };
}

function isStopped({ content }: CallFields): boolean {
  return /^Command (cancelled by user\.|terminated by signal)/.test(contentText(content) ?? '');
}
