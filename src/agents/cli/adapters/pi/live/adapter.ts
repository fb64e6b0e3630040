import { join } from 'node:path';
import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { PiChannel } from './channel.ts';
import { gateFile, gateSource } from './gate.ts';
import { piLiveDifferences, piLiveRecords } from './records.ts';

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
  notes: [
    'It has no permissions of its own: an extension that is loaded for the session asks before every call, also of tools of other extensions. The session does not open when the extension is not loaded.',
    'Calls of one message are asked about one after the other.',
    'It has no plan mode and no subagents.',
    'A message during a text is read when the text is complete.',
    'Dialogs of other extensions become questions.',
  ],
  records: piLiveRecords,
  differences: piLiveDifferences,
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
      // Resumes one of its own sessions, or a copy of it.
      ...(sessionId === undefined ? [] : [fork === true ? '--fork' : '--session', sessionPath ?? sessionId]),
      ...extraArgs,
    ],
    files: { [gateFile]: gateSource(yolo !== true) },
  }),
  channel: (host, start) => new PiChannel(host, start),
};
