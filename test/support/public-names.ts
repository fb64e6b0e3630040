import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, string> };

/** The source file of each entry point, by its path in package.json. */
export const entryPoints: readonly (readonly [string, string])[] = Object.entries(exports)
  .filter(([, target]) => target.endsWith('.js'))
  .map(([path, target]) => [path, join(root, target.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))] as const);

const withoutComments = (code: string) => code.replaceAll(/\/\*[\s\S]*?\*\//g, '');
const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|interface|type) (?<name>\w+)/gm;
const reExport = /^export (?:type )?(?:\{(?<names>[^}]*)\}|\*(?: as (?<space>\w+))?) from '(?<from>[^']+)'/gm;

/** The exported names of a module, each with the file that declares it and the name it has there. */
export function declarationsOf(file: string): Map<string, string> {
  const code = withoutComments(readFileSync(file, 'utf8'));
  const found = new Map<string, string>();
  for (const { groups } of code.matchAll(declaration))
    found.set(groups?.['name'] ?? '', `${relative(root, file)}#${groups?.['name']}`);
  for (const { groups } of code.matchAll(reExport)) {
    const space = groups?.['space'];
    if (space !== undefined) {
      found.set(space, `${relative(root, file)}#${space}`);
      continue;
    }
    const source = declarationsOf(resolve(file, '..', groups?.['from'] ?? ''));
    if (groups?.['names'] === undefined) for (const [name, declared] of source) found.set(name, declared);
    else
      for (const item of groups['names'].split(',').map(part => part.trim().replace(/^type /, ''))) {
        const [name = '', alias = name] = item.split(' as ');
        const declared = source.get(name);
        if (declared !== undefined) found.set(alias, declared);
      }
  }
  return found;
}

/** Every exported name with its declarations, and the entry points that export each. */
export function publicNames(): Map<string, Map<string, string[]>> {
  const names = new Map<string, Map<string, string[]>>();
  for (const [path, file] of entryPoints)
    for (const [name, declared] of declarationsOf(file)) {
      const declarations = names.get(name) ?? new Map<string, string[]>();
      declarations.set(declared, [...(declarations.get(declared) ?? []), path]);
      names.set(name, declarations);
    }
  return names;
}
