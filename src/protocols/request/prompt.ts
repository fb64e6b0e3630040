const names = ['prompt', 'task', 'message', 'question', 'description'];

/** What a subagent was asked, from the input of the call that started it: the field that says it, or the whole input. */
export function promptOf(call: { readonly input: unknown } | undefined): unknown {
  const input = call?.input;
  if (typeof input !== 'object' || input === null) return input;
  const fields = input as Readonly<Record<string, unknown>>;
  const name = names.find(field => typeof fields[field] === 'string');
  return name === undefined ? input : fields[name];
}
