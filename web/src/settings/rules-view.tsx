import '../styles/views.css';
import '../styles/settings.css';
import { useCallback } from 'react';
import type { RulesInfo } from '../../../src/protocols/http-settings.ts';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { useProjects } from '../projects/use-projects.ts';
import { Grants } from './grant-list.tsx';
import { RuleTable } from './rule-table.tsx';

interface RulesViewProps extends Pick<PageProps, 'client' | 'onMenu'> {
  readonly open: (address: Address) => void;
}

/** Everything that decides about the calls of agents in a project: rules with their sources, grants, MCP servers, skills. */
export function RulesView({ client, onMenu, open }: RulesViewProps) {
  const folder = useProjects()?.current?.folder;
  const load = useCallback(async () => {
    const [rules, grants] = await Promise.all([client.getRules({ folder }), client.listGrants()]);
    return { rules, grants };
  }, [client, folder]);
  const { value, problem, reload } = useLoaded(load);
  return (
    <main className="main">
      <TopBar title="Rules" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column settings-view">
          {problem !== undefined && <ViewProblem problem={problem} onRetry={reload} />}
          {value === undefined && problem === undefined && <ViewState title="Loading…" />}
          {value !== undefined && (
            <>
              <RuleTable
                {...value.rules}
                onRevoke={async id => {
                  await client.removeRule(id);
                  reload();
                }}
              />
              <Grants
                grants={value.grants}
                open={open}
                onRevoke={async ({ threadId, relayId }) => {
                  await client.revokeGrant(threadId, relayId);
                  reload();
                }}
              />
              <Servers servers={value.rules.servers} />
              <Skills skills={value.rules.skills} />
            </>
          )}
        </div>
      </div>
    </main>
  );
}

const states = { connected: 'connected', down: 'not available', closed: 'closed', unused: 'not started: no model yet' };

function Servers({ servers }: Pick<RulesInfo, 'servers'>) {
  return (
    <section aria-labelledby="mcp">
      <h2 id="mcp">MCP servers</h2>
      {servers.length === 0 && <p className="settings-facts">None: "mcpServers" of the configuration names them.</p>}
      <ul className="settings-rows">
        {servers.map(({ name, source, state, problem, tools }) => (
          <li key={name} aria-label={name}>
            <span>
              <strong>{name}</strong> · {states[state]}
            </span>
            {problem !== undefined && (
              <span className="settings-result" data-tone="bad">
                {problem}
              </span>
            )}
            <span className="settings-facts">
              {tools.length === 0 ? 'no tools' : tools.join(', ')} · from {source}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Skills({ skills }: Pick<RulesInfo, 'skills'>) {
  return (
    <section aria-labelledby="skills">
      <h2 id="skills">Skills</h2>
      {skills.length === 0 && <p className="settings-facts">None were found.</p>}
      <ul className="settings-rows">
        {skills.map(({ name, description, path }) => (
          <li key={path} aria-label={name}>
            <span>
              <strong>{name}</strong>
              <span className="settings-facts">{description}</span>
              <span className="settings-facts">{path}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
