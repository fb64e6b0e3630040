import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { newId } from '../../events/ids.ts';
import { guardScript } from './guard-script.ts';
import { guardMark, guardVariable } from './process-marks.ts';

/**
 * A small shell process that ends the children of this process when this process exits for any reason: the shell's
 * input is a pipe whose other end only this process holds. It is started with the first child, and again when it ends
 * unexpectedly.
 */
class ProcessGuard {
  /** Begins the marks of the children of this process. */
  readonly id: string = newId();
  /** The process groups of the children by number; undefined while a child is being started. */
  readonly #children = new Map<number, number | undefined>();
  readonly #spared = new Set<number>();
  #count = 0;
  #input: Socket | undefined;

  /** Announces a child before it is started; returns its number. */
  announce(): number {
    const child = ++this.#count;
    this.#children.set(child, undefined);
    if (this.#input === undefined) this.#start();
    else this.#input.write(`start ${child}\n`);
    return child;
  }

  /** The value of `SINGLETREE_CHILD` for a child; its own children inherit it. */
  getMark(child: number): string {
    return `${this.id}.${child}.${process.pid}`;
  }

  /** Registers processes that a child started and left running on purpose: they outlive this process. */
  spare(pids: Iterable<number>): void {
    for (const pid of pids)
      if (!this.#spared.has(pid)) {
        this.#spared.add(pid);
        this.#input?.write(`spare ${pid}\n`);
      }
  }

  /** Registers the process group of a started child. */
  started(child: number, group: number): void {
    this.#children.set(child, group);
    this.#input?.write(`group ${child} ${group}\n`);
  }

  /** Releases a child whose whole group has ended. */
  release(child: number): void {
    this.#children.delete(child);
    this.#input?.write(`end ${child}\n`);
  }

  #start(): void {
    // Both the environment and the arguments identify the owner: systems show one or the other.
    const mark = guardMark();
    const guard = spawn('/bin/sh', ['-c', guardScript, `${guardVariable}=${mark}`, this.id], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', [guardVariable]: mark },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.on('error', () => {});
    // Without a shell, or at the process limit, no guard runs until the next child starts.
    if (guard.pid === undefined) return;
    const input = guard.stdin as Socket;
    input.on('error', () => {});
    guard.once('exit', (_code, signal) => this.#ended(input, signal));
    guard.unref();
    input.unref();
    this.#input = input;
    for (const [child, group] of this.#children)
      input.write(`start ${child}\n${group === undefined ? '' : `group ${child} ${group}\n`}`);
    for (const pid of this.#spared) input.write(`spare ${pid}\n`);
  }

  #ended(input: Socket, signal: NodeJS.Signals | null): void {
    input.destroy();
    this.#input = undefined;
    if (signal !== null && this.#children.size > 0) this.#start();
  }
}

/** The guard of this process. */
export const processGuard = new ProcessGuard();
