import * as z from 'zod';

/** The version that is written: readers of 1.8, which adds only audio, accept it. */
export const atifVersion = 'ATIF-v1.7';

const extra = () => z.record(z.string(), z.unknown()).optional();
const count = () => z.int().min(0).optional();

const contentPart = () =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({
      type: z.literal('image'),
      source: z.strictObject({
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        path: z.string().min(1),
      }),
    }),
  ]);
const content = () => z.union([z.string(), z.array(contentPart())]);

const toolCall = () =>
  z.strictObject({
    tool_call_id: z.string(),
    function_name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    extra: extra(),
  });

const result = () =>
  z.strictObject({
    source_call_id: z.string().optional(),
    content: content().optional(),
    subagent_trajectory_ref: z
      .array(
        z.strictObject({
          trajectory_id: z.string().optional(),
          trajectory_path: z.string().optional(),
          session_id: z.string().optional(),
          extra: extra(),
        }),
      )
      .optional(),
    extra: extra(),
  });

const metrics = () =>
  z.strictObject({
    prompt_tokens: count(),
    completion_tokens: count(),
    cached_tokens: count(),
    cost_usd: z.number().optional(),
    prompt_token_ids: z.array(z.int()).optional(),
    completion_token_ids: z.array(z.int()).optional(),
    logprobs: z.array(z.number()).optional(),
    extra: extra(),
  });

const agentOnly = [
  'model_name',
  'reasoning_effort',
  'reasoning_content',
  'tool_calls',
  'metrics',
  'observation',
] as const;

const step = () =>
  z
    .strictObject({
      step_id: z.int().min(1),
      timestamp: z.iso.datetime({ offset: true }).optional(),
      source: z.enum(['system', 'user', 'agent']),
      message: content(),
      model_name: z.string().optional(),
      reasoning_effort: z.union([z.string(), z.number()]).optional(),
      reasoning_content: z.string().optional(),
      tool_calls: z.array(toolCall()).optional(),
      observation: z.strictObject({ results: z.array(result()) }).optional(),
      metrics: metrics().optional(),
      is_copied_context: z.boolean().optional(),
      llm_call_count: count(),
      extra: extra(),
    })
    .check(({ value, issues }) => {
      const report = (message: string) => issues.push({ code: 'custom', input: value, message });
      const foreign = value.source === 'agent' ? [] : agentOnly.filter(name => value[name] !== undefined);
      if (foreign.length > 0) report(`a step of source "${value.source}" must not have ${foreign.join(', ')}`);
      if (value.llm_call_count === 0 && (value.metrics ?? value.reasoning_content) !== undefined)
        report('a step without a model call must not have metrics or reasoning_content');
      const ids = new Set(value.tool_calls?.map(call => call.tool_call_id));
      for (const { source_call_id: id } of value.observation?.results ?? [])
        if (id !== undefined && !ids.has(id)) report(`source_call_id "${id}" names no call of its step`);
    });

const trajectoryFields = () => ({
  schema_version: z.literal(atifVersion),
  session_id: z.string().optional(),
  trajectory_id: z.string().optional(),
  agent: z.strictObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().optional(),
    tool_definitions: z.array(z.record(z.string(), z.unknown())).optional(),
    extra: extra(),
  }),
  steps: z
    .array(step())
    .min(1)
    .refine(steps => steps.every(({ step_id: id }, index) => id === index + 1), 'step_id must count from 1'),
  notes: z.string().optional(),
  final_metrics: z
    .strictObject({
      total_prompt_tokens: count(),
      total_completion_tokens: count(),
      total_cached_tokens: count(),
      total_cost_usd: z.number().optional(),
      total_steps: count(),
      extra: extra(),
    })
    .optional(),
  continued_trajectory_ref: z.string().optional(),
  extra: extra(),
});

/** A trajectory of the Agent Trajectory Interchange Format 1.7: unknown fields and broken references are refused. */
export const atifTrajectory = () =>
  z
    .strictObject({
      ...trajectoryFields(),
      subagent_trajectories: z
        .array(z.strictObject({ ...trajectoryFields(), trajectory_id: z.string() }))
        .refine(
          list => new Set(list.map(each => each.trajectory_id)).size === list.length,
          'trajectory_id of subagents must be unique',
        )
        .optional(),
    })
    .check(({ value, issues }) => {
      const embedded = value.subagent_trajectories ?? [];
      const known = new Set(embedded.map(({ trajectory_id: id }) => id));
      for (const { steps } of [value, ...embedded])
        for (const { observation } of steps)
          for (const { subagent_trajectory_ref: refs = [] } of observation?.results ?? [])
            for (const { trajectory_id: id } of refs)
              if (id !== undefined && !known.has(id))
                issues.push({ code: 'custom', input: value, message: `"${id}" is not among subagent_trajectories` });
    });

export type AtifTrajectory = z.infer<ReturnType<typeof atifTrajectory>>;
export type AtifStep = AtifTrajectory['steps'][number];
