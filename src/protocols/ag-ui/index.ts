/**
 * The AG-UI protocol, for CopilotKit and other clients of 1.0 and 0.0.59.
 * @module
 */
export { type AgUiEncoder, agUiEncoder, type AgUiOptions } from './ag-ui-encoder.ts';
export {
  type AgUiContentPart,
  type AgUiEvent,
  type AgUiInterrupt,
  type AgUiMessage,
  type AgUiMetadata,
  type AgUiOutcome,
  type AgUiSource,
  type AgUiState,
  type AgUiToolCall,
  type AgUiVersion,
  agUiVersions,
} from './ag-ui-event.ts';
export { agUiFraming } from './ag-ui-framing.ts';
export { agUiMessages } from './ag-ui-messages.ts';
