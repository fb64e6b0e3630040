/** The view that the page shows, as encoded in its URL. */
export type Address =
  | {
      readonly section: 'start';
      /** The agent to begin with. */
      readonly agent?: string;
      /** The folder to open as a project. */
      readonly project?: string;
    }
  | {
      readonly section: 'inbox';
      /** Shows the decisions that were made instead of the relays that are pending. */
      readonly view?: 'history';
      /** The relay that is open. */
      readonly relayId?: string;
    }
  | { readonly section: 'usage' }
  | {
      /** Nothing has this address. */
      readonly section: 'unknown';
      readonly path: string;
    }
  | { readonly section: 'sessions' }
  /** The keys of providers and the servers of models. */
  | { readonly section: 'models' }
  /** The rules that decide which calls of agents are allowed. */
  | { readonly section: 'rules' }
  | {
      readonly section: 'compare';
      /** The threads that are compared; a form to start some when there are none. */
      readonly threads: readonly string[];
    }
  | {
      readonly section: 'thread';
      readonly threadId: string;
      /** The view of the thread; the conversation when absent. */
      readonly view?: ThreadView;
      /** The event the view points at, by its `seq`. */
      readonly at?: number;
      /** The words of a search that led there. */
      readonly find?: string;
    };

/** The address of a thread. */
export type ThreadAddress = Address & { readonly section: 'thread' };

/** The views of a thread other than its conversation. */
export const threadViews = ['graph', 'runs', 'playback', 'repl'] as const;
export type ThreadView = (typeof threadViews)[number];

/** Reads an address. */
export function readAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Address {
  const [, section, id, view] = pathname.split('/');
  const query = new URLSearchParams(search);
  if (section === 'inbox') return inboxAddress(id, query);
  if (section === 'usage' || section === 'sessions' || section === 'models' || section === 'rules') return { section };
  if (section === 'compare') return { section, threads: (query.get('threads') ?? '').split(',').filter(Boolean) };
  if (section === undefined || section === '') {
    const agent = query.get('agent');
    const project = query.get('project');
    return { section: 'start', ...(agent && { agent }), ...(project && { project }) };
  }
  if (section !== 'threads' || !id) return { section: 'unknown', path: pathname };
  const at = Number(query.get('at') ?? Number.NaN);
  const find = query.get('find');
  return {
    section: 'thread',
    threadId: decodeURIComponent(id),
    ...(isThreadView(view) && { view }),
    ...(Number.isSafeInteger(at) && { at }),
    ...(find && { find }),
  };
}

/** Writes an address as `readAddress` reads it. */
export function writeAddress(address: Address): string {
  if (address.section === 'unknown') return address.path;
  if (address.section === 'start') return withQuery('/', { agent: address.agent, project: address.project });
  if (address.section === 'inbox')
    return withQuery(address.view === 'history' ? '/inbox/history' : '/inbox', { relay: address.relayId });
  if (address.section === 'compare') {
    const { threads } = address;
    return threads.length === 0 ? '/compare' : `/compare?threads=${threads.map(encodeURIComponent).join(',')}`;
  }
  if (address.section !== 'thread') return `/${address.section}`;
  const path = ['', 'threads', encodeURIComponent(address.threadId), ...(address.view ? [address.view] : [])].join('/');
  return withQuery(path, { at: address.at?.toString(), find: address.find });
}

function inboxAddress(view: string | undefined, query: URLSearchParams): Address {
  const relayId = query.get('relay');
  return { section: 'inbox', ...(view === 'history' && { view }), ...(relayId && { relayId }) };
}

function withQuery(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

function isThreadView(view: string | undefined): view is ThreadView {
  return threadViews.some(known => known === view);
}
