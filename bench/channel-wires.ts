/** A message of a recorded stream, parsed. */
export type Message = Readonly<Record<string, unknown>>;

/** How the requests to a program and their responses are recognised in the messages of a protocol. */
export interface Wire {
  /** The id of a request to the program, and what requests of the same kind have in common. */
  request(message: Message): { readonly id: unknown; readonly kind: unknown } | undefined;
  /** The id of the request that a message of the program responds to. */
  respondsTo(message: Message): unknown;
  /** The response with the id of another request. */
  withId(message: Message, id: unknown): Message;
  isPrompt(message: Message): boolean;
  /** What the program reports before the first request, where the recorded client did not need it. */
  readonly opening?: readonly Message[];
  /** The responses to requests that the recorded client did not make, by their kind. */
  readonly unrecorded?: Readonly<Record<string, Message>>;
}

const streamJson: Wire = {
  request: ({ type, request_id: id, request }) =>
    type === 'control_request' ? { id, kind: (request as Message)['subtype'] } : undefined,
  respondsTo: ({ type, response }) =>
    type === 'control_response' ? (response as Message | undefined)?.['request_id'] : undefined,
  withId: (message, id) => ({ ...message, response: { ...(message['response'] as Message), request_id: id } }),
  isPrompt: ({ type }) => type === 'user',
};

const jsonRpc = (promptMethod: string): Wire => ({
  request: ({ id, method }) => (id === undefined || method === undefined ? undefined : { id, kind: method }),
  respondsTo: ({ id, method }) => (method === undefined ? id : undefined),
  withId: (message, id) => ({ ...message, id }),
  isPrompt: ({ method }) => method === promptMethod,
});

const piState = { sessionId: 'session-1', model: { provider: 'fake', id: 'fake-model' }, isStreaming: false };

const piRpc: Wire = {
  request: ({ id, type }) => (id === undefined || type === 'extension_ui_response' ? undefined : { id, kind: type }),
  respondsTo: ({ id, type }) => (type === 'response' ? id : undefined),
  withId: (message, id) => ({ ...message, id }),
  isPrompt: ({ type }) => type === 'prompt',
  opening: [
    {
      type: 'extension_ui_request',
      id: 's',
      method: 'setStatus',
      statusKey: 'singletree',
      statusText: 'asks before every call',
    },
  ],
  unrecorded: { get_state: { type: 'response', command: 'get_state', success: true, data: piState } },
};

const serve: Wire = {
  request: ({ id, path }) => (path === undefined ? undefined : { id: id ?? path, kind: path }),
  respondsTo: ({ status, path }) => (status === undefined ? undefined : path),
  withId: ({ status, body, response }, id) => ({
    response: response === undefined ? { id, status, body: valueOf(body) } : { ...(response as Message), id },
  }),
  isPrompt: ({ path }) => String(path).endsWith('/prompt_async'),
  unrecorded: {
    '/agent': {
      response: {
        status: 200,
        body: [{ name: 'build', mode: 'primary', permission: [{ permission: '*', pattern: '*', action: 'ask' }] }],
      },
    },
  },
};

function valueOf(body: unknown): unknown {
  return typeof body === 'string' && body !== '' ? JSON.parse(body) : body;
}

/** The protocols of the channels, by the name in their adapter. */
export const wires: Readonly<Record<string, Wire>> = {
  'stream-json': streamJson,
  'app-server': jsonRpc('turn/start'),
  rpc: piRpc,
  serve,
  ACP: jsonRpc('session/prompt'),
};
