import { claudeAdapter } from '../../../src/agents/cli/adapters/claude/adapter.ts';
import type { CliAdapter } from '../../../src/agents/cli/contract/cli-adapter.ts';
import type {
  ChannelHost,
  LiveAbilities,
  LiveChannel,
  LiveStart,
  LiveTurnEnd,
} from '../../../src/agents/cli/contract/live-channel.ts';

/** The adapter of `fake-live.mjs`, with the abilities that a test needs. */
export function fakeLiveAdapter(abilities: Partial<LiveAbilities> = {}): CliAdapter {
  return {
    ...claudeAdapter,
    id: 'fake',
    name: 'Fake',
    isLiveOnly: true,
    live: {
      protocol: 'JSON lines',
      transport: 'stdio',
      abilities: {
        reason: 'answer',
        rejectEndsTurn: false,
        revise: 'all',
        questions: false,
        plans: false,
        steer: 'joins',
        resume: true,
        fork: true,
        subagents: 'none',
        parallelRequests: true,
        images: false,
        usage: false,
        cost: false,
        switchModel: true,
        switchMode: false,
        ...abilities,
      },
      command: ({ sessionId, fork }) => ({
        args: [...(sessionId === undefined ? [] : ['--session', sessionId]), ...(fork === true ? ['--fork'] : [])],
      }),
      channel: (host, start) => new FakeChannel(host, start),
    },
  };
}

interface FakeRecord {
  readonly type: string;
  readonly id: string;
  readonly text: string;
  readonly command: string;
  readonly output: string;
  readonly sessionId: string;
  readonly reason: LiveTurnEnd['reason'];
  readonly unsent: readonly string[];
}

class FakeChannel implements LiveChannel {
  readonly #host: ChannelHost;
  #runId = '';
  #sessionId: string | undefined;
  #count = 0;

  constructor(host: ChannelHost, _start: LiveStart) {
    this.#host = host;
  }

  open(): void {}

  receive(line: string): void {
    const record = JSON.parse(line) as FakeRecord;
    const runId = this.#runId;
    const toolCallId = `${runId}/${record.id}`;
    if (record.type === 'ready') {
      this.#sessionId = record.sessionId;
      this.#host.ready({ sessionId: record.sessionId });
    } else if (record.type === 'text')
      this.#host.emit([{ type: 'text', runId, id: `${runId}/t${++this.#count}`, content: record.text }]);
    else if (record.type === 'call') {
      const call = { runId, id: toolCallId, name: 'Bash' };
      this.#host.emit([
        { type: 'tool_call', ...call, input: { command: record.command } },
        { type: 'tool_start', ...call },
      ]);
    } else if (record.type === 'ask') {
      const { id, command } = record;
      const call = { tool: 'Bash', input: { command }, command };
      this.#host.emit([{ type: 'tool_call', runId, id: toolCallId, name: 'Bash', input: { command } }]);
      this.#host.request({ id, runId, kind: 'permission', toolCallId, canRevise: true, ...call });
    } else if (record.type === 'result')
      this.#host.emit([
        { type: 'tool_result', runId, id: toolCallId, name: 'Bash', output: { context: record.output } },
      ]);
    else if (record.type === 'joined') this.#host.steered(record.id, 'joined');
    else this.#host.turnEnded({ reason: record.reason, unsent: record.unsent });
  }

  prompt({ runId, content }: Parameters<LiveChannel['prompt']>[0]): void {
    this.#runId = runId;
    if (this.#sessionId !== undefined) this.#host.emit([{ type: 'session', runId, sessionId: this.#sessionId }]);
    this.#send({ type: 'prompt', text: typeof content === 'string' ? content : JSON.stringify(content) });
  }

  answer(id: string, answer: Parameters<LiveChannel['answer']>[1]): void {
    const input = answer.outcome === 'approve' ? answer.input : undefined;
    this.#send({ type: 'answer', id, outcome: answer.outcome, ...(input && { command: input['command'] }) });
  }

  steer({ id, content }: Parameters<LiveChannel['steer']>[0]): void {
    this.#send({ type: 'steer', id, text: content });
  }

  interrupt(): void {
    this.#send({ type: 'interrupt' });
  }

  closed(): void {}

  #send(message: object): void {
    this.#host.send(JSON.stringify(message));
  }
}
