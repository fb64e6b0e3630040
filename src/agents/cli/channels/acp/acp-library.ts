/** The part of the client library that is used; loaded when the first session opens. */
export { type ClientConnection, client, RequestError } from '@agentclientprotocol/sdk';
