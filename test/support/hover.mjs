// Prints what an editor shows at positions of a file: hover.mjs COMPILER FILE POSITION…, each as `{ shown, doc }` in a JSON list.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const [compiler, file, ...positions] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(compiler);
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: name => {
    const text = ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => dirname(file),
  getCompilationSettings: () => ({ strict: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 }),
  getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
});
const words = (parts = []) => parts.map(part => part.text).join('');
const hovered = positions.map(position => {
  const info = service.getQuickInfoAtPosition(file, Number(position));
  return { shown: words(info?.displayParts), doc: words(info?.documentation) };
});
console.log(JSON.stringify(hovered));
