import { getMessageDelta, type HarnessEvent, parseSubagentMeta } from 'singletree/control';

/** Prints the events of a harness as lines, and the text of the agent as it comes. */
export class EventPrinter {
  readonly #output: NodeJS.WritableStream;
  /** Whether the cursor is behind text of the agent. */
  #isInText = false;

  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
  }

  get isInText(): boolean {
    return this.#isInText;
  }

  /** Prints a line of its own, over the prompt. */
  line(text: string): void {
    this.#endText();
    this.#output.write(`\r\u001b[K${text}\n`);
  }

  /** Returns whether the person can go on: the turn is over, or they are asked something. */
  print(event: HarnessEvent): boolean {
    if (event.type === 'message_update') this.#text(getMessageDelta(event.message)?.delta ?? '');
    const text = textOf(event);
    if (text !== undefined) this.line(text);
    if (event.type === 'message_end') this.#endText();
    return event.type === 'agent_end' || asking.has(event.type);
  }

  #endText(): void {
    if (this.#isInText) this.#output.write('\n');
    this.#isInText = false;
  }

  #text(delta: string): void {
    if (delta === '') return;
    this.#output.write(this.#isInText ? delta : `\r\u001b[K${delta}`);
    this.#isInText = true;
  }
}

const asking: ReadonlySet<string> = new Set([
  'tool_approval_required',
  'ask_question',
  'plan_approval_required',
  'tool_suspended',
]);

/** The text of a result; `parseSubagentMeta` removes what only programs read. */
function resultText(result: unknown): string {
  const { content } = Object(result) as { readonly content?: unknown };
  return typeof content === 'string' ? parseSubagentMeta(content).text : JSON.stringify(result);
}

/** The line of an event; undefined when it has none. */
function textOf(event: HarnessEvent): string | undefined {
  switch (event.type) {
    case 'tool_start':
      return `• ${event.toolName} ${JSON.stringify(event.args)}`;
    case 'tool_end':
      return `  ${resultText(event.result)}`;
    case 'tool_approval_required':
      return `May I use ${event.toolName}? y, a for always, or n and a reason`;
    case 'ask_question':
      return [event.question, ...(event.options ?? []).map(({ label }, at) => `  ${at + 1} ${label}`)].join('\n');
    case 'plan_approval_required':
      return `Plan: ${event.title}\n${event.plan}\nDo you approve it? y, or n and what to change`;
    case 'tool_suspended':
      return `${event.toolName} waits for ${String(event.suspendPayload)}`;
    case 'subagent_start':
      return `  ${event.agentType} begins: ${event.task}`;
    case 'subagent_end':
      return `  ${event.agentType} ends: ${event.result}`;
    case 'follow_up_queued':
      return `${event.count} waiting`;
    case 'mode_changed':
      return `mode: ${event.previousModeId} → ${event.modeId}`;
    case 'agent_end':
      return event.reason === 'complete' || event.reason === 'suspended' ? undefined : `(${event.reason})`;
    case 'info':
      return `(${event.message})`;
    case 'error':
      return `! ${event.error.message}`;
    default:
      return undefined;
  }
}
