import type { MessagePort } from 'node:worker_threads';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import type { FromThread, ThreadData, ToThread } from './sandbox-messages.ts';

/** The start parameters of a thread, and the source of the function that creates the globals of its engine. */
export type ThreadSetup = ThreadData & { readonly globals: string };

/** A sandbox's thread: one QuickJS engine that runs cells, one at a time. */
export class SandboxThread {
  readonly #port: MessagePort;
  readonly #data: ThreadData;
  readonly #runtime: QuickJSRuntime;
  readonly #vm: QuickJSContext;
  readonly #globals: QuickJSHandle;
  /** The length of each open call. */
  readonly #calls = new Map<number, number>();
  #callsLength = 0;
  #handled = 0;
  /** The time at which the running code has to be stopped, and the earlier execution time of the cell. */
  #deadline = Number.POSITIVE_INFINITY;
  #usedMs = 0;
  #stopped = false;
  #promise: QuickJSHandle | undefined;
  #final: { readonly final: string; readonly structured?: true } | undefined;
  #room = 0;
  #truncated = false;
  #printed: { stream: 'stdout' | 'stderr'; chunk: string } | undefined;
  #flushed = 0;

  constructor(engine: QuickJSWASMModule, port: MessagePort, data: ThreadSetup) {
    this.#port = port;
    this.#data = data;
    this.#runtime = engine.newRuntime();
    this.#runtime.setMemoryLimit(data.memoryBytes);
    this.#runtime.setMaxStackSize(data.stackBytes);
    this.#runtime.setInterruptHandler(() => this.#isOver());
    this.#vm = this.#runtime.newContext();
    const vm = this.#vm;
    const send = vm.newFunction('send', (kind, json, id) => this.#receive(kind, json, id));
    const make = vm.unwrapResult(vm.evalCode(`(${data.globals})`, 'globals.js'));
    this.#globals = vm.unwrapResult(vm.callFunction(make, vm.undefined, send, vm.newString(data.config)));
    const piece = 2 ** 20;
    for (let at = 0; at < data.context.length; at += piece)
      this.#ask('feed', vm.newString(JSON.stringify(data.context.slice(at, at + piece)))).dispose();
    this.#ask('install').dispose();
    port.on('message', (message: ToThread) => this.#take(message));
    this.#send({ type: 'ready' });
  }

  #take(message: ToThread): void {
    this.#handled++;
    const started = performance.now();
    try {
      if (message.type === 'run') this.#begin();
      this.#deadline = started + this.#data.cellTimeoutMs - this.#usedMs;
      const failed = message.type === 'run' ? this.#run(message) : this.#settle(message);
      this.#usedMs += performance.now() - started;
      if (failed !== undefined) this.#end(failed);
      else this.#goOn();
    } catch (error) {
      // The engine itself failed, for example because its memory is full, or our objects in the sandbox were damaged.
      this.#end(error instanceof Error ? error.message : String(error), true);
    }
  }

  #begin(): void {
    this.#stopped = false;
    this.#usedMs = 0;
    this.#final = undefined;
    this.#room = this.#data.maxOutputLength;
    this.#truncated = false;
    this.#calls.clear();
    this.#callsLength = 0;
  }

