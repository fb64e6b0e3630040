import type { EventHub } from '../event-hub.ts';
import { subagentModelId } from '../settings/models.ts';
import type { Relays } from '../permissions/relays.ts';
import type { HarnessRequestContext } from './request-context.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { StateUpdates } from '../settings/state-updates.ts';

/** The parts of a harness that its tools use. */
interface ToolParts {
  readonly config: { readonly id: string };
  readonly state: StateStore;
  readonly stateUpdates: StateUpdates;
  readonly threads: { readonly resourceId: string };
  readonly modes: { readonly current: { readonly id: string } };
  readonly hub: EventHub;
  readonly relays: Relays;
}

/** Creates the harness context of the tools of a run. */
export function toolContext(parts: ToolParts, threadId: string): HarnessRequestContext {
  const { config, state, stateUpdates, threads, modes, hub, relays } = parts;
  return {
    harnessId: config.id,
    state: state.get(),
    getState: () => state.get(),
    setState: updates => stateUpdates.update(() => ({ updates, result: undefined })),
    updateState: updater => stateUpdates.update(updater),
    threadId,
    resourceId: threads.resourceId,
    modeId: modes.current.id,
    emitEvent: event => hub.emit(event),
    registerQuestion: question => relays.registerQuestion(question),
    registerPlanApproval: plan => relays.registerPlan(plan),
    getSubagentModelId: ({ agentType } = {}) => subagentModelId(state.get(), agentType),
  };
}
