// A server that proves its answers behind a geth, for comparison.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Geth } from '../engines/geth.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

export type Reply = {
  readonly result?: unknown
  readonly error?: { readonly message: string }
  /** Header `x-cairn-verified`. */
  readonly verified?: string
}

export type CairnWithGeth = { call(method: string, params: readonly unknown[]): Promise<Reply> }

/** With `verify: require`: answers that cannot be proved are errors. Stops with the test. */
export async function startBehindGeth(
  t: { after(end: () => unknown): void },
  geth: Geth,
): Promise<CairnWithGeth> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'cairn.yaml')
  await writeFile(
    file,
    `networks:
  - name: generated
    chainId: 1337
    genesisFile: ${geth.genesisFile}
    verify: require
    upstreams: [{url: "${geth.url}", name: geth, wsUrl: null}]
`,
  )
  const cairn = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => cairn.stop())
  return {
    async call(method, params) {
      const reply = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const verified = reply.headers.get('x-cairn-verified') ?? ''
      return { ...((await reply.json()) as Reply), verified }
    },
  }
}

/**
 * Cuts the text after "out of gas" in which geth names the failed check: it differs between its versions. A note on the cap of the
 * server remains.
 */
export function plain({ result, error }: Reply): Reply {
  if (error === undefined) return { result }
  const { message, ...rest } = error
  return {
    error: { ...rest, message: message.replace(/^out of gas: [^(]*?(?=$| \()/, 'out of gas') },
  }
}

/** Number of calls of each generated chain, and the seed: CAIRN_CALLS, CAIRN_SEED. */
export const callsEach = Number(process.env['CAIRN_CALLS'] ?? 50)
export const seed = Number(process.env['CAIRN_SEED'] ?? 1)

const differencesMax = 5
/** A busy machine takes longer than the limit of a call for the heaviest calls. */
const tooBusy = /^execution aborted \(timeout = 5s\)$/
/** Share of the calls that may be refused as `tooBusy`. */
const busyShareMax = 0.05
/** Maximum number of characters of params in an error. */
const shownMax = 2_000

type Calls = {
  readonly count: number
  /** Params. */
  nextCall(): readonly unknown[]
  /** Default: `eth_call`. */
  readonly method?: string
  /** The part of both replies that is compared. */
  readonly view?: (reply: Reply) => Reply
  /** Refusals that do not count as a difference. */
  readonly mayRefuse?: RegExp
}

/** Asserts that each of `count` calls returns the node's result or error, with the label `proof`. */
export async function assertSameCalls(
  geth: Geth,
  cairn: CairnWithGeth,
  { count, nextCall, method = 'eth_call', view = plain, mayRefuse }: Calls,
): Promise<void> {
  const differences: unknown[] = []
  let busy = 0
  for (let index = 0; index < count && differences.length < differencesMax; index += 1) {
    const params = nextCall()
    const [expected, answer] = await Promise.all([
      geth.call(method, params),
      cairn.call(method, params),
    ])
    const refusal = answer.verified === 'none' ? (answer.error?.message ?? '') : ''
    if (mayRefuse?.test(refusal) === true) continue
    if (tooBusy.test(refusal) && ++busy <= Math.ceil(count * busyShareMax)) continue
    const answered = { ...view(answer), verified: answer.verified }
    const wanted = { ...view(expected), verified: 'proof' }
    if (isDeepStrictEqual(answered, wanted)) continue
    differences.push({ index, params: JSON.stringify(params).slice(0, shownMax), answered, wanted })
  }
  assert.deepEqual(differences, [])
}