  /** The problem with the code, when it cannot run. */
  #run({ code, written }: { readonly code: string; readonly written: string }): string | undefined {
    const topLevelAwait = 128;
    this.#ask('install').dispose();
    const evaluate = (text: string) => this.#vm.evalCode(text, 'cell.js', topLevelAwait);
    let result = evaluate(code);
    if (result.error && code !== written) {
      result.error.dispose();
      result = evaluate(written);
    }
    if (result.error) return this.#describe(result.error);
    this.#promise = result.value;
    return this.#runJobs();
  }

  #settle({ id, ok, json }: { readonly id: number; readonly ok: boolean; readonly json: string }): string | undefined {
    this.#callsLength -= this.#calls.get(id) ?? 0;
    this.#calls.delete(id);
    const vm = this.#vm;
    this.#ask('settle', vm.newNumber(id), ok ? vm.true : vm.false, vm.newString(json)).dispose();
    return this.#runJobs();
  }

  #runJobs(): string | undefined {
    while (!this.#stopped && this.#runtime.hasPendingJob()) {
      if (performance.now() > this.#deadline) this.#stopped = true;
      else this.#runtime.executePendingJobs(100).dispose();
    }
    return this.#stopped ? this.#tooLong() : undefined;
  }

  /** The cell ends when its code has ended and every call has its outcome; an answer waits for no call. */
  #goOn(): void {
    const promise = this.#promise;
    if (promise === undefined) return;
    const state = this.#vm.getPromiseState(promise);
    const waits = this.#calls.size > 0;
    if (waits && (state.type === 'pending' || this.#final === undefined)) {
      this.#flush();
      this.#send({ type: 'idle', handled: this.#handled });
    } else if (state.type === 'pending')
      this.#end(
        'The code awaits a promise that nothing will settle. Only calls of the given functions take time here.',
      );
    else if (state.type === 'rejected') this.#end(this.#describe(state.error));
    else {
      state.value.dispose();
      this.#end(undefined);
    }
  }

  #end(error: string | undefined, failed = false): void {
    this.#flush();
    this.#promise = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#send({
      type: 'done',
      ...(error !== undefined && { error }),
      ...this.#final,
      truncated: this.#truncated,
      broken: failed || this.#runtime.hasPendingJob(),
    });
  }

  #describe(error: QuickJSHandle): string {
    const text = this.#vm.callMethod(this.#globals, 'describe', [error]);
    if (this.#stopped) return this.#tooLong();
    return text.error ? 'The code threw a value that cannot be shown.' : this.#readText(text.value);
  }

  #tooLong(): string {
    return `The cell was stopped: its code ran for more than ${this.#data.cellTimeoutMs} ms.`;
  }

  /** Calls a function of the sandbox that fails only when the engine does. */
  #ask(name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    const result = this.#vm.callMethod(this.#globals, name, args);
    for (const arg of args) arg.dispose();
    if (result.error) throw new Error(this.#describe(result.error));
    return result.value;
  }

  #receive(kind: QuickJSHandle, json: QuickJSHandle, id: QuickJSHandle): void {
    const length = this.#vm.getProp(json, 'length').consume(handle => this.#vm.getNumber(handle));
    const [maxLength, maxCalls] = [2 ** 25, 10_000];
    if (!(length <= maxLength)) throw new RangeError(`${length} characters cannot leave the sandbox at once.`);
    const what = this.#vm.getString(kind);
    if (what === 'final') this.#final ??= { final: this.#readText(json) };
    else if (what === 'final-json') this.#final ??= { final: this.#readText(json), structured: true };
    else if (what !== 'call') this.#print(what === 'stderr' ? 'stderr' : 'stdout', this.#readText(json));
    else if (this.#calls.size >= maxCalls || this.#callsLength + length > this.#data.memoryBytes)
      throw new RangeError('Too many calls wait for their outcome: await some of them first.');
    else {
      const number = this.#vm.getNumber(id);
      this.#calls.set(number, length);
      this.#callsLength += length;
      this.#flush();
      this.#send({ type: 'call', id: number, json: this.#vm.getString(json) });
    }
  }

  #readText(json: QuickJSHandle): string {
    return String(JSON.parse(this.#vm.getString(json)));
  }

  /** Called by the engine while code runs. */
  #isOver(): boolean {
    const now = performance.now();
    if (this.#printed !== undefined && now - this.#flushed > 30) this.#flush();
    return (this.#stopped ||= now > this.#deadline);
  }

  /** Sends output immediately after a pause, and otherwise in batches. */
  #print(stream: 'stdout' | 'stderr', text: string): void {
    const chunk = text.slice(0, this.#room);
    this.#truncated ||= chunk.length < text.length;
    this.#room -= chunk.length;
    if (chunk === '') return;
    if (this.#printed?.stream !== stream) this.#flush();
    this.#printed ??= { stream, chunk: '' };
    this.#printed.chunk += chunk;
    if (this.#printed.chunk.length >= 4_096 || performance.now() - this.#flushed > 30) this.#flush();
  }

  #flush(): void {
    if (this.#printed === undefined) return;
    this.#send({ type: 'print', ...this.#printed });
    this.#printed = undefined;
    this.#flushed = performance.now();
  }

  #send(message: FromThread): void {
    this.#port.postMessage(message, []);
  }
}
