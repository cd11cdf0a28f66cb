// Traces of calls on proved state equal those of geth, and of op-geth: generated calls on each fork, with each tracer. CAIRN_CALLS
// sets the number of calls per fork, CAIRN_SEED the first seed.
import { test } from 'node:test'
import { type Geth, missingGeth, missingOpGeth, startGeth, startOpGeth } from '../engines/geth.ts'
import {
  assertSameCalls,
  callsEach,
  plain,
  type Reply,
  seed,
  startBehindGeth,
} from './behind-geth.ts'
import { forks, type GeneratedChain, generateChain } from './generated-contracts.ts'

const tracers: readonly object[] = [
  {},
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } },
  { enableMemory: true, enableReturnData: true },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
]

/** op-geth writes words of the default tracer without `0x`, and lists a vault that no call uses before the accounts. */
const opTracers: readonly object[] = [
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: '4byteTracer' },
]

for (const [index, fork] of forks.entries()) {
  test(
    `${callsEach} generated calls on ${fork} have the traces of geth, with a proof`,
    { skip: missingGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const chain = generateChain(seed + 200 + index, fork)
      await assertSameTraces(t, await startGeth(t, chain.genesis), chain)
    },
  )
}

test(
  `${callsEach} generated calls of an OP Stack chain have the traces of op-geth, with a proof`,
  { skip: missingOpGeth(), timeout: 600_000 },
  async (t) => {
    const chain = generateChain(seed + 300, 'prague')
    const times = ['regolith', 'canyon', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus']
    const config = {
      ...(chain.genesis['config'] as object),
      // The OP Stack has no blobs.
      blobSchedule: undefined,
      bedrockBlock: 0,
      ...Object.fromEntries(times.map((name) => [`${name}Time`, 0])),
      optimism: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
    }
    const geth = await startOpGeth(t, { ...chain.genesis, config })
    await assertSameTraces(t, geth, chain, opTracers)
  },
)

async function assertSameTraces(
  t: { after(end: () => unknown): void },
  geth: Geth,
  { nextCall }: GeneratedChain,
  of: readonly object[] = tracers,
): Promise<void> {
  const cairn = await startBehindGeth(t, geth)
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
    if (!isLast || endings.has(step.op)) return step
    const { error: _, gasCost: __, ...rest } = step
    return rest
  })
}

const noHash = `0x${'00'.repeat(32)}`

function withoutAbsent(post: Json): Json {
  const isAbsent = (account: unknown) =>
    Object.keys(account as Json).length === 1 && (account as Json)['codeHash'] === noHash
  return Object.fromEntries(Object.entries(post).filter(([, account]) => !isAbsent(account)))
}
