// Calls on proved state answer as geth does: return data, errors and gas of generated calls on each fork. CAIRN_CALLS sets
// how many calls of each fork run, CAIRN_SEED where they begin.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Geth, missingGeth, startGeth } from '../engines/geth.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'
import { forks, generateChain } from './generated-contracts.ts'

const callsEach = Number(process.env['CAIRN_CALLS'] ?? 100)
const seed = Number(process.env['CAIRN_SEED'] ?? 1)

for (const [index, fork] of forks.entries()) {
  test(
    `${callsEach} generated calls on ${fork} answer as geth does, with a proof`,
    { skip: missingGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const chain = generateChain(seed + index, fork)
      const geth = await startGeth(t, chain.genesis)
      const cairn = await startBehind(t, geth)
      const differences: unknown[] = []
      for (let count = 0; count < callsEach && differences.length < 5; count += 1) {
        const params = chain.nextCall()
        const [expected, answer] = await Promise.all([
          geth.call('eth_call', params),
          call(cairn, 'eth_call', params),
        ])
        const answered = { ...plain(answer), verified: answer.verified }
        const wanted = { ...plain(expected), verified: 'proof' }
        if (!isDeepStrictEqual(answered, wanted)) {
          differences.push({ count, params, answered, wanted })
        }
      }
      assert.deepEqual(differences, [])
    },
  )
}

type Reply = {
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly verified?: string
}

/** Behind "out of gas" geth states which of its own checks noticed it; that differs between its versions. */
function plain({ result, error }: Reply): Reply {
  if (error === undefined) return { result }
  const { message, ...rest } = error
  return { error: { ...rest, message: message.replace(/^out of gas: .*/, 'out of gas') } }
}

async function startBehind(t: { after(end: () => unknown): void }, geth: Geth): Promise<Started> {
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
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  return server
}

async function call(cairn: Started, method: string, params: readonly unknown[]): Promise<Reply> {
  const reply = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const verified = reply.headers.get('x-cairn-verified') ?? ''
  return { ...((await reply.json()) as Reply), verified }
}
