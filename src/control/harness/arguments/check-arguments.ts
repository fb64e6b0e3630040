import { type OptionFields, checkValue } from '../../../base/options/check-options.ts';
import { limitsField } from '../../../agents/limits/limits.ts';
import * as z from 'zod';
import { once } from '../../../base/once.ts';
import { expectedAgent, having } from '../../../base/options/option-fields.ts';
import { quickValidator } from '../../../events/quick-validate.ts';
import { builtinToolIds } from '../tools/builtin-tools.ts';
import { memoryField } from '../../../agents/memory/memory.ts';
import type { HarnessConfig, HarnessOMConfig, UnavailableOptions } from '../harness-config.ts';
import { permissionPolicies, toolCategories } from '../permissions/permissions.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';

const noMode = 'Harness requires at least one agent mode';
const labels = 'expected a string, or the chosen labels';

const name = () => z.string().min(1);
const policy = () => z.enum(permissionPolicies);
const category = () => z.enum(toolCategories);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const callback = () => z.custom(value => typeof value === 'function', 'expected a function');
const record = () => z.custom(value => isObject(value) && !Array.isArray(value), 'expected an object');
const agent = () =>
  z.custom(
    // An agent may be loaded on first use: its `invoke` is read when a run starts.
    value => typeof value === 'function' || (isObject(value) && 'invoke' in value),
    {
      error: ({ input }) =>
        expectedAgent(input, 'an agent (an object with `id` and `invoke`), or a function that returns one for a state'),
    },
  );
const tools = () =>
  z.custom(
    value => typeof value === 'function' || (isObject(value) && !Array.isArray(value)),
    'expected an object of tools by name, such as `{ look: tool }`',
  );
const log = () =>
  z.custom(
    value => isObject(value) && 'append' in value && 'createThread' in value,
    "expected a log, such as `new SqliteLog('threads.db')`",
  );
const heartbeat = () =>
  z.object({
    id: name(),
    intervalMs: z.number().positive(),
    handler: callback(),
    immediate: z.boolean().optional(),
    shutdown: callback().optional(),
  });
const subagent = () =>
  z.object({
    id: name(),
    name: z.string(),
    description: z.string(),
    instructions: z.union([z.string(), callback()], { error: 'expected a string, or a function that returns one' }),
    tools: tools().optional(),
  });
const requestContext = () => z.instanceof(Map, { error: 'expected a `new RequestContext([[key, value]])`' }).optional();
const file = () => z.object({ data: z.string(), mediaType: z.string() });
const files = () => z.array(file()).optional();
const part = () =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    file().extend({ type: z.literal('file') }),
  ]);
const contents = () =>
  z.union([z.string(), z.array(part())], { error: 'expected a string, or parts of type text or file' });
const userInput = () => z.object({ content: z.string(), files: files(), requestContext: requestContext() });
const ofThread = () => z.object({ threadId: name(), limit: z.number().optional() });
const ofTool = () => z.object({ toolName: name() });
const ofModel = () => z.object({ modelId: name() });

/** Every valid option; an unknown name is rejected because it would have no effect. */
const options = () =>
  ({
    id: name(),
    modes: z.array(z.object({ id: name(), agent: agent() }), { error: noMode }),
    resourceId: name().optional(),
    storage: log().optional(),
    stateSchema: z.unknown().optional(),
    initialState: record().optional(),
    tools: tools().optional(),
    subagents: z.array(subagent()).optional(),
    resolveModel: callback().optional(),
    omConfig: z
      .strictObject({
        defaultObserverModelId: name().optional(),
        defaultReflectorModelId: name().optional(),
        defaultObservationThreshold: z.number().positive().optional(),
        defaultReflectionThreshold: z.number().positive().optional(),
      } satisfies OptionFields<HarnessOMConfig>)
      .optional(),
    limits: limitsField().optional(),
    telemetry: having(['follow'], 'a `new Telemetry({ log, url })`').optional(),
    disableBuiltinTools: z.array(z.enum(builtinToolIds)).optional(),
    heartbeatHandlers: z.array(heartbeat()).optional(),
    idGenerator: callback().optional(),
    modelAuthChecker: callback().optional(),
    modelUseCountProvider: callback().optional(),
    modelUseCountTracker: callback().optional(),
    customModelCatalogProvider: callback().optional(),
    toolCategoryResolver: callback().optional(),
    contextOf: callback().optional(),
    threadLock: z.object({ acquire: callback(), release: callback() }).optional(),
    memory: z
      .union([memoryField(), callback()], { error: 'expected a `new Memory()`, or a function that returns one' })
      .optional(),
    // The options of a workspace are checked with their own error.
    workspace: z
      .custom(
        value => typeof value === 'function' || isObject(value),
        'expected a `new Workspace({ root })`, its options, or a function that returns one',
      )
      .optional(),
    browser: z.unknown().optional(),
    pubsub: z.unknown().optional(),
    observability: z.unknown().optional(),
  }) satisfies OptionFields<HarnessConfig>;

/** A schema that is built on first use, with a fast path that accepts most valid values. */
const lazySchema = (build: () => z.ZodType) =>
  once(() => {
    const schema = build();
    return { schema, isSure: quickValidator(schema) };
  });

