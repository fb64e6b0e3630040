import type { ConversationParams, RunParams } from '../../src/agents/contract/run-params.ts';
import type { HostParams, InvokeParams } from '../../src/agents/contract/agent.ts';

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
