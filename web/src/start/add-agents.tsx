import type { SetupInfo } from '../../../src/protocols/http-agents.ts';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import { CopyButton } from '../parts/copy-button.tsx';

interface AddAgentsProps {
  readonly setup: SetupInfo;
  readonly hasCoder: boolean;
  readonly open: (address: Address) => void;
}

/** How to add agents and models that were not found; two lines at once when the coding agent has no model. */
export function AddAgents({ setup, hasCoder, open }: AddAgentsProps) {
  const missing = setup.agents.filter(({ isInstalled }) => !isInstalled);
  const keys = setup.keys.filter(({ isSet }) => !isSet);
  const found = setup.keys.filter(({ isSet }) => isSet);
  if (missing.length + keys.length === 0) return null;
  const [first, second] = keys.map(({ variable }) => variable);
  return (
    <div className="add-agents">
      {!hasCoder && first !== undefined && (
        <p className="no-key" role="note">
          {setup.hasKeys === true ? (
            <>
              No model yet:{' '}
              <ViewLink to={{ section: 'models' }} open={open}>
                enter a key
              </ViewLink>
              , or start Ollama.
            </>
          ) : (
            <>
              No model yet: set {first}
              {second !== undefined && ` or ${second}`} and start the server again, or start Ollama.
            </>
          )}
          <br />
          Until then the demo shows everything: it is scripted, and needs no key.
        </p>
      )}
      <details>
        <summary>Add agents and models</summary>
        <div className="add-columns">
          {keys.length > 0 && (
            <section>
              <h3>Models for the coding agent</h3>
              <p>
                {found.length > 0 && `Found: ${found.map(({ name }) => name).join(', ')}. `}
                {setup.hasKeys === true ? (
                  <ViewLink to={{ section: 'models' }} open={open}>
                    Enter a key here
                  </ViewLink>
                ) : (
                  'Set a key, then start the server again'
                )}
                :
              </p>
              <ul>
                {keys.map(({ name, variable }) => (
                  <li key={variable}>
                    <span>{name}</span>
                    <Command text={`export ${variable}=…`} />
                  </li>
                ))}
              </ul>
              <p>Models on this machine (Ollama, LM Studio, llama.cpp, vLLM) are found by themselves.</p>
            </section>
          )}
          {missing.length > 0 && (
            <section>
              <h3>Agents to install</h3>
              <ul>
                {missing.map(({ id, name, install }) => (
                  <li key={id}>
                    <span>{name}</span>
                    <Command text={install} />
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      </details>
    </div>
  );
}

function Command({ text }: { text: string }) {
  return (
    <span className="command-line">
      <code>{text}</code>
      <CopyButton text={text} look="icon" />
    </span>
  );
}
