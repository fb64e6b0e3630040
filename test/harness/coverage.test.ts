import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { Harness } from '../../src/control/index.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

const words = (text: string) => text.trim().split(/\s+/);

/** Every method of the specification, and those its users expect beside them. */
const methods = words(`
  init selectOrCreateThread destroy getState getDisplayState restoreDisplayTasks setState listModes
  getCurrentModeId getCurrentMode switchMode getCurrentModelId getModelName getFullModelId hasModelSelected
  switchModel getCurrentModelAuthStatus listAvailableModels getCurrentThreadId createThread switchThread
  listThreads renameThread cloneThread getResourceId setResourceId getSession sendMessage listMessages
  listMessagesForThread getFirstUserMessageForThread abort steer followUp respondToToolApproval
  respondToQuestion respondToPlanApproval grantSessionCategory grantSessionTool getSessionGrants
  setPermissionForCategory setPermissionForTool getPermissionRules getToolCategory getWorkspace
  resolveWorkspace hasWorkspace isWorkspaceReady destroyWorkspace loadOMProgress getObservationalMemoryRecord
  getObserverModelId getReflectorModelId switchObserverModel switchReflectorModel getObservationThreshold
  getReflectionThreshold getSubagentModelId setSubagentModelId subscribeDisplayState subscribe
`);
const memoryMethods = ['createThread', 'switchThread', 'listThreads', 'renameThread', 'deleteThread'];
const extras = words(`
  isRunning getFollowUpCount sendFollowUps getCurrentRunId getTokenUsage setThreadSetting getDefaultResourceId
  getKnownResourceIds getFirstUserMessagesForThreads registerHeartbeat removeHeartbeat stopHeartbeats
  respondToToolSuspension registerQuestion registerPlanApproval sendSignal saveSystemReminderMessage
  getResolvedObserverModel getResolvedReflectorModel setBrowser getMastra getResolvedMemory getCurrentTraceId
  isCurrentThreadStreamActive
`);
const events = words(`
  mode_changed model_changed thread_changed thread_created thread_deleted state_changed agent_start agent_end
  message_start message_update message_end tool_start tool_approval_required tool_update tool_end
  tool_input_start tool_input_delta tool_input_end usage_update error info follow_up_queued
  workspace_status_changed workspace_ready workspace_error om_status om_observation_start om_observation_end
  om_reflection_start om_reflection_end ask_question plan_approval_required plan_approved subagent_start
  subagent_text_delta subagent_tool_start subagent_tool_end subagent_end subagent_model_changed task_updated
  tool_suspended shell_output display_state_changed sandbox_access_request om_model_changed
  om_observation_failed om_reflection_failed om_buffering_start om_buffering_end om_buffering_failed om_activation
`);
const tools = ['ask_user', 'submit_plan', 'task_write', 'task_update', 'task_complete', 'task_check', 'subagent'];

interface Test {
  readonly file: string;
  readonly title: string;
  /** The names in its code. */
  readonly uses: ReadonlySet<string>;
}

/** A node of a syntax tree. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The tests of this folder, with their code. */
function allTests(): Test[] {
  const files = readdirSync(here).filter(file => file.endsWith('.test.ts') && file !== 'coverage.test.ts');
  return files.toSorted().flatMap(testsIn);
}

function testsIn(file: string): Test[] {
  const source = readFileSync(join(here, file), 'utf8');
  return callsOf(parseSync(file, source).program as unknown as Node, 'describe').flatMap(group =>
    callsOf(group, 'it').map(test => ({ file, title: `${titleOf(group)} › ${titleOf(test)}`, uses: usesOf(test) })),
  );
}

/** The calls of a function inside a node, `name.each(…)(…)` and `name.skipIf(…)(…)` included; not those inside them. */
function callsOf(node: Node, name: string): Node[] {
  const isCall = node.type === 'CallExpression' && calledName(node['callee'] as Node) === name;
  if (isCall && (node['arguments'] as Node[]).length > 1) return [node];
  return childrenOf(node).flatMap(child => callsOf(child, name));
}

function calledName(callee: Node): unknown {
  if (callee.type === 'MemberExpression') return calledName(callee['object'] as Node);
  return callee.type === 'CallExpression' ? calledName(callee['callee'] as Node) : callee['name'];
}

/** The first argument of a call. */
function titleOf(call: Node): string {
  return String((call['arguments'] as Node[])[0]?.['value']);
}

/** What a test uses: methods as `object.method`, the words of texts, and the properties it names. */
function usesOf(node: Node): Set<string> {
  const uses = new Set(childrenOf(node).flatMap(child => [...usesOf(child)]));
  if (node.type === 'Literal' && typeof node['value'] === 'string')
    for (const word of words(node['value'])) uses.add(word);
  if (node.type === 'Property' || node.type === 'Identifier')
    uses.add(String((node['key'] as Node)?.['name'] ?? node['name']));
  if (node.type !== 'MemberExpression') return uses;
  const { object, property } = node as unknown as Record<'object' | 'property', Node>;
  return uses.add(
    `${String((object['property'] as Node | undefined)?.['name'] ?? object['name'])}.${String(property['name'])}`,
  );
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value);
}

const rows = (names: readonly string[], tests: readonly Test[], isIn: (name: string, test: Test) => boolean) =>
  names.map(name => {
    const using = tests.filter(test => isIn(name, test));
    const isAbout = ({ file }: Test) => name.toLowerCase().includes(file.replace('.test.ts', ''));
    const found = using.find(isAbout) ?? using[0];
    const title = found === undefined ? '' : `${found.file}: ${found.title}`;
    return `| \`${name}\` | ${title.replaceAll('|', '\\|')} |`;
  });

function page(): string {
  const tests = allTests();
  const table = (heading: string, list: string[]) => [`## ${heading}`, '', '| | tested by |', '|---|---|', ...list, ''];
  return [
    '# Test coverage of the harness',
    '',
    'This page is generated from the tests in `test/harness/`: each name with the first test that uses it, in the file about it if there is one.',
    '`npx vitest run test/harness/coverage.test.ts -u` regenerates it.',
    '',
    ...table(
      'Methods',
      rows(methods, tests, (name, { uses }) => uses.has(`harness.${name}`)),
    ),
    ...table(
      'Methods of `memory`',
      rows(memoryMethods, tests, (name, { uses }) => uses.has(`memory.${name}`)),
    ),
    ...table(
      'Further methods',
      rows(extras, tests, (name, { uses }) => uses.has(`harness.${name}`)),
    ),
    ...table(
      'Events',
      rows(events, tests, (name, { uses }) => uses.has(name)),
    ),
    ...table(
      'Built-in tools',
      rows(tools, tests, (name, { uses }) => uses.has(name)),
    ),
  ].join('\n');
}

describe('the specification of the harness', () => {
  it('is covered: each method, event and tool has a test', async () => {
    const written = page();
    expect(written.split('\n').filter(row => row.endsWith('|  |'))).toEqual([]);
    await expect(written).toMatchFileSnapshot('../../docs/harness-coverage.md');
  });

  it('lists every existing method', () => {
    const { prototype } = Harness;
    const there = [prototype, Object.getPrototypeOf(prototype) as object].flatMap(of => Object.getOwnPropertyNames(of));
    const named = [...methods, ...extras, 'constructor', 'memory'];
    expect(there.filter(name => !named.includes(name))).toEqual([]);
    expect([...methods, ...extras].filter(name => !there.includes(name))).toEqual([]);
  });
});
