/** The short name of a model for people, such as "Sonnet 5" for `anthropic/claude-sonnet-5`; its own name where no rule is known. */
export function modelName(id: string): string {
  const name = (id.split('/').at(-1) ?? id).replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  if (name.startsWith('claude-')) return titled(versioned(name.slice('claude-'.length)));
  if (/^gpt-/i.test(name)) return name.replace(/^gpt-/i, 'GPT-').replace(/(?<=\d)-(?=[a-z])/, ' ');
  if (name.startsWith('gemini-')) return titled(name);
  return name;
}

/** A version that is written with a dash has a dot: `opus-4-5`, `3-5-haiku`. */
function versioned(name: string): string {
  return name.replace(/(?<=(?:^|-)\d+)-(?=\d+(?:-|$))/g, '.');
}

function titled(name: string): string {
  return name
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
