import type { LiveStart, SessionProblem } from '../../contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import type { RpcConnection } from '../json-rpc.ts';
import type { AcpProfile } from './profile.ts';
import { failureText } from './turn.ts';

interface SettingsOptions {
  readonly rpc: RpcConnection;
  readonly profile: AcpProfile;
  readonly start: LiveStart;
}

/** The mode, the model and the options of a session: changes them and verifies that the program did. */
export class SessionSettings {
  readonly #options: SettingsOptions;
  readonly #values = new Map<string, unknown>();
  sessionId = '';
  /** The name by which the session was resumed. */
  sessionName: string | undefined;
  mode: string | undefined;
  model: string | undefined;
  #modes: readonly string[] = [];
  #modelOption: string | undefined;

  constructor(options: SettingsOptions) {
    this.#options = options;
  }

  /** The session as events name it. */
  get reportedId(): string {
    return this.sessionName ?? this.sessionId;
  }

  /** Reads the answer to `session/new`, `session/load` or `session/fork`. */
  read(result: WireRecord): void {
    const modes = toRecord(result['modes']);
    const models = toRecord(result['models']);
    this.sessionId = toText(result['sessionId']) ?? this.sessionId;
    this.#modes = toList(modes?.['availableModes']).flatMap(mode => toText(toRecord(mode)?.['id']) ?? []);
    this.mode = toText(modes?.['currentModeId']) ?? this.mode;
    this.model = toText(models?.['currentModelId']) ?? this.model;
    this.readOptions(result['configOptions']);
  }

  /** Reads the options in an answer or a `config_option_update`. */
  readOptions(options: unknown): void {
    for (const value of toList(options)) {
      const option = toRecord(value);
      const id = toText(option?.['id']);
      if (id === undefined) continue;
      this.#values.set(id, option?.['currentValue']);
      if (option?.['category'] === 'mode') this.mode = toText(option['currentValue']) ?? this.mode;
      if (option?.['category'] !== 'model' && id !== 'model') continue;
      if (id === 'provider') continue;
      this.#modelOption = id;
      this.model = toText(option?.['currentValue']) ?? this.model;
    }
  }

  /** The name of the model in use. */
  get modelName(): string | undefined {
    const { modelName = (id: string) => id } = this.#options.profile;
    return this.model === undefined ? undefined : modelName(this.model);
  }

  /** The mode in which the program asks, or the one in which it does not when everything is allowed. */
  get normalMode(): string | undefined {
    const { profile, start } = this.#options;
    return start.yolo === true ? (profile.modes.yolo ?? profile.modes.ask) : profile.modes.ask;
  }

  /** Whether this mode lets calls run unasked although not everything is allowed. */
  isUnsafe(mode: string): boolean {
    const { profile, start } = this.#options;
    return start.yolo !== true && profile.modes.unsafe?.includes(mode) === true;
  }

  /** Changes the settings that differ and calls the callback, with a problem if the program refuses a change. */
  apply(
    wanted: { readonly mode?: string | undefined; readonly model?: string | undefined },
    done: (problem?: SessionProblem) => void,
  ): void {
    const { profile, start } = this.#options;
    const mode = wanted.mode ?? this.normalMode;
    const model = wanted.model ?? profile.model?.(start.environment);
    const steps: ((next: (problem?: SessionProblem) => void) => void)[] = [];
    for (const { id, ask, yolo } of profile.askOptions ?? [])
      steps.push(next => this.#setOption(id, start.yolo === true ? yolo : ask, next));
    if (mode !== undefined) steps.push(next => this.#setMode(mode, next));
    if (model !== undefined && profile.switchModel !== 'start') steps.push(next => this.#setModel(model, next));
    const run = (index: number): void => {
      const step = steps[index];
      if (step === undefined) done();
      else step(problem => (problem === undefined ? run(index + 1) : done(problem)));
    };
    run(0);
  }

  #setMode(mode: string, next: (problem?: SessionProblem) => void): void {
    const { name } = this.#options.profile;
    if (this.isUnsafe(mode))
      return next({
        message: `The mode "${mode}" of ${name} runs calls without asking. Allow everything to use it.`,
        code: 'invalid_argument',
      });
    if (this.mode === mode) return next();
    if (this.#modes.length > 0 && !this.#modes.includes(mode)) {
      const message = `${name} has no mode "${mode}". Its modes: ${this.#modes.join(', ')}.`;
      return next({ message, code: 'invalid_argument' });
    }
    this.#request(
      'session/set_mode',
      { modeId: mode },
      `set the mode "${mode}"`,
      () => {
        this.mode = mode;
        next();
      },
      next,
    );
  }

  #setModel(model: string, next: (problem?: SessionProblem) => void): void {
    if (this.model === model) return next();
    const { switchModel } = this.#options.profile;
    const isOption = switchModel === 'config_option' || (switchModel === 'offered' && this.#modelOption !== undefined);
    const byOption = isOption ? (this.#modelOption ?? 'model') : undefined;
    const done = (result: WireRecord) => {
      this.readOptions(result['configOptions']);
      this.model = model;
      next();
    };
    if (byOption === undefined)
      this.#request('session/set_model', { modelId: model }, `use the model "${model}"`, done, next);
    else
      this.#request(
        'session/set_config_option',
        { configId: byOption, value: model },
        `use the model "${model}"`,
        done,
        next,
      );
  }

  #setOption(id: string, value: unknown, next: (problem?: SessionProblem) => void): void {
    if (this.#values.get(id) === value) return next();
    const { name } = this.#options.profile;
    const params = { configId: id, ...(typeof value === 'boolean' && { type: 'boolean' }), value };
    this.#request(
      'session/set_config_option',
      params,
      `set "${id}" to ${JSON.stringify(value)}`,
      result => {
        this.readOptions(result['configOptions']);
        if (this.#values.get(id) === value) return next();
        next({
          message: `${name} did not set "${id}" to ${JSON.stringify(value)}, so it might run calls without asking.`,
          code: 'ask_policy',
        });
      },
      next,
    );
  }

  #request(
    method: string,
    params: WireRecord,
    action: string,
    done: (result: WireRecord) => void,
    failed: (problem: SessionProblem) => void,
  ): void {
    const { rpc, profile } = this.#options;
    rpc.call(method, { sessionId: this.sessionId, ...params }, answer => {
      if (answer.error === undefined) return done(answer.result);
      failed({ message: `${profile.name} did not ${action}: ${failureText(answer.error)}`, code: 'ask_policy' });
    });
  }
}
