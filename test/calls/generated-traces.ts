// Compares traces of generated calls on proved state with those of geth and op-geth, with each tracer.
import type { Geth } from '../engines/geth.ts'
import { assertSameCalls, type CairnWithGeth, callsEach, plain, type Reply } from './behind-geth.ts'
import type { GeneratedChain } from './generated-contracts.ts'

const tracers: readonly object[] = [
  {},
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } },
  { enableMemory: true, enableReturnData: true },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
]

/** op-geth writes words of the default tracer without `0x`, and lists a vault that no call uses before the accounts. */
export const opTracers: readonly object[] = [
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: '4byteTracer' },
]

/** `of`: the tracers, which take turns. */
export async function assertSameTraces(
  geth: Geth,
  cairn: CairnWithGeth,
  { nextCall }: GeneratedChain,
  of: readonly object[] = tracers,
): Promise<void> {
  let at = 0
  await assertSameCalls(geth, cairn, {
    count: callsEach,
    method: 'debug_traceCall',
    nextCall() {
      const [call, block, stateOverrides] = nextCall()
      const tracer = of[at++ % of.length]
      return [call, block, { ...tracer, ...(stateOverrides !== undefined && { stateOverrides }) }]
    },
    view,
  })
}

/** Removes the differences of traces that docs/reference/differences.md lists. */
function view(reply: Reply): Reply {
  const shown = plain(reply)
  return shown.error === undefined ? { result: withoutDifferences(shown.result) } : shown
}

type Json = Readonly<Record<string, unknown>>

function withoutDifferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDifferences)
  if (typeof value !== 'object' || value === null) return value
  const { error, structLogs, post, ...rest } = value as Json
  return {
    ...Object.fromEntries(
      Object.entries(rest).map(([name, member]) => [name, withoutDifferences(member)]),
    ),
    ...(error !== undefined && { error: error === 'execution reverted' ? error : 'failed' }),
    ...(structLogs !== undefined && { structLogs: stepsOf(structLogs as readonly Step[]) }),
    ...(post !== undefined && { post: withoutAbsent(post as Json) }),
  }
}

type Step = Json & { readonly op: string; readonly depth: number }

const endings: ReadonlySet<string> = new Set(['STOP', 'RETURN', 'REVERT', 'SELFDESTRUCT'])

/** Steps for comparison; omits price and cause of an instruction at which its frame failed. */
function stepsOf(steps: readonly Step[]): readonly unknown[] {
  return steps.map((step, index) => {
    const isLast = (steps[index + 1]?.depth ?? 0) < step.depth
    const { error, gasCost: _, ...rest } = step
    if (!isLast || (endings.has(step.op) && error === undefined)) return step
    return rest
  })
}

const noHash = `0x${'00'.repeat(32)}`

function withoutAbsent(post: Json): Json {
  const isAbsent = (account: unknown) =>
    Object.keys(account as Json).length === 1 && (account as Json)['codeHash'] === noHash
  return Object.fromEntries(Object.entries(post).filter(([, account]) => !isAbsent(account)))
}
