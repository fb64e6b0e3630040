import * as z from 'zod';
import { permissionPolicies, type PermissionRules, toolCategories } from '../permissions/permissions.ts';
import { taskItem, assignTaskIds } from '../../../agents/tasks/assign-task-ids.ts';

const policy = z.enum(permissionPolicies);
const category = z.enum(toolCategories);
const modelId = z.string();
const threshold = z.number().nonnegative();

const rules = z
  .object({
    categories: z.partialRecord(category, policy).default({}),
    tools: z.record(z.string(), policy).default({}),
  })
  .transform((value): PermissionRules => value as PermissionRules);

/** The state keys that the harness itself uses. They are stored apart from the values of a `stateSchema`. */
const settings = {
  yolo: z.boolean(),
  permissionRules: rules,
  currentModelId: modelId,
  tasks: z.array(taskItem).transform(tasks => assignTaskIds(tasks)),
  observerModelId: modelId,
  reflectorModelId: modelId,
  observationThreshold: threshold,
  reflectionThreshold: threshold,
  subagentModelId: modelId,
};

type Known = { -readonly [Key in keyof typeof settings]?: z.output<(typeof settings)[Key]> };

/** The harness settings; `subagentModelId_<type>` is the model of one subagent type. */
export type HarnessSettings = Known & { [key: `subagentModelId_${string}`]: string };

/** Whether a state key is a harness setting. */
export function isSetting(key: string): boolean {
  return Object.hasOwn(settings, key) || key.startsWith('subagentModelId_');
}

/** Validates a setting; undefined and null remove it. */
export function checkSetting(key: string, value: unknown): { readonly value: unknown } | { readonly problem: string } {
  if (value === undefined || value === null) return { value: undefined };
  const schema = Object.hasOwn(settings, key) ? settings[key as keyof typeof settings] : modelId;
  const checked = schema.safeParse(value);
  if (checked.success) return { value: checked.data };
  const [issue] = checked.error.issues;
  return { problem: [key, ...(issue?.path ?? [])].map(String).join('.') + `: ${issue?.message ?? 'invalid'}` };
}
