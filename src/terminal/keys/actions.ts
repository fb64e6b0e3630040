/** Where an action applies: the conversation with its composer, a list, the transcript, a question that was entered. */
export type KeyContext = 'chat' | 'list' | 'viewer' | 'relay';

/** A condition for a binding to apply. */
export type KeyCondition =
  /** The draft is empty. */
  | 'empty'
  /** A turn runs. */
  | 'running'
  /** Nothing runs. */
  | 'idle'
  /** Something that runs can go to the background. */
  | 'movable'
  /** A list of completions is open. */
  | 'completing'
  /** A question waits for an answer. */
  | 'waiting';

/** One thing that a key can do. */
export interface ActionDefinition {
  readonly in: KeyContext;
  /** The default keys. */
  readonly keys: readonly string[];
  readonly when?: readonly KeyCondition[];
  /** A description of the action for the help sheet and the guide. */
  readonly does: string;
  /** The slash command that does the same. */
  readonly command?: string;
  /** Whether it moves in or changes the draft: such an action needs no slash command. */
  readonly edits?: boolean;
}

const chat = (keys: readonly string[], does: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  in: 'chat',
  keys,
  does,
  ...more,
});
const edit = (keys: readonly string[], does: string, more: Partial<ActionDefinition> = {}) =>
  chat(keys, does, { ...more, edits: true });
const list = (keys: readonly string[], does: string): ActionDefinition => ({ in: 'list', keys, does });
const viewer = (keys: readonly string[], does: string): ActionDefinition => ({ in: 'viewer', keys, does });
const relay = (keys: readonly string[], does: string): ActionDefinition => ({ in: 'relay', keys, does });

