import type { LiveCommand, LiveStart } from '../../../contract/live-channel.ts';

/** The arguments of a live session of Claude Code. */
export function claudeLiveCommand({
  model,
  sessionId,
  sessionPath,
  fork,
  mode,
  yolo,
  extraArgs = [],
}: LiveStart): LiveCommand {
  return {
    args: [
      // Without its terminal interface.
      '--print',
      // Messages and control requests as lines, in both directions.
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      // Text as it is written.
      '--include-partial-messages',
      // Confirms each message of a person when the model reads it.
      '--replay-user-messages',
      // Asks over the channel. Without this flag it refuses whatever it would ask about.
      '--permission-prompt-tool',
      'stdio',
      // Asks, whatever the settings of the person say.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : ['--permission-mode', mode ?? 'default']),
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes one of its own sessions; as a copy with a new id.
      ...(sessionId === undefined ? [] : ['--resume', sessionPath ?? sessionId]),
      ...(sessionId !== undefined && fork === true ? ['--fork-session'] : []),
      ...extraArgs,
    ],
  };
}
