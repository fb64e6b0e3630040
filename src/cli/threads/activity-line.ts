import { type AgentEvent, type EventOf, toolOutputOf } from '../../events/index.ts';
import type { Activity } from '../../projections/activity/index.ts';
import { scriptOfLine } from '../../projections/shell/shell-script.ts';

/** Returns one activity of an event as one line; undefined for text. */
export function activityLine(activity: Activity, event?: AgentEvent): string | undefined {
  const mark = 'isSuccess' in activity && !activity.isSuccess ? '✗' : '•';
  switch (activity.type) {
    case 'agent':
      return undefined;
    case 'command': {
      const exit =
        activity.exitCode === undefined || activity.exitCode === 0 ? '' : ` (exit code ${activity.exitCode})`;
      return `${mark} $ ${oneLine(scriptOfLine(activity.command) ?? activity.command)}${exit}`;
    }
    case 'read':
    case 'write':
    case 'skill':
      return `${mark} ${activity.type} ${activity.path}${rangeText(activity)}`;
    case 'search':
      return `${mark} search ${JSON.stringify(activity.query)}${activity.path === undefined ? '' : ` in ${activity.path}`}`;
    case 'list':
      return `${mark} list ${activity.path ?? '.'}`;
    case 'orchestration':
      return `${mark} ${activity.action.replace('_', ' ')}${activity.subagentName === undefined ? '' : ` (${activity.subagentName})`}`;
    case 'error':
    case 'warning':
      return `${activity.type === 'error' ? '✗' : '!'} ${activity.message}`;
    case 'unknown':
      return isCall(event) ? callLine(event) : `? ${oneLine(JSON.stringify(activity.raw))}`;
    default:
      return activity satisfies never;
  }
}

type Call = EventOf<'tool_call'> | EventOf<'tool_result'>;

function isCall(event: AgentEvent | undefined): event is Call {
  return event?.type === 'tool_call' || event?.type === 'tool_result';
}

/** A call of a tool that is no activity of a known kind. */
function callLine(event: Call): string {
  const isDone = event.type === 'tool_call' || 'context' in toolOutputOf(event.output);
  return `${isDone ? '•' : '✗'} ${event.name}`;
}

function rangeText({ startLine, endLine }: { startLine?: number; endLine?: number }): string {
  return startLine === undefined ? '' : `:${startLine}${endLine === undefined ? '-' : `-${endLine}`}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
