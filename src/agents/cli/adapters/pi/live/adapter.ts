import { join } from 'node:path';
import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { PiChannel } from './channel.ts';
import { gateFile, gateSource } from './gate.ts';

/** The interactive channel of Pi: `pi --mode rpc` with an extension that makes it ask. */
export const piLive: LiveAdapter = {
  protocol: 'rpc',
  transport: 'stdio',
  abilities: {
    reason: 'answer',
    rejectEndsTurn: false,
    revise: 'all',
    questions: true,
    plans: false,
    steer: 'joins',
    resume: true,
    fork: true,
    subagents: 'none',
    parallelRequests: false,
    images: true,
    usage: true,
    cost: true,
    switchModel: true,
    switchMode: false,
  },
  command: ({ model, sessionId, sessionPath, fork, yolo, extraArgs = [], folder }) => ({
    args: [
      // JSON over stdin and stdout.
      '--mode',
      'rpc',
      // The extension that asks.
      '--extension',
      join(folder, gateFile),
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session, or a copy of it.
      ...(sessionId === undefined ? [] : [fork === true ? '--fork' : '--session', sessionPath ?? sessionId]),
      ...extraArgs,
    ],
    files: { [gateFile]: gateSource(yolo !== true) },
  }),
  channel: (host, start) => new PiChannel(host, start),
};