/** The schema of each method's arguments, for callers without type checking. */
const methodSchemas = {
  'new Harness': lazySchema(() => z.strictObject(options())),
  setState: lazySchema(record),
  switchMode: lazySchema(() => z.object({ modeId: name() })),
  switchModel: lazySchema(() =>
    ofModel().extend({ scope: z.enum(['global', 'thread']).optional(), modeId: name().optional() }),
  ),
  switchObserverModel: lazySchema(ofModel),
  switchReflectorModel: lazySchema(ofModel),
  setSubagentModelId: lazySchema(() => ofModel().extend({ agentType: name().optional() })),
  grantSessionCategory: lazySchema(() => z.object({ category: category() })),
  grantSessionTool: lazySchema(ofTool),
  setPermissionForCategory: lazySchema(() => z.object({ category: category(), policy: policy() })),
  setPermissionForTool: lazySchema(() => ofTool().extend({ policy: policy() })),
  getToolCategory: lazySchema(ofTool),
  resolveWorkspace: lazySchema(() => z.strictObject({ requestContext: requestContext() })),
  subscribe: lazySchema(callback),
  subscribeDisplayState: lazySchema(callback),
  registerHeartbeat: lazySchema(heartbeat),
  removeHeartbeat: lazySchema(() => z.object({ id: name() })),
  createThread: lazySchema(() => z.strictObject({ title: z.string().optional() })),
  switchThread: lazySchema(ofThread),
  listThreads: lazySchema(() =>
    z.strictObject({ allResources: z.boolean().optional(), includeForkedSubagents: z.boolean().optional() }),
  ),
  renameThread: lazySchema(() => z.object({ title: z.string() })),
  cloneThread: lazySchema(() =>
    z.strictObject({ sourceThreadId: name().optional(), title: z.string().optional(), resourceId: name().optional() }),
  ),
  deleteThread: lazySchema(ofThread),
  setResourceId: lazySchema(() => z.object({ resourceId: name() })),
  setThreadSetting: lazySchema(() => z.object({ key: name() })),
  sendMessage: lazySchema(userInput),
  steer: lazySchema(userInput),
  followUp: lazySchema(userInput),
  sendFollowUps: lazySchema(() => z.strictObject({ id: name().optional() })),
  sendSignal: lazySchema(() =>
    z
      .object({
        content: contents().optional(),
        contents: contents().optional(),
        files: files(),
        requestContext: requestContext(),
      })
      .refine(signal => signal.content !== undefined || signal.contents !== undefined, 'expected `contents`'),
  ),
  listMessagesForThread: lazySchema(ofThread),
  getFirstUserMessageForThread: lazySchema(ofThread),
  getFirstUserMessagesForThreads: lazySchema(() => z.object({ threadIds: z.array(name()) })),
  saveSystemReminderMessage: lazySchema(() => z.object({ message: z.string(), reminderType: z.string() })),
  // Strict: a misspelt field would decide about the wrong call.
  respondToToolApproval: lazySchema(() =>
    z
      .strictObject({
        decision: z.enum(['approve', 'decline', 'always_allow_category', 'revise']),
        toolCallId: name().optional(),
        input: z.unknown().optional(),
        feedback: z.string().optional(),
        remember: z.enum(['once', 'thread', 'category']).optional(),
        requestContext: requestContext(),
      })
      .refine(({ decision, remember }) => decision === 'approve' || remember === undefined, {
        path: ['remember'],
        error: 'expected only with the decision "approve"',
      })
      .refine(({ decision, input }) => decision !== 'revise' || input !== undefined, {
        path: ['input'],
        error: 'expected the input to use instead',
      }),
  ),
  respondToToolSuspension: lazySchema(() =>
    z.object({ toolCallId: name().optional(), requestContext: requestContext() }),
  ),
  respondToQuestion: lazySchema(() =>
    z.object({ questionId: name(), answer: z.union([z.string(), z.array(z.string())], { error: labels }) }),
  ),
  respondToPlanApproval: lazySchema(() =>
    z.object({ planId: name(), response: z.object({ action: z.enum(['approved', 'rejected']) }) }),
  ),
  registerQuestion: lazySchema(() => z.object({ questionId: name(), resolve: callback() })),
  registerPlanApproval: lazySchema(() => z.object({ planId: name(), resolve: callback() })),
};

/** Throws `invalid_argument` when the arguments of a method are invalid; call it before the method has any effect. */
export function checkArguments(method: keyof typeof methodSchemas, given: unknown): void {
  const { schema, isSure } = methodSchemas[method]();
  if (!isSure(given)) checkValue(schema, given, `\`${method}\``, { method });
}

const instead: Record<keyof UnavailableOptions, string> = {
  browser: 'pass browser tools as `tools`',
  pubsub: 'use `subscribe`',
  observability: 'read the events of the log; `tracingOptions` of a message set the trace of its run',
};

/** Creates a `not_supported` error for a feature that a harness does not have. */
export function notSupported(what: string, hint: string): SingletreeError {
  return new SingletreeError('not_supported', `${what} is not supported: ${hint}.`);
}

/** Throws `not_supported` when the config contains an unsupported option. */
export function checkAvailable(config: UnavailableOptions): void {
  for (const [name, hint] of Object.entries(instead))
    if (config[name as keyof UnavailableOptions] !== undefined)
      throw notSupported(`The option \`${name}\` of a harness`, `${hint}, and omit it`);
}
