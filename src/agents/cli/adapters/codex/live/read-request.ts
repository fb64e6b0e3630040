import { scriptOfLine } from '../../../../../projections/shell/shell-line.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { CodexItems } from '../items.ts';
import { type PersonRequest, isApproval, readWords } from './person-request.ts';
import { changedPaths, unifiedDiff } from './change-diff.ts';
import { readElicitation } from './elicitation.ts';
import { readQuestions } from './questions.ts';
import type { Question } from '../../../channels/request-book.ts';
import { type RpcId, type RpcMessage, toRpcId } from '../../../channels/json-rpc.ts';
import { defined } from '../../../../../base/defined.ts';

type Reader = (params: WireRecord, items: CodexItems) => PersonRequest | undefined;

/** Reads a request and emits its call unless it was emitted before; undefined when it is not understood. */
export function readRequest({ method, params }: RpcMessage, items: CodexItems): PersonRequest | undefined {
  return Object.hasOwn(readers, method) ? (readers[method] as Reader)(params, items) : undefined;
}

const readers: Readonly<Record<string, Reader>> = {
  'item/commandExecution/requestApproval': readCommand,
  'item/fileChange/requestApproval': readFileChange,
  'item/permissions/requestApproval': readPermissions,
  'item/tool/requestUserInput': readQuestions,
  'mcpServer/elicitation/request': readElicitation,
};

function readCommand(params: WireRecord, items: CodexItems): PersonRequest | undefined {
  const rawId = toText(params['itemId']);
  if (rawId === undefined) return undefined;
  const line = toText(params['command']);
  const call = items.find(rawId) ?? items.call(rawId, { name: 'command_execution', input: { command: line ?? '' } });
  // Input for a running program is not a shell line.
  const isLine = line !== undefined && (params['kind'] ?? 'command') === 'command';
  const command = isLine ? (scriptOfLine(line) ?? line) : undefined;
  const input = {
    ...toRecord(call.input),
    ...defined({
      command: line,
      cwd: toText(params['cwd']),
      kind: isLine ? undefined : (params['kind'] ?? undefined),
      network: params['networkApprovalContext'] ?? undefined,
      permissions: params['additionalPermissions'] ?? undefined,
    }),
  };
  return permission(items, rawId, {
    question: {
      kind: 'permission',
      toolCallId: call.id,
      tool: call.name,
      input,
      ...defined({ command, reason: toText(params['reason']) }),
      canRevise: false,
    },
    what: command === undefined ? 'the request' : `\`${command}\``,
  });
}

function readFileChange(params: WireRecord, items: CodexItems): PersonRequest | undefined {
  const rawId = toText(params['itemId']);
  if (rawId === undefined) return undefined;
  const call = items.find(rawId) ?? items.call(rawId, { name: 'file_change', input: { changes: [] } });
  const changes = toRecord(call.input)?.['changes'];
  const root = toText(params['grantRoot']);
  const paths = [...changedPaths(changes), ...(root === undefined ? [] : [root])];
  return permission(items, rawId, {
    question: {
      kind: 'permission',
      toolCallId: call.id,
      tool: call.name,
      input: { ...toRecord(call.input), ...defined({ grantRoot: root }) },
      ...defined({ diff: unifiedDiff(changes), reason: toText(params['reason']) }),
      ...(paths.length > 0 && { paths }),
      canRevise: false,
    },
    what: `the change of ${paths.join(', ') || 'files'}`,
  });
}

function permission(items: CodexItems, rawId: string, of: { question: Question; what: string }): PersonRequest {
  return {
    questions: [of.question],
    reply: ([answer]) => ({ decision: isApproval(answer) ? 'accept' : 'decline' }),
    words: ([answer]) => readWords(answer, of.what),
    answered: ([answer]) => items.decided(rawId, isApproval(answer)),
  };
}

/** A request for more permissions than the sandbox gives. */
function readPermissions(params: WireRecord, items: CodexItems): PersonRequest | undefined {
  const rawId = toText(params['itemId']);
  const permissions = toRecord(params['permissions']);
  if (rawId === undefined || permissions === undefined) return undefined;
  const reason = toText(params['reason']);
  const input = defined({ permissions, cwd: toText(params['cwd']), reason });
  const call = items.find(rawId) ?? items.call(rawId, { name: 'request_permissions', input });
  const files = toRecord(permissions['fileSystem']);
  const paths = [files?.['read'], files?.['write']].flatMap(list => (Array.isArray(list) ? list.filter(isText) : []));
  return {
    questions: [
      {
        kind: 'permission',
        toolCallId: call.id,
        tool: call.name,
        input,
        ...defined({ reason }),
        ...(paths.length > 0 && { paths }),
        canRevise: false,
      },
    ],
    reply: ([answer]) => ({
      permissions: isApproval(answer) ? withoutNull(permissions) : {},
      scope: 'turn',
    }),
    words: ([answer]) => readWords(answer, 'the request for permissions'),
    answered: ([answer]) => {
      items.settle(
        rawId,
        isApproval(answer)
          ? { context: 'The permissions were granted for this turn.' }
          : { status: 'denied', reason: 'The permissions were not granted.' },
      );
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function withoutNull(record: WireRecord): WireRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

/** Returns the id of the request that a notification reports as closed; undefined when it is another message. */
export function resolvedId({ method, params }: RpcMessage): RpcId | undefined {
  return method === 'serverRequest/resolved' ? toRpcId(params['requestId']) : undefined;
}
