import { describe, expect, it } from 'vitest';
import { aiSdkEncoder } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { examples } from '../support/request-examples.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';
import { expectMessage, type Parts, stepStart, text, tokens, tool } from './expect-message.ts';

describe('the clients of AI SDK 5, 6 and 7', () => {
  it('show text and reasoning', async () => {
    await expectMessage(
      'text and reasoning',
      [stepStart, { type: 'reasoning', id: 'r1', text: 'Let me think.', state: 'done' }, text('Hello')],
      {
        usage: {
          promptTokens: 12,
          completionTokens: 8,
          cacheReadInputTokens: 4,
          cacheCreationInputTokens: 0,
          totalTokens: 20,
        },
      },
    );
  });

  it('show a tool with its last progress', async () => {
    await expectMessage(
      'a tool with progress',
      [
        stepStart,
        tool('run/c1', 'read', { state: 'output-available', input: { path: 'a' }, output: { lines: 3 } }),
        {
          type: 'data-tool-progress',
          id: 'run/c1',
          data: {
            toolCallId: 'run/c1',
            toolName: 'read',
            label: 'Reading',
            phaseIndex: 2,
            totalPhases: 4,
            milestone: { lines: 3 },
          },
        },
        stepStart,
        text('Three lines.'),
      ],
      { usage: tokens(30, 5) },
    );
  });

  it('show a subagent as a data part and by its tools, and its text not as text of the message', async () => {
    const newer = [
      stepStart,
      tool('run/c1', 'agent', { state: 'output-available', input: { task: 'Count the files' }, output: 'One file.' }),
      {
        type: 'data-agent',
        id: 'kid',
        data: {
          runId: 'kid',
          agentName: 'counter',
          toolCallId: 'run/c1',
          prompt: 'Count the files',
          status: 'completed',
          text: 'One file.',
          model: 'scripted/two',
          usage: tokens(11, 3),
        },
      },
      tool('kid/c1', 'list', {
        state: 'output-available',
        input: {},
        output: ['a'],
        toolMetadata: { runId: 'kid', agentName: 'counter' },
      }),
      stepStart,
      text('There is one.'),
    ];
    await expectMessage(
      'a subagent',
      {
        5: [
          stepStart,
          tool('run/c1', 'agent', {
            state: 'output-available',
            input: { task: 'Count the files' },
            output: 'One file.',
          }),
          {
            type: 'data-agent',
            id: 'kid',
            data: {
              runId: 'kid',
              agentName: 'counter',
              toolCallId: 'run/c1',
              prompt: 'Count the files',
              status: 'completed',
              text: 'One file.',
              model: 'scripted/two',
              usage: tokens(11, 3),
            },
          },
          tool('kid/c1', 'list', { state: 'output-available', input: {}, output: ['a'] }),
          stepStart,
          text('There is one.'),
        ],
        6: newer,
        7: newer,
      },
      { usage: tokens(41, 8) },
    );
  });

  it('show the failure of a subagent, and report that of the run', async () => {
    await expectMessage(
      'an error in a subagent, then in the run',
      [
        stepStart,
        tool('run/c1', 'agent', {
          state: 'output-error',
          input: { prompt: 'Try' },
          errorText: 'It has no result: the run ended before.',
        }),
        {
          type: 'data-agent',
          id: 'kid',
          data: {
            runId: 'kid',
            agentName: 'helper',
            toolCallId: 'run/c1',
            prompt: 'Try',
            status: 'failed',
            error: 'The kid broke.',
            usage: tokens(0, 0),
          },
        },
        { type: 'data-error', data: { message: 'The model is gone.', code: 'model_unavailable' } },
      ],
      { errors: ['The model is gone.'] },
    );
  });

  it('show a repeated step once in version 7, after the broken attempt in 5 and 6', async () => {
    const older = [
      stepStart,
      text('Hel'),
      tool('run/c1', 'read', {
        state: 'output-error',
        input: {},
        errorText: 'It was not called: the model stopped while it wrote the input.',
      }),
      stepStart,
      text('Hello'),
      tool('run/c1~2', 'read', { state: 'output-available', input: {}, output: 'text' }),
    ];
    await expectMessage(
      'a step that is repeated',
      {
        5: older,
        6: older,
        7: [
          stepStart,
          text('Hello'),
          tool('run/c1~2', 'read', { state: 'output-available', input: {}, output: 'text' }),
        ],
      },
      { usage: tokens(10, 2) },
    );
  });

  it('keep what a broken attempt left behind', async () => {
    const file = { type: 'data-file-registered', id: 'f1', data: { id: 'f1', path: 'a' } };
    await expectMessage(
      'a step that is repeated after it made a file',
      [stepStart, text('Hel'), file, stepStart, text('Hello')],
      { usage: tokens(0, 0) },
    );
  });

  it('show a call that had started in the attempt it is of', async () => {
    await expectMessage(
      'a step that is repeated while its tool runs',
      [
        stepStart,
        tool('run/c1', 'read', { state: 'output-available', input: {}, output: 'text' }),
        stepStart,
        text('Again.'),
      ],
      { usage: tokens(0, 0) },
    );
  });

  it('show data parts for custom events, files and tasks', async () => {
    const older = [
      stepStart,
      { type: 'data-acme-forecast-refresh', data: { runId: 'fr-42' } },
      { type: 'data-flow-ui', data: { dsl: '<Chart/>' } },
      { type: 'data-custom', data: { name: 'agent', data: 1 } },
      {
        type: 'data-file-registered',
        id: 'f1',
        data: { id: 'f1', path: 'out/a.csv', mediaType: 'text/csv', size: 12 },
      },
      { type: 'data-tasks', id: 'tasks', data: { tasks: [{ id: '1', content: 'Write', status: 'pending' }] } },
      { type: 'data-steering', id: 'u2', data: { id: 'u2', content: 'Faster, please.' } },
    ];
    await expectMessage(
      'other events',
      {
        5: older,
        6: older,
        7: [
          stepStart,
          { type: 'data-acme-forecast-refresh', data: { runId: 'fr-42' } },
          { type: 'data-flow-ui', data: { dsl: '<Chart/>' } },
          { type: 'data-custom', data: { name: 'agent', data: 1 } },
          {
            type: 'data-file-registered',
            id: 'f1',
            data: { id: 'f1', path: 'out/a.csv', mediaType: 'text/csv', size: 12 },
          },
          { type: 'data-tasks', id: 'tasks', data: { tasks: [{ id: '1', content: 'Write', status: 'pending' }] } },
          { type: 'steering-message', id: 'u2', parts: [{ type: 'text', text: 'Faster, please.' }] },
        ],
      },
      { usage: tokens(0, 0) },
    );
  });

  it('keep the summaries', async () => {
    for (const version of versions) {
      const chunks = encodeAll(aiSdkEncoder({ version }), examples['a tool with progress']);
      const { message } = await readMessage(version, chunks);
      expect((message as { parts: Parts }).parts.slice(-2)).toEqual([
        {
          type: 'data-cost-summary',
          data: { currency: 'USD', agents: [{ agentName: 'main', model: 'scripted/one', usage: tokens(30, 5) }] },
        },
        {
          type: 'data-latency-summary',
          data: {
            totalMs: 1300,
            firstEventMs: 200,
            firstTextMs: 1100,
            modelMs: 600,
            toolMs: 300,
            subagentMs: 0,
            approvalMs: 0,
            tools: [{ toolName: 'read', calls: 1, totalMs: 300, maxMs: 300 }],
            retries: 0,
          },
        },
      ]);
    }
  });
});
