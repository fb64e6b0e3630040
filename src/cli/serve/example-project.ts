import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const files: Readonly<Record<string, string>> = {
  'README.md': '# Example\n\nA small project to try agents on. Its test fails: `npm test`.\n',
  'package.json': '{ "name": "example", "private": true, "type": "module", "scripts": { "test": "node test.js" } }\n',
  'add.js': 'export const add = (a, b) => a - b;\n',
  'test.js': [
    "import assert from 'node:assert/strict';",
    "import { add } from './add.js';",
    '',
    'assert.equal(add(2, 2), 4);',
    '',
  ].join('\n'),
};

/** Returns the folder of the example project in a data folder; creates it when it is missing, and changes nothing in it later. */
export async function exampleProject(home: string): Promise<string> {
  const folder = join(home, 'example');
  if (existsSync(folder)) return folder;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}
