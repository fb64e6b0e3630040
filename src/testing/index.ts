/**
 * The test kit: a scripted model, a scripted model server, and the conformance suite of the log.
 * @module
 */
export {
  type MalformedToolCall,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedFailure,
  type ScriptedFinish,
  type ScriptedPart,
  type ScriptedToolCall,
  type ScriptedTurn,
  type ScriptedUsage,
  scriptByStep,
  type TurnTraits,
} from '../agents/model/scripted/script.ts';
export {
  type Delay,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '../agents/model/scripted/scripted-model.ts';
export type {
  ScriptedApi,
  ScriptedRequest,
  SeenMessage,
  SeenToolCall,
  SeenToolResult,
} from '../agents/model/scripted/scripted-request.ts';
export {
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from './scripted-server.ts';
export { type LogUnderTest, logConformance, type TestRunner } from './log-conformance.ts';
