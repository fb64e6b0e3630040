import type { AgentEvent } from '../events/vocabulary.ts';
import { type Active, defaultActive } from '../graph/conversation/active.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/conversation/conversation.ts';

/** A live view: `step` applies one event at constant cost, `view` returns the result. States are immutable. */
export interface Fold<State, View> {
  readonly initial: State;
  readonly step: (state: State, event: AgentEvent) => State;
  readonly view: (state: State) => View;
}

/** A projection of the active branch as a fold; folds made here can share one state. */
export function conversationFold<View>(
  project: (conversation: Conversation, active: Active) => View,
): Fold<Conversation, View> {
  return {
    get initial() {
      return createConversation();
    },
    step: reduceConversation,
    view: conversation => project(conversation, defaultActive(conversation)),
  };
}

/** The view of events from the first on. */
export function foldAll<State, View>({ initial, step, view }: Fold<State, View>, events: Iterable<AgentEvent>): View {
  let state = initial;
  for (const event of events) state = step(state, event);
  return view(state);
}
