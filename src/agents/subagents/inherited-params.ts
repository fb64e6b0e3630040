import { defined } from '../../base/defined.ts';
import type { ConversationParams, RunParams } from '../contract/run-params.ts';
import type { HostParams, InvokeParams } from '../contract/agent.ts';

/** The parameters that a subagent inherits from its parent: its thread, user decisions, rules and limits. */
export interface InheritedParams {
  readonly run: Pick<RunParams, 'threadId' | 'resourceId' | 'by' | 'context'>;
  readonly conversation: Pick<ConversationParams, 'decided' | 'isImported'>;
  readonly host: Pick<
    HostParams,
    'answers' | 'permissions' | 'request' | 'withheldTools' | 'runMark' | 'spending' | 'childStops'
  >;
}

/** Returns the parameters for the subagents of a run, including the rules and the spending of the run. */
export function inheritParams(
  { run, conversation, host }: InvokeParams,
  {
    permissions,
    spending,
  }: Pick<HostParams, 'permissions'> & { readonly spending: HostParams['spending'] | undefined },
): InheritedParams {
  const { threadId, resourceId, by, context } = run;
  const { decided, isImported } = conversation;
  const { answers, request, withheldTools, runMark, childStops } = host;
  return {
    run: defined({ threadId, resourceId, by, context }),
    conversation: defined({ decided, isImported }),
    host: defined({ answers, permissions, request, withheldTools, runMark, spending, childStops }),
  };
}
