const otherNames: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  'c#': 'csharp',
  'c++': 'c',
  cc: 'c',
  cjs: 'javascript',
  console: 'shellscript',
  cpp: 'c',
  cs: 'csharp',
  cts: 'typescript',
  dockerfile: 'docker',
  ex: 'elixir',
  exs: 'elixir',
  golang: 'go',
  gql: 'graphql',
  h: 'c',
  hpp: 'c',
  htm: 'html',
  js: 'javascript',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'shellscript',
};

/** Returns the name of a language from what a fence or a file ending calls it. */
export function languageNamed(name: string): string {
  const lower = name.toLowerCase();
  return otherNames[lower] ?? lower;
}

/** Returns the language of a file, by its name. */
export function languageOfFile(path: string): string {
  const file = path.split(/[\\/]/).at(-1) ?? '';
  return languageNamed(file.includes('.') ? (file.split('.').at(-1) ?? '') : file);
}
