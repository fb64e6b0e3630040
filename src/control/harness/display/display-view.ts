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
  return toView(defaultDisplayState());
}

/** Converts a display state to its view. */
export function toView(state: HarnessDisplayState): DisplayView {
  return {
    ...state,
    activeTools: toShared(state.activeTools),
    activeSubagents: toShared(state.activeSubagents),
    modifiedFiles: toShared(state.modifiedFiles),
  };
}

/** Converts a view to a display state with plain maps; maps that did not change are the same. */
export function toState(view: DisplayView): HarnessDisplayState {
  // Made for each text fragment: an object literal is several times faster than a spread.
  return {
    isRunning: view.isRunning,
    currentMessage: view.currentMessage,
    tokenUsage: view.tokenUsage,
    activeTools: toPlain(view.activeTools),
    toolInputBuffers: view.toolInputBuffers,
    pendingApproval: view.pendingApproval,
    pendingSuspension: view.pendingSuspension,
    pendingQuestion: view.pendingQuestion,
    pendingPlanApproval: view.pendingPlanApproval,
    activeSubagents: toPlain(view.activeSubagents),
    omProgress: view.omProgress,
    bufferingMessages: view.bufferingMessages,
    bufferingObservations: view.bufferingObservations,
    modifiedFiles: toPlain(view.modifiedFiles),
    tasks: view.tasks,
    previousTasks: view.previousTasks,
  };
}

/** Whether a view is converted in about constant time. */
export function isSmall({ activeTools, activeSubagents, modifiedFiles }: DisplayView): boolean {
  return [activeTools, activeSubagents, modifiedFiles].every(map => map.isPlain || map.size <= 64);
}

function toShared<Value>(map: Map<string, Value>): SharedMap<Value> {
  const origin = origins.get(map) as SharedMap<Value> | undefined;
  // A map that its reader has changed is another one.
  return origin?.size === map.size ? origin : SharedMap.from(map);
}

function toPlain<Value>(shared: SharedMap<Value>): Map<string, Value> {
  if (shared.isPlain) return shared.toMap();
  const map = shared.toMap();
  origins.set(map, shared);
  return map;
}

const frozenMaps = new WeakSet<object>();

/** Freezes a display state with its maps and entries, so that no reader can change it: writing to it throws. */
export function freezeDisplay(state: HarnessDisplayState): HarnessDisplayState {
  freezeMap(state.activeTools);
  freezeMap(state.toolInputBuffers);
  freezeMap(state.activeSubagents);
  freezeMap(state.modifiedFiles);
  freezeFields(state.pendingApproval);
  freezeFields(state.pendingSuspension);
  freezeFields(state.pendingQuestion);
  freezeFields(state.pendingPlanApproval);
  freezeFields(state.omProgress.buffered);
  freezeFields(state.omProgress);
  return Object.freeze(state);
}

function freezeMap(map: Map<string, object>): void {
  if (frozenMaps.has(map)) return;
  frozenMaps.add(map);
  for (const value of map.values()) freezeFields(value);
  Object.defineProperties(map, { set: { value: refuse }, delete: { value: refuse }, clear: { value: refuse } });
}

/** Freezes an object and the arrays and objects directly in it. */
function freezeFields(value: object | null): void {
  if (value === null || Object.isFrozen(value)) return;
  for (const field of Object.values(value)) if (isPlain(field)) Object.freeze(field);
  Object.freeze(value);
}

/** Arguments and results of calls are frozen by the log, and may be anything when a tool emits them. */
function isPlain(field: unknown): field is object {
  if (Array.isArray(field)) return true;
  return typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype;
}

function refuse(): never {
  throw new TypeError('A display state cannot be changed: copy it first, for example with `structuredClone`.');
}
