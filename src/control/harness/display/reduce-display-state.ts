import type { DisplayEvent, DisplayOnlyEvent } from '../harness-event.ts';
import type { OMEvent } from '../memory/om-event.ts';
import { type TaskItemSnapshot, taskSnapshot } from '../../../agents/tasks/assign-task-ids.ts';
import { addTokenUsage } from '../token-usage.ts';
import type { HarnessDisplayState, SubagentNames } from './display-state.ts';
import { defaultView, type DisplayView, toState, toView } from './display-view.ts';
import { withPercents, reduceOM } from './om-display.ts';
import { onTool, stoppedTools } from './reduce-tools.ts';
import { SharedMap } from './shared-map.ts';
import type { Mutable } from '../../../base/mutable.ts';

type Change = Partial<DisplayView>;
type Handlers = {
  readonly [Type in Exclude<DisplayEvent['type'], OMEvent['type'] | 'message_update'>]: (
    state: DisplayView,
    event: Extract<DisplayEvent, { type: Type }>,
    at: Date,
    names: SubagentNames,
  ) => Change;
};

type Handler = (state: DisplayView, event: DisplayEvent, at: Date, names: SubagentNames) => Change;

/**
 * Returns the display state after an event. The result shares all unchanged parts; an event that changes nothing, such
 * as one of an unknown type, returns the same state. `at` is the time of the event, `names` are the display names of
 * subagents. Throws when the event lacks a required field.
 */
export function reduceDisplayState(
  state: HarnessDisplayState,
  event: DisplayEvent,
  at: Date = new Date(),
  names: SubagentNames = new Map(),
): HarnessDisplayState {
  const view = toView(state);
  const next = reduceView(view, event, at, names);
  return next === view ? state : toState(next);
}

/** Returns the view after an event, like `reduceDisplayState`; the cost does not depend on the size of the view. */
export function reduceView(
  state: DisplayView,
  event: DisplayEvent,
  at: Date = new Date(),
  names: SubagentNames = new Map(),
): DisplayView {
  // Fast path for the most frequent event.
  if (event.type === 'message_update') {
    const next = createCopy(state);
    next.currentMessage = event.message;
    return next;
  }
  const change = isOM(event) ? reduceOM(state, event, at) : getHandler(event)(state, event, at, names);
  for (const _ in change) return Object.assign(createCopy(state), change);
  return state;
}

const on: Handlers = {
  agent_start: () => ({
    isRunning: true,
    activeTools: SharedMap.from([]),
    toolInputBuffers: new Map(),
    currentMessage: null,
    pendingApproval: null,
    pendingSuspension: null,
  }),
  // The calls of a suspended agent wait for their data.
  agent_end: (state, { reason }) => (reason === 'suspended' ? { isRunning: false } : stopped(state)),
  message_start: (_, { message }) => ({ currentMessage: message }),
  message_end: (_, { message }) => ({ currentMessage: message }),
  ...onTool,
  tool_approval_required: (_, { type: _type, ...pendingApproval }) => ({ pendingApproval }),
  tool_suspended: (_, { type: _type, ...pendingSuspension }) => ({ pendingSuspension }),
  ask_question: (_, { type: _type, ...pendingQuestion }) => ({ pendingQuestion }),
  plan_approval_required: (_, { type: _type, ...pendingPlanApproval }) => ({ pendingPlanApproval }),
  plan_approved: () => ({ pendingPlanApproval: null }),
  sandbox_access_request: nothing,
  relay_settled: settle,
  usage_update: (state, { usage }) => ({ tokenUsage: addTokenUsage(state.tokenUsage, usage) }),
  task_updated: showTasks,
  tasks_restored: (state, event) =>
    isSameList(event.tasks, state.tasks) ? { tasks: taskSnapshot(event.tasks) } : showTasks(state, event),
  thread_created: resetThread,
  thread_changed: resetThread,
  thread_loaded: (_, { display }) => display,
  thread_cleared: resetThread,
  thread_deleted: nothing,
  thread_reading: nothing,
  state_changed: (state, { state: values, changedKeys }) => {
    const threshold = changedKeys.includes('observationThreshold') && numberIn(values, 'observationThreshold');
    const reflectionThreshold = changedKeys.includes('reflectionThreshold') && numberIn(values, 'reflectionThreshold');
    if (threshold === false && reflectionThreshold === false) return {};
    return {
      omProgress: withPercents({
        ...state.omProgress,
        ...(threshold !== false && { threshold }),
        ...(reflectionThreshold !== false && { reflectionThreshold }),
      }),
    };
  },
  mode_changed: nothing,
  model_changed: nothing,
  subagent_model_changed: nothing,
  info: nothing,
  error: nothing,
  follow_up_queued: nothing,
  workspace_status_changed: nothing,
  workspace_ready: nothing,
  workspace_error: nothing,
  display_state_changed: nothing,
};