/** Every action by its name, with its default keys. */
export const actions = {
  'completion.accept': edit(['tab', 'enter'], 'take the completion', { when: ['completing'] }),
  'completion.next': edit(['down', 'ctrl+n'], 'go to the next completion', { when: ['completing'] }),
  'completion.previous': edit(['up', 'ctrl+p'], 'go to the previous completion', { when: ['completing'] }),
  'relay.enter': chat(['tab', 'alt+a'], 'go to the question that waits', {
    when: ['waiting', 'empty'],
    command: '/inbox',
  }),
  'relay.enter-with-draft': chat(['alt+a'], 'go to the question that waits; the draft is kept', {
    when: ['waiting'],
    command: '/inbox',
  }),
  help: chat(['?'], 'show the keys', { when: ['empty'], command: '/help' }),
  quit: chat(['ctrl+d'], 'quit', { when: ['empty'], command: '/quit' }),
  rewind: chat(['escape escape'], 'go back to an earlier message', { when: ['empty', 'idle'], command: '/rewind' }),
  background: chat(['ctrl+b'], 'let what runs go on in the background', { when: ['movable', 'empty'], command: '/bg' }),
  queue: chat(['tab'], 'send the draft when the turn has ended', { when: ['running'] }),
  send: chat(['enter'], 'send the draft; while a turn runs it is delivered at the next safe point'),
  interrupt: chat(['ctrl+c'], 'stop the turn, or clear the draft; twice quits'),
  back: chat(['escape'], 'close what is open, one level at a time; then stop the turn'),
  mode: chat(['shift+tab'], 'switch to the next mode', { command: '/mode' }),
  model: chat(['alt+p'], 'choose a model', { command: '/model' }),
  transcript: chat(['ctrl+o'], 'open the transcript'),
  tasks: chat(['ctrl+t'], 'show or hide the tasks', { command: '/tasks' }),
  agents: chat(['alt+g'], 'show the agents that run', { command: '/agents' }),
  threads: chat(['alt+t'], 'switch to another thread', { command: '/threads' }),
  'queue.edit': chat(['alt+up'], 'edit the messages that wait', { command: '/queue' }),
  editor: chat(['ctrl+g', 'ctrl+x ctrl+e'], 'edit the draft in your editor', { command: '/editor' }),
  'history.search': chat(['ctrl+r'], 'search the messages you have sent', { command: '/history' }),
  redraw: chat(['ctrl+l'], 'draw the screen again'),
  suspend: chat(['ctrl+z'], 'suspend the program; `fg` brings it back'),

  'draft.newline': edit(['ctrl+j', 'shift+enter', 'alt+enter', 'ctrl+enter'], 'start a new line'),
  'draft.stash': edit(['ctrl+s'], 'put the draft aside, or take it back'),
  'draft.left': edit(['left', 'ctrl+b'], 'move left'),
  'draft.right': edit(['right', 'ctrl+f'], 'move right'),
  'draft.up': edit(['up', 'ctrl+p'], 'move up; on the first line, the message before'),
  'draft.down': edit(['down', 'ctrl+n'], 'move down; on the last line, the message after'),
  'draft.word-left': edit(['alt+b', 'ctrl+left', 'alt+left'], 'move to the start of the word'),
  'draft.word-right': edit(['alt+f', 'ctrl+right', 'alt+right'], 'move to the end of the word'),
  'draft.line-start': edit(['ctrl+a', 'home'], 'move to the start of the line'),
  'draft.line-end': edit(['ctrl+e', 'end'], 'move to the end of the line'),
  'draft.start': edit(['alt+<', 'ctrl+home'], 'move to the start of the draft'),
  'draft.end': edit(['alt+>', 'ctrl+end'], 'move to the end of the draft'),
  'draft.delete-left': edit(['backspace', 'ctrl+h', 'shift+backspace'], 'delete the character to the left'),
  'draft.delete-right': edit(['delete', 'ctrl+d'], 'delete the character to the right'),
  'draft.kill-word-left': edit(['ctrl+w', 'alt+backspace', 'ctrl+backspace'], 'cut the word to the left'),
  'draft.kill-word-right': edit(['alt+d', 'alt+delete', 'ctrl+delete'], 'cut the word to the right'),
  'draft.kill-line-left': edit(['ctrl+u'], 'cut to the start of the line'),
  'draft.kill-line-right': edit(['ctrl+k'], 'cut to the end of the line'),
  'draft.yank': edit(['ctrl+y'], 'insert what was cut'),
  'draft.yank-older': edit(['alt+y'], 'replace what was inserted by what was cut before it'),
  'draft.undo': edit(['ctrl+_', 'ctrl+x ctrl+u'], 'undo the last change of the draft'),
  'draft.redo': edit(['alt+_', 'ctrl+x ctrl+r'], 'redo the last change of the draft'),
  'draft.expand': edit(['ctrl+x ctrl+p'], 'show the whole text of the paste at the cursor'),

  'list.up': list(['up', 'ctrl+p'], 'move up'),
  'list.down': list(['down', 'ctrl+n', 'ctrl+r'], 'move down'),
  'list.page-up': list(['pageup'], 'move up by a page'),
  'list.page-down': list(['pagedown'], 'move down by a page'),
  'list.first': list(['home'], 'go to the first entry'),
  'list.last': list(['end'], 'go to the last entry'),
  'list.choose': list(['enter'], 'choose the entry'),
  'list.close': list(['escape', 'ctrl+c'], 'close the list'),
  'list.preview': list(['tab'], 'show more of the entry'),
  'list.scope': list(['ctrl+s'], 'show fewer entries or all: of this folder, with a key'),
  'list.delete': list(['delete', 'ctrl+d'], 'delete the entry'),
  'list.edit': list(['ctrl+e'], 'edit or rename the entry'),
  'list.send': list(['ctrl+o'], 'send the queued message now'),
  'list.move-up': list(['alt+up', 'ctrl+up'], 'move the entry up'),
  'list.move-down': list(['alt+down', 'ctrl+down'], 'move the entry down'),
  'list.delete-left': list(['backspace', 'ctrl+h'], 'delete the last character of the filter'),
  'list.clear': list(['ctrl+u'], 'clear the filter'),

  'viewer.close': viewer(['escape', 'q', 'ctrl+o', 'ctrl+c'], 'close the transcript'),
  'viewer.up': viewer(['up', 'k', 'ctrl+p'], 'scroll up'),
  'viewer.down': viewer(['down', 'j', 'ctrl+n'], 'scroll down'),
  'viewer.page-up': viewer(['pageup', 'ctrl+b', 'b'], 'scroll up by a page'),
  'viewer.page-down': viewer(['pagedown', 'ctrl+f', 'space'], 'scroll down by a page'),
  'viewer.top': viewer(['home', 'g'], 'go to the start'),
  'viewer.bottom': viewer(['end', 'shift+g'], 'go to the end'),
  'viewer.search': viewer(['/'], 'search'),
  'viewer.next': viewer(['n'], 'go to the next match'),
  'viewer.previous': viewer(['shift+n'], 'go to the previous match'),
  'viewer.message-up': viewer(['{', 'alt+up'], 'go to the message before'),
  'viewer.message-down': viewer(['}', 'alt+down'], 'go to the message after'),
  'viewer.fold': viewer(['enter', 'tab'], 'fold or unfold the row'),
  'viewer.editor': viewer(['v'], 'open the transcript in your editor'),
  'viewer.print': viewer(['['], 'print the row without formatting, for copying'),

  'relay.approve': relay(['y'], 'approve once'),
  'relay.approve-thread': relay(['t', 's'], 'approve, also for the rest of the thread'),
  'relay.approve-always': relay(['c', 'a'], 'approve always: shows the rule that is saved'),
  'relay.edit': relay(['e'], 'edit the input first'),
  'relay.reject': relay(['n'], 'reject, with a reason if you like'),
  'relay.enlarge': relay(['ctrl+f'], 'show all of it'),
  'relay.up': relay(['up', 'ctrl+p'], 'move up'),
  'relay.down': relay(['down', 'ctrl+n'], 'move down'),
  'relay.choose': relay(['enter'], 'take the marked answer; not for calls that cannot be undone'),
  'relay.toggle': relay(['space'], 'mark or unmark an answer'),
  'relay.next': relay(['tab'], 'go to the next question that waits'),
  'relay.leave': relay(['escape', 'ctrl+c'], 'leave it undecided: it stays in the inbox'),
} as const satisfies Readonly<Record<string, ActionDefinition>>;

/** The name of an action. */
export type ActionName = keyof typeof actions;

/** An action of the conversation itself; those of the draft, of lists, the transcript and questions are carried out there. */
export type ConversationAction =
  | Exclude<ActionName, `${'draft' | 'completion' | 'list' | 'viewer' | 'relay'}.${string}`>
  | 'relay.enter'
  | 'relay.enter-with-draft';

/** The names of all actions, in the order of the table. */
export const actionNames = Object.keys(actions) as readonly ActionName[];
