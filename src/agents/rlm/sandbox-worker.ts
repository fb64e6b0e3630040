import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { engine } from 'virtual:sandbox-engine';
import { sandboxGlobals } from './sandbox-globals.ts';
import type { ThreadData } from './sandbox-messages.ts';
import { SandboxThread } from './sandbox-thread.ts';

// The bundler resolves it as an ES module, the compiler as CommonJS.
const base = variant as unknown as QuickJSSyncVariant;
const port = parentPort;
if (port === null) throw new Error('This is the program of a thread.');
const bytes = Buffer.from(engine, 'base64');
const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
void newQuickJSWASMModuleFromVariant(newVariant(base, { wasmBinary })).then(
  module => new SandboxThread(module, port, { ...(workerData as ThreadData), globals: sandboxGlobals.toString() }),
);
