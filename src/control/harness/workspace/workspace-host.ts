import { invalidArgument, wordsFor } from '../../../base/options/check-options.ts';
import { asError } from '../event-hub.ts';
import type { HarnessEvent } from '../harness-event.ts';
import type { ToolCategory } from '../permissions/permissions.ts';
import { RequestContext } from '../tools/request-context.ts';
import { Workspace } from './workspace.ts';
import type { WorkspaceConfig } from './workspace-config.ts';

/** Returns the workspace of a request. */
export type WorkspaceFactory = (context: {
  readonly requestContext: RequestContext;
}) => Workspace | undefined | Promise<Workspace | undefined>;

export interface WorkspaceHostOptions {
  readonly source: Workspace | WorkspaceConfig | WorkspaceFactory | undefined;
  readonly emit: (event: HarnessEvent) => void;
}

/** The workspace of a harness. A workspace that fails to start is an event: the harness works without it. */
export class WorkspaceHost {
  readonly #options: WorkspaceHostOptions;
  readonly #factory: WorkspaceFactory | undefined;
  /** The configured workspace, until it is destroyed; undefined with a factory. */
  #fixed: Workspace | undefined;
  /** The workspace that callers see. */
  #current: Workspace | undefined;
  #isReady = false;
  readonly #starting = new WeakMap<Workspace, Promise<boolean>>();

  /** Throws `invalid_argument` for invalid options of a workspace. */
  constructor(options: WorkspaceHostOptions) {
    this.#options = options;
    const { source } = options;
    if (typeof source === 'function') this.#factory = source;
    else if (source instanceof Workspace) this.#current = this.#fixed = source;
    else if (source !== undefined) this.#fixed = new Workspace(source);
  }

  /** The workspace: an instance from the start, another one once it is resolved. */
  get current(): Workspace | undefined {
    return this.#current;
  }

  get isConfigured(): boolean {
    return this.#options.source !== undefined;
  }

  /** Whether it can be used: always with a factory, else once it has started. */
  get isReady(): boolean {
    return this.#factory !== undefined || this.#isReady;
  }

  /** Starts a workspace that does not depend on a request; never rejects. */
  async start(): Promise<void> {
    const fixed = this.#fixed;
    if (fixed === undefined) return;
    const isReady = await this.#begin(fixed);
    // It may have been destroyed during the start.
    if (fixed !== this.#fixed) return;
    this.#isReady = isReady;
    this.#current = isReady ? fixed : undefined;
  }

  /** Returns the workspace of a request; undefined without one or when it did not start. Never rejects. */
  async resolve(requestContext: RequestContext): Promise<Workspace | undefined> {
    if (this.#factory === undefined) return this.#isReady ? this.#current : undefined;
    try {
      const made = await this.#factory({ requestContext });
      if (made !== undefined && !(made instanceof Workspace))
        throw invalidArgument(
          `The workspace factory of a harness returned ${wordsFor(made)}: expected a \`new Workspace({ root })\`, or nothing.`,
        );
      const isStarted = made !== undefined && (made.status === 'ready' || (await this.#begin(made)));
      this.#current = isStarted ? made : undefined;
      return this.#current;
    } catch (error) {
      this.#current = undefined;
      this.#failed(error);
      return undefined;
    }
  }

  /**
   * Like `resolve`, but without a request context returns the workspace that was resolved last; also tries again to start
   * a configured workspace that failed.
   */
  async retry(requestContext?: RequestContext): Promise<Workspace | undefined> {
    if (this.#factory === undefined && !this.#isReady) await this.start();
    const isCached = requestContext === undefined && this.#current?.status === 'ready';
    return isCached ? this.#current : this.resolve(requestContext ?? new RequestContext());
  }

  /** Destroys a configured workspace; workspaces of a factory belong to the factory. */
  async destroy(): Promise<void> {
    const fixed = this.#fixed;
    if (fixed === undefined) return;
    this.#fixed = this.#current = undefined;
    this.#isReady = false;
    const { emit } = this.#options;
    emit({ type: 'workspace_status_changed', status: 'destroying' });
    try {
      await fixed.destroy();
      emit({ type: 'workspace_status_changed', status: 'destroyed' });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Destroys a workspace that the harness created from its config; an instance belongs to its creator. */
  async close(): Promise<void> {
    if (this.#fixed !== undefined && this.#fixed !== this.#options.source) await this.destroy();
  }

  /** The category of a workspace tool by its exposed name; null for any other tool. */
  findCategory(toolName: string): ToolCategory | null {
    return (this.#fixed ?? this.#current)?.toolCategory(toolName) ?? null;
  }

  /** Starts a workspace once at a time; returns whether it is ready. */
  #begin(workspace: Workspace): Promise<boolean> {
    const starting = this.#starting.get(workspace) ?? this.#init(workspace);
    this.#starting.set(workspace, starting);
    return starting.finally(() => this.#starting.delete(workspace));
  }

  async #init(workspace: Workspace): Promise<boolean> {
    const { emit } = this.#options;
    emit({ type: 'workspace_status_changed', status: 'initializing' });
    try {
      await workspace.init();
    } catch (error) {
      if (this.#factory !== undefined || this.#fixed === workspace) this.#failed(error);
      return false;
    }
    emit({ type: 'workspace_status_changed', status: 'ready' });
    emit({ type: 'workspace_ready', workspaceId: workspace.id, workspaceName: workspace.name });
    return true;
  }

  #failed(cause: unknown): void {
    const error = asError(cause);
    this.#options.emit({ type: 'workspace_status_changed', status: 'error', error });
    this.#options.emit({ type: 'workspace_error', error });
  }
}
