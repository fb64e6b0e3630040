import {
  type ActiveSubagentState,
  type ActiveToolState,
  defaultDisplayState,
  type HarnessDisplayState,
  type ModifiedFile,
} from './display-state.ts';
import { SharedMap } from './shared-map.ts';

/** The fields that grow with the calls of a run. */
interface SharedFields {
  readonly activeTools: SharedMap<ActiveToolState>;
  readonly activeSubagents: SharedMap<ActiveSubagentState>;
  readonly modifiedFiles: SharedMap<ModifiedFile>;
}

/** A display state whose maps share their entries with the states before it: a change costs the same at any size. */
export type DisplayView = Omit<HarnessDisplayState, keyof SharedFields> & SharedFields;

/** The shared map of each plain one that was created from it. */
const origins = new WeakMap<object, unknown>();

/** Returns the view of a new thread. */
export function defaultView(): DisplayView {
  return viewOf(defaultDisplayState());
}

/** Converts a display state to its view. */
export function viewOf(state: HarnessDisplayState): DisplayView {
  return {
    ...state,
    activeTools: sharedOf(state.activeTools),
    activeSubagents: sharedOf(state.activeSubagents),
    modifiedFiles: sharedOf(state.modifiedFiles),
  };
}

/** Converts a view to a display state with plain maps; maps that did not change are the same. */
export function stateOf(view: DisplayView): HarnessDisplayState {
  // Made for each text fragment: an object literal is several times faster than a spread.
  return {
    isRunning: view.isRunning,
    currentMessage: view.currentMessage,
    tokenUsage: view.tokenUsage,
    activeTools: plainOf(view.activeTools),
    toolInputBuffers: view.toolInputBuffers,
    pendingApproval: view.pendingApproval,
    pendingSuspension: view.pendingSuspension,
    pendingQuestion: view.pendingQuestion,
    pendingPlanApproval: view.pendingPlanApproval,
    activeSubagents: plainOf(view.activeSubagents),
    omProgress: view.omProgress,
    bufferingMessages: view.bufferingMessages,
    bufferingObservations: view.bufferingObservations,
    modifiedFiles: plainOf(view.modifiedFiles),
    tasks: view.tasks,
    previousTasks: view.previousTasks,
  };
}

/** Whether a view is converted in about constant time. */
export function isSmall({ activeTools, activeSubagents, modifiedFiles }: DisplayView): boolean {
  return [activeTools, activeSubagents, modifiedFiles].every(map => map.isPlain || map.size <= 64);
}

function sharedOf<Value>(map: Map<string, Value>): SharedMap<Value> {
  const origin = origins.get(map) as SharedMap<Value> | undefined;
  // A map that its reader has changed is another one.
  return origin?.size === map.size ? origin : SharedMap.from(map);
}

function plainOf<Value>(shared: SharedMap<Value>): Map<string, Value> {
  if (shared.isPlain) return shared.toMap();
  const map = shared.toMap();
  origins.set(map, shared);
  return map;
}
