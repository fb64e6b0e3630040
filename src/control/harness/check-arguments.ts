import * as z from 'zod';
import { once } from '../../events/define.ts';
import { SingletreeError } from '../../events/index.ts';
import { sureOf } from '../../events/sure-of.ts';
import { builtinToolIds } from './builtin-tools/builtin-tools.ts';
import { permissionPolicies, toolCategories } from './permissions.ts';

const noMode = 'Harness requires at least one agent mode';
const labels = 'expected a text, or the labels that were chosen';

const policy = () => z.enum(permissionPolicies);
const category = () => z.enum(toolCategories);
const agent = () =>
  z.custom(
    // An agent that is not used yet is not looked at.
    value => typeof value === 'function' || (typeof value === 'object' && value !== null),
    'expected an agent, or a function that gives one for a state',
  );
const requestContext = () => z.instanceof(Map, { error: 'expected a `new RequestContext([[key, value]])`' }).optional();
const file = () => z.object({ data: z.string(), mediaType: z.string() });
const files = () => z.array(file()).optional();
const part = () =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    file().extend({ type: z.literal('file') }),
  ]);
const contents = () =>
  z.union([z.string(), z.array(part())], { error: 'expected a text, or parts of the types text and file' });
const said = () => z.object({ content: z.string(), files: files(), requestContext: requestContext() });

/** A schema, built when it is first used, and what tells at a glance of most that it takes. */
const checked = (build: () => z.ZodType) =>
  once(() => {
    const schema = build();
    return { schema, isSure: sureOf(schema) };
  });

/** What the methods take that a program without types can get wrong. */
const taken = {
  'new Harness': checked(() =>
    z.object({
      id: z.string().min(1),
      modes: z.array(z.object({ id: z.string().min(1), agent: agent() }), { error: noMode }),
      disableBuiltinTools: z.array(z.enum(builtinToolIds)).optional(),
    }),
  ),
  sendMessage: checked(said),
  steer: checked(said),
  followUp: checked(said),
  sendSignal: checked(() =>
    z
      .object({
        content: contents().optional(),
        contents: contents().optional(),
        files: files(),
        requestContext: requestContext(),
      })
      .refine(signal => signal.content !== undefined || signal.contents !== undefined, 'expected `contents`'),
  ),
  respondToToolApproval: checked(() =>
    z.object({
      decision: z.enum(['approve', 'decline', 'always_allow_category', 'revise']),
      requestContext: requestContext(),
    }),
  ),
  respondToToolSuspension: checked(() => z.object({ requestContext: requestContext() })),
  respondToQuestion: checked(() => z.object({ answer: z.union([z.string(), z.array(z.string())], { error: labels }) })),
  respondToPlanApproval: checked(() => z.object({ response: z.object({ action: z.enum(['approved', 'rejected']) }) })),
  grantSessionCategory: checked(() => z.object({ category: category() })),
  setPermissionForCategory: checked(() => z.object({ category: category(), policy: policy() })),
  switchModel: checked(() => z.object({ modelId: z.string().min(1) })),
  setPermissionForTool: checked(() => z.object({ toolName: z.string(), policy: policy() })),
};

/** Throws `invalid_argument` when a method was given what it cannot take: to be called before it does anything. */
export function checkArguments(method: keyof typeof taken, given: unknown): void {
  const { schema, isSure } = taken[method]();
  if (isSure(given)) return;
  const [issue] = schema.safeParse(given).error?.issues ?? [];
  if (issue === undefined) return;
  const path = issue.path.map(String).join('.');
  throw new SingletreeError(
    'invalid_argument',
    `\`${method}\` cannot take what it was given${path === '' ? '' : ` as \`${path}\``}: ${issue.message}.`,
    { details: { method, path } },
  );
}
