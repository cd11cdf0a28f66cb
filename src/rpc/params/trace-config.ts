// The options of debug_trace… (geth's TraceConfig). `timeout` and `reexec` are ignored: a trace has the deadline of any call, and
// all state is stored.
// Tested by src/rpc/params/params.test.ts
import type { Overrides, TracerChoice } from '../../chain/computation.ts'
import { noOverrides } from '../../chain/computation.ts'
import { Fault } from '../../base/fault.ts'
import {
  type Members,
  type Reading,
  quoteForMessage,
  readBoolean,
  readMembers,
  readOptional,
  readString,
  readUint,
  refuseArgument,
} from './arguments.ts'
import { readBlockOverrides, readStateOverrides } from './overrides.ts'

export type TraceCallConfig = {
  readonly tracer: TracerChoice
  readonly overrides: Overrides
  /** Why Cairn cannot run this trace, although a node may; `tracer` is then the default. Null: it can. */
  readonly unsupported: string | null
}

const tracerNames: ReadonlySet<string> = new Set([
  'callTracer',
  'prestateTracer',
  '4byteTracer',
  'noopTracer',
])

/** The tracer if the client sends no config. */
export const structLogger: TracerChoice = {
  kind: 'struct',
  disableStorage: false,
  disableStack: false,
  enableMemory: false,
  enableReturnData: false,
  limit: 0,
}

export const plainTrace: TraceCallConfig = {
  tracer: structLogger,
  overrides: noOverrides,
  unsupported: null,
}

/** Throws `bad_params`, also for an unsupported tracer. */
export function parseTraceConfig(value: unknown, position: number): TracerChoice {
  const reading = { position, path: 'TraceConfig' }
  const members = readMembers(value, reading, 'tracers.TraceConfig')
  const unsupported = findUnsupportedTracer(members, reading)
  if (unsupported !== null) throw refuseArgument(position, unsupported)
  return readTracer(members, reading)
}

/** As `parseTraceConfig` for debug_traceCall, which also takes overrides. Reports an unsupported tracer in the result. */
export function parseTraceCallConfig(value: unknown, position: number): TraceCallConfig {
  const reading = { position, path: 'TraceCallConfig' }
  const members = readMembers(value, reading, 'tracers.TraceCallConfig')
  const unsupported =
    (members.get('txIndex') ?? null) === null
      ? findUnsupportedTracer(members, reading)
      : 'txIndex is not supported: a call is traced on the state after a block'
  const state = readOptional(members, 'stateOverrides', reading, readStateOverrides)
  const block = readOptional(members, 'blockOverrides', reading, readBlockOverrides)
  return {
    tracer: unsupported === null ? readTracer(members, reading) : structLogger,
    overrides: { state: state ?? [], block: block ?? {} },
    unsupported,
  }
}

function findUnsupportedTracer(members: Members, reading: Reading): string | null {
  const name = readOptional(members, 'tracer', reading, readString) ?? ''
  if (name === '' || tracerNames.has(name)) return null
  const offered = [...tracerNames].join(', ')
  return `tracer ${quoteForMessage(name)} is not supported, only ${offered} and none`
}

/** Reads a supported tracer. */
function readTracer(members: Members, reading: Reading): TracerChoice {
  const name = readOptional(members, 'tracer', reading, readString) ?? ''
  const config =
    readOptional(members, 'tracerConfig', reading, (value, at) =>
      readMembers(value, at, 'object'),
    ) ?? new Map<string, unknown>()
  const tracerFlag = (name: string) => readOptional(config, name, reading, readBoolean) ?? false
  const flag = (name: string) => readOptional(members, name, reading, readBoolean) ?? false
  switch (name) {
    case '':
      return {
        kind: 'struct',
        disableStorage: flag('disableStorage'),
        disableStack: flag('disableStack'),
        enableMemory: flag('enableMemory'),
        enableReturnData: flag('enableReturnData'),
        limit: readOptional(members, 'limit', reading, readUint) ?? 0,
      }
    case 'callTracer':
      return {
        kind: 'call',
        onlyTopCall: tracerFlag('onlyTopCall'),
        withLog: tracerFlag('withLog'),
      }
    case 'prestateTracer': {
      if (tracerFlag('diffMode') && tracerFlag('includeEmpty')) {
        throw new Fault('execution_failed', { detail: 'cannot use diffMode with includeEmpty' })
      }
      return {
        kind: 'prestate',
        diffMode: tracerFlag('diffMode'),
        disableCode: tracerFlag('disableCode'),
        disableStorage: tracerFlag('disableStorage'),
        includeEmpty: tracerFlag('includeEmpty'),
      }
    }
    case '4byteTracer':
      return { kind: '4byte' }
    default:
      return { kind: 'noop' }
  }
}
