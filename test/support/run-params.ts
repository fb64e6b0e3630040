import type { ConversationParams, HostParams, InvokeParams, RunParams } from '../../src/agents/invoke-params.ts';

/** What a test sets itself. */
export interface SetParams {
  readonly run?: Partial<RunParams>;
  readonly conversation?: Partial<ConversationParams>;
  readonly host?: HostParams;
}

/** The parameters of the run "run", which a person asks with a prompt. */
export function runParams({ run, conversation, host = {} }: SetParams = {}, prompt = 'Go.'): InvokeParams {
  return {
    run: { runId: 'run', signal: new AbortController().signal, ...run },
    conversation: { messages: [{ role: 'user', content: prompt }], ...conversation },
    host,
  };
}