/** Returns the display with nothing running and nothing pending; the same state when that is so already. */
export function displayAtRest(state: DisplayView): DisplayView {
  const { isRunning, pendingApproval, pendingSuspension, pendingQuestion, pendingPlanApproval } = state;
  const pending = [pendingApproval, pendingSuspension, pendingQuestion, pendingPlanApproval];
  return isRunning || pending.some(each => each !== null) ? { ...state, ...stopped(state) } : state;
}

function stopped(state: DisplayView): Change {
  return {
    isRunning: false,
    activeTools: stoppedTools(state.activeTools),
    pendingApproval: null,
    pendingSuspension: null,
    pendingQuestion: null,
    pendingPlanApproval: null,
    activeSubagents: SharedMap.from([]),
  };
}

type MutableView = Mutable<DisplayView>;

/** A mutable copy. It is made for each text fragment: an object literal is several times faster than a spread. */
function createCopy(state: DisplayView): MutableView {
  return {
    isRunning: state.isRunning,
    currentMessage: state.currentMessage,
    tokenUsage: state.tokenUsage,
    activeTools: state.activeTools,
    toolInputBuffers: state.toolInputBuffers,
    pendingApproval: state.pendingApproval,
    pendingSuspension: state.pendingSuspension,
    pendingQuestion: state.pendingQuestion,
    pendingPlanApproval: state.pendingPlanApproval,
    activeSubagents: state.activeSubagents,
    omProgress: state.omProgress,
    bufferingMessages: state.bufferingMessages,
    bufferingObservations: state.bufferingObservations,
    modifiedFiles: state.modifiedFiles,
    tasks: state.tasks,
    previousTasks: state.previousTasks,
  };
}

function getHandler({ type }: { readonly type: keyof Handlers }): Handler {
  return Object.hasOwn(on, type) ? (on[type] as Handler) : nothing;
}

function nothing(): Change {
  return {};
}

/** Resets all thread-scoped fields; `isRunning` stays. */
function resetThread(): Change {
  const { isRunning: _, ...fresh } = defaultView();
  return fresh;
}

/** Copies the tasks, because the emitter may change its own list. */
function showTasks(state: DisplayView, { tasks }: { readonly tasks: readonly TaskItemSnapshot[] }): Change {
  return { tasks: taskSnapshot(tasks), previousTasks: state.tasks };
}

/** Clears the pending item that was answered; an answer to another item changes nothing. */
function settle(state: DisplayView, { slot, id }: Extract<DisplayOnlyEvent, { type: 'relay_settled' }>): Change {
  if (slot === 'approval') return state.pendingApproval?.toolCallId === id ? { pendingApproval: null } : {};
  if (slot === 'suspension') return state.pendingSuspension?.toolCallId === id ? { pendingSuspension: null } : {};
  if (slot === 'question') return state.pendingQuestion?.questionId === id ? { pendingQuestion: null } : {};
  return state.pendingPlanApproval?.planId === id ? { pendingPlanApproval: null } : {};
}

function isSameList(tasks: readonly TaskItemSnapshot[], others: readonly TaskItemSnapshot[]): boolean {
  const isSame = (task: TaskItemSnapshot, other: TaskItemSnapshot | undefined) =>
    task.id === other?.id &&
    task.content === other.content &&
    task.status === other.status &&
    task.activeForm === other.activeForm;
  return tasks.length === others.length && tasks.every((task, at) => isSame(task, others[at]));
}

function isOM(event: DisplayEvent): event is OMEvent {
  return event.type.startsWith('om_');
}

function numberIn(values: Readonly<Record<string, unknown>>, key: string): number | false {
  const value = values[key];
  return typeof value === 'number' ? value : false;
}
