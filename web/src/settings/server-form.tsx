import { useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';

/** Adds a server of models with an API like OpenAI's. */
export function ServerForm({ client, onStored }: { client: Client; onStored: () => void }) {
  const [id, setId] = useState('');
  const [baseURL, setBaseURL] = useState('');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const store = async () => {
    try {
      await client.storeProvider({ id, baseURL, ...(key !== '' && { key }) });
      for (const clear of [setId, setBaseURL, setKey]) clear('');
      setProblem(undefined);
      onStored();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <form
      className="settings-form"
      aria-label="Add a server"
      onSubmit={event => {
        event.preventDefault();
        void store();
      }}
    >
      <label>
        Name
        <input className="field" value={id} placeholder="office" onChange={event => setId(event.target.value.trim())} />
      </label>
      <label>
        Address
        <input
          className="field"
          inputMode="url"
          placeholder="http://127.0.0.1:8000/v1"
          value={baseURL}
          onChange={event => setBaseURL(event.target.value.trim())}
        />
      </label>
      <label>
        Key, when it needs one
        <input
          type="password"
          className="field"
          autoComplete="off"
          value={key}
          onChange={event => setKey(event.target.value.trim())}
        />
      </label>
      <button type="submit" className="button" disabled={id === '' || baseURL === ''}>
        Add server
      </button>
      {problem !== undefined && (
        <span className="settings-result" role="alert" data-tone="bad">
          {problem}
        </span>
      )}
    </form>
  );
}
