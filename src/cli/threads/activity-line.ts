import { type AgentEvent, type EventOf, toolOutputOf } from '../../events/index.ts';
import type { Activity } from '../../projections/activity/index.ts';
import { isShownAsCall, oneLine, presentCall, presentOperation } from '../../projections/presentation/present-call.ts';
import { objectText } from '../../terminal/rows/tool-row.ts';

/** Returns one activity of an event as one line; undefined for text. */
export function activityLine(activity: Activity, event?: AgentEvent): string | undefined {
  const mark = 'isSuccess' in activity && !activity.isSuccess ? '✗' : '•';
  switch (activity.type) {
    case 'agent':
      return undefined;
    case 'command':
    case 'read':
    case 'write':
    case 'skill':
    case 'search':
    case 'list': {
      const call = presentOperation(activity);
      const exitCode = 'exitCode' in activity ? (activity.exitCode ?? 0) : 0;
      return `${mark} ${call.verb} ${objectText(call)}${exitCode === 0 ? '' : ` · exit code ${exitCode}`}`;
    }
    case 'orchestration':
      return `${mark} ${activity.action.replace('_', ' ')}${activity.subagentName === undefined ? '' : ` (${activity.subagentName})`}`;
    case 'error':
    case 'warning':
      return `${activity.type === 'error' ? '✗' : '!'} ${activity.message}`;
    case 'unknown':
      return isCall(event) ? callLine(event) : `? ${oneLine(JSON.stringify(activity.raw), 120)}`;
    default:
      return activity satisfies never;
  }
}

type Call = EventOf<'tool_call'> | EventOf<'tool_result'>;

function isCall(event: AgentEvent | undefined): event is Call {
  return event?.type === 'tool_call' || event?.type === 'tool_result';
}

/** A call of a tool that is no activity of a known kind; nothing for one that asks a person or changes the tasks. */
function callLine(event: Call): string | undefined {
  const isDone = event.type === 'tool_call' || 'context' in toolOutputOf(event.output);
  const status = isDone ? 'done' : 'failed';
  if (!isShownAsCall({ name: event.name, status, relays: [] })) return undefined;
  const { verb, object } = presentCall({ name: event.name, status });
  return `${isDone ? '•' : '✗'} ${verb} ${object}`;
}
