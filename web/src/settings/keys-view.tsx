import '../styles/views.css';
import '../styles/settings.css';
import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { ModelProviderBody, ModelProviderInfo, ModelProviderTest } from '../../../src/protocols/http-settings.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { ServerForm } from './server-form.tsx';

interface KeysViewProps extends Pick<PageProps, 'client' | 'onMenu'> {
  /** Is called when other models can be used than before. */
  readonly onChange: () => void;
}

/** The keys of providers and the servers of models: entered, tested and removed without a restart. */
export function KeysView({ client, onMenu, onChange }: KeysViewProps) {
  const load = useCallback(() => client.listProviders(), [client]);
  const { value: providers, problem, reload } = useLoaded(load);
  const changed = () => {
    reload();
    onChange();
  };
  const keyed = providers?.filter(({ variable }) => variable !== undefined) ?? [];
  const servers = providers?.filter(({ variable }) => variable === undefined) ?? [];
  const isUsed = ({ source }: ModelProviderInfo) => source !== 'none';
  return (
    <main className="main">
      <TopBar title="Models and keys" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column settings-view">
          <p className="view-note">
            Keys are kept in a file on the machine of the server that only you can read. They are never shown again,
            never in a conversation, and not passed to the programs of agents. A variable of the environment goes first.
          </p>
          {problem !== undefined && <ViewProblem problem={problem} onRetry={reload} />}
          {providers === undefined && problem === undefined && <ViewState title="Loading…" />}
          {providers !== undefined && (
            <>
              <section aria-labelledby="providers">
                <h2 id="providers">Providers</h2>
                <ul className="settings-rows">
                  {[...keyed.filter(isUsed), ...keyed.filter(each => !isUsed(each))].map(provider => (
                    <ProviderRow key={provider.id} client={client} provider={provider} onChange={changed} />
                  ))}
                </ul>
              </section>
              <section aria-labelledby="servers">
                <h2 id="servers">Servers of models</h2>
                <p className="settings-facts">
                  Ollama, LM Studio, llama.cpp and vLLM on this machine are found by themselves.
                </p>
                <ul className="settings-rows">
                  {servers.map(provider => (
                    <ProviderRow key={provider.id} client={client} provider={provider} onChange={changed} />
                  ))}
                </ul>
                <ServerForm client={client} onStored={changed} />
              </section>
            </>
          )}
        </div>
      </div>
    </main>
  );
}

interface ProviderRowProps {
  readonly client: Client;
  readonly provider: ModelProviderInfo;
  readonly onChange: () => void;
}

function ProviderRow({ client, provider, onChange }: ProviderRowProps) {
  const { id, name, variable, source, isStored } = provider;
  const [isEntering, setEntering] = useState(false);
  const [test, setTest] = useState<ModelProviderTest | 'running'>();
  const [problem, setProblem] = useState<string>();
  const act = async (action: () => Promise<unknown>) => {
    setProblem(undefined);
    setTest(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const runTest = async () => {
    setTest('running');
    setTest(
      await client.testProvider(id).catch((error: unknown) => ({ isWorking: false, ms: 0, problem: errorText(error) })),
    );
  };
  const store = (body: ModelProviderBody) =>
    act(async () => {
      await client.storeProvider(body);
      setEntering(false);
      onChange();
      await runTest();
    });
  return (
    <li aria-label={name}>
      <div className="settings-row">
        <span>
          <strong>{name}</strong>
          <span className="settings-facts">{describeSource(provider)}</span>
        </span>
        {variable !== undefined && !isEntering && (
          <button type="button" className="button" onClick={() => setEntering(true)}>
            {isStored ? 'Replace key' : 'Enter key'}
          </button>
        )}
        {source !== 'none' && (
          <button type="button" className="button" disabled={test === 'running'} onClick={() => void act(runTest)}>
            Test
          </button>
        )}
        {isStored && (
          <button
            type="button"
            className="button"
            onClick={() =>
              void act(async () => {
                await client.removeProvider(id);
                onChange();
              })
            }
          >
            Remove
          </button>
        )}
      </div>
      {isEntering && <KeyForm name={name} onStore={key => store({ id, key })} onCancel={() => setEntering(false)} />}
      {test === 'running' && <span className="settings-facts">Testing…</span>}
      {test !== undefined && test !== 'running' && (
        <span className="settings-result" role="status" data-tone={test.isWorking ? 'good' : 'bad'}>
          {test.isWorking ? `Works: ${test.model ?? 'it'} answered in ${test.ms} ms.` : test.problem}
        </span>
      )}
      {problem !== undefined && (
        <span className="settings-result" role="alert" data-tone="bad">
          {problem}
        </span>
      )}
    </li>
  );
}

function describeSource({ source, variable, baseURL, models = [], isStored }: ModelProviderInfo): string {
  if (variable === undefined) {
    const origin = { found: 'on this machine', configuration: 'from the configuration' }[source as string] ?? baseURL;
    return `${origin ?? ''} · ${models.length === 0 ? 'no models listed' : models.slice(0, 4).join(', ')}`;
  }
  if (source === 'environment') return `key from ${variable}${isStored ? '; the stored key is not used' : ''}`;
  return source === 'stored' ? 'stored key' : `no key: enter one, or set ${variable}`;
}

interface KeyFormProps {
  readonly name: string;
  readonly onStore: (key: string) => Promise<void>;
  readonly onCancel: () => void;
}

function KeyForm({ name, onStore, onCancel }: KeyFormProps) {
  const [key, setKey] = useState('');
  return (
    <form
      className="settings-form"
      onSubmit={event => {
        event.preventDefault();
        void onStore(key.trim());
      }}
    >
      <label>
        Key of {name}
        <input
          type="password"
          className="field"
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={event => setKey(event.target.value)}
        />
      </label>
      <button type="submit" className="button primary" disabled={key.trim() === ''}>
        Save and test
      </button>
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
