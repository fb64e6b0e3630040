import type { HarnessDisplayState } from './display-state.ts';

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
