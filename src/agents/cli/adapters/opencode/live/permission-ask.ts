import { defined } from '../../../../../base/defined.ts';
import type { LiveRequest } from '../../../contract/live-channel.ts';
import type { OpenCall } from '../../../shared/open-calls.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';

/** A request for a permission, as the server reports it. */
export interface PermissionAsk {
  readonly id: string;
  readonly sessionId: string;
  /** The kind of access, such as `bash` or `external_directory`. */
  readonly permission: string;
  readonly patterns: readonly string[];
  readonly metadata: WireRecord;
  /** The program's id of the call; absent when the request is not about one. */
  readonly callId: string | undefined;
}

/** Returns the request of a `permission.asked` event; undefined when it is not understood. */
export function readPermissionAsk(properties: WireRecord): PermissionAsk | undefined {
  const [id, sessionId, permission] = ['id', 'sessionID', 'permission'].map(name => toText(properties[name]));
  if (id === undefined || sessionId === undefined || permission === undefined) return undefined;
  return {
    id,
    sessionId,
    permission,
    patterns: toList(properties['patterns']).filter(pattern => typeof pattern === 'string'),
    metadata: toRecord(properties['metadata']) ?? {},
    callId: toText(toRecord(properties['tool'])?.['callID']),
  };
}

const categories: Readonly<Record<string, string>> = {
  bash: 'execute',
  edit: 'edit',
  write: 'edit',
  apply_patch: 'edit',
  webfetch: 'network',
  websearch: 'network',
  codesearch: 'network',
  read: 'read',
  grep: 'read',
  glob: 'read',
  list: 'read',
};

/** Returns the request to the user about a call. */
export function permissionRequest(ask: PermissionAsk, call: OpenCall, runId: string): LiveRequest {
  const input = toRecord(call.input) ?? { value: call.input };
  const command = call.name === 'bash' ? (toText(input['command']) ?? toText(ask.metadata['command'])) : undefined;
  const paths = listPaths(ask);
  return {
    id: ask.id,
    runId,
    kind: 'permission',
    toolCallId: call.id,
    tool: call.name,
    input,
    canRevise: false,
    ...defined({
      category: categories[call.name] ?? categories[ask.permission],
      command,
      paths: paths.length === 0 ? undefined : paths,
      diff: toText(ask.metadata['diff']),
      reason: toText(input['description']),
    }),
  };
}

/** Returns the request to the user about anything but a call, such as an endlessly repeated call. */
export function approvalQuestion({ id, permission, patterns, metadata }: PermissionAsk, runId: string): LiveRequest {
  const about = patterns.length === 0 ? JSON.stringify(metadata) : patterns.join(', ');
  const question =
    permission === 'doom_loop'
      ? `The agent makes the same call of ${about} again and again. Let it continue?`
      : `The agent requests the permission "${permission}" for ${about}. Allow it?`;
  const options = [{ label: allowLabel }, { label: 'Reject' }];
  return { id, runId, kind: 'question', question, options, selectionMode: 'single_select' };
}

/** The answer that allows what `approvalQuestion` asks about. */
export const allowLabel = 'Allow';

function listPaths({ permission, patterns, metadata }: PermissionAsk): string[] {
  if (permission === 'external_directory') {
    const file = toText(metadata['filepath']);
    return file === undefined ? patterns.map(pattern => pattern.replace(/\/\*+$/, '')) : [file];
  }
  if (permission !== 'edit' && permission !== 'read') return [];
  const files = toList(metadata['files']).flatMap(value => {
    const file = toRecord(value);
    return [toText(file?.['filePath']), toText(file?.['movePath'])].filter(path => path !== undefined);
  });
  if (files.length > 0) return files;
  const path = toText(metadata['filepath']) ?? toText(metadata['filePath']);
  return path === undefined ? [...patterns] : [path];
}
