import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Harness } from '../../src/control/harness/index.ts';

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
  isRunning getFollowUpCount getCurrentRunId getTokenUsage setThreadSetting getDefaultResourceId
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

/** Events that require a workspace, which is not supported yet. */
const later = /^workspace_/;

interface Test {
  readonly file: string;
  readonly title: string;
  readonly body: string;
}

/** The tests of this folder, with their code; those that compare with the reference come last. */
function allTests(): Test[] {
  const files = readdirSync(here).filter(file => file.endsWith('.test.ts') && file !== 'coverage.test.ts');
  const order = (file: string) => (file.startsWith('do-better') ? `~${file}` : file);
  return files.toSorted((a, b) => order(a).localeCompare(order(b))).flatMap(testsIn);
}

function testsIn(file: string): Test[] {
  const [, ...groups] = readFileSync(join(here, file), 'utf8').split(/^describe(?=[.(])/m);
  return groups.flatMap(group => {
    const [, ...bodies] = group.split(/^ {2}it(?=[.(])/m);
    return bodies.map(body => ({ file, title: `${titleOf(group)} › ${titleOf(body)}`, body }));
  });
}

/** The first text that is followed by a function. */
function titleOf(code: string): string {
  const [, single, double] = /(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"),\s*(?:async )?\(/.exec(code) ?? [];
  return (single ?? double ?? '').replaceAll("\\'", "'");
}

const rows = (names: readonly string[], tests: readonly Test[], isIn: (name: string, test: Test) => boolean) =>
  names.map(name => {
    const found = tests.find(test => isIn(name, test));
    const title = found === undefined ? (later.test(name) ? '*later*' : '') : `${found.file}: ${found.title}`;
    return `| \`${name}\` | ${title.replaceAll('|', '\\|')} |`;
  });

const has = (body: string, name: string) => new RegExp(`['" ]${name}(?![\\w])`).test(body);

function page(): string {
  const tests = allTests();
  const table = (heading: string, list: string[]) => [`## ${heading}`, '', '| | tested by |', '|---|---|', ...list, ''];
  return [
    '# Test coverage of the harness',
    '',
    'This page is generated from the tests in `test/harness/`: each name with the first test that uses it.',
    '`npx vitest run test/harness/coverage.test.ts -u` regenerates it.',
    '',
    ...table(
      'Methods',
      rows(methods, tests, (name, { body }) => body.includes(`harness.${name}(`)),
    ),
    ...table(
      'Methods of `memory`',
      rows(memoryMethods, tests, (name, { body }) => body.includes(`memory.${name}(`)),
    ),
    ...table(
      'Further methods',
      rows(extras, tests, (name, { body }) => body.includes(`harness.${name}(`)),
    ),
    ...table(
      'Events',
      rows(events, tests, (name, { body }) => has(body, name)),
    ),
    ...table(
      'Built-in tools',
      rows(tools, tests, (name, { body }) => body.includes(`calls('${name}'`) || has(body, name)),
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
