// Hot reads by number behind an upstream: the block of the number comes from memory, so the upstream receives no call.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { InvalidReply } from '../fakes/upstream/stub-knobs.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { until } from '../fakes/until.ts'
import { rpc, startCairn, temporaryFolder } from '../started-server.ts'

test('a read at a number that was read before makes no upstream call, without finality', async (t) => {
  const chain = await openStubChain()
  const falsify: InvalidReply = ({ params }) =>
    params[0] === 'safe' || params[0] === 'finalized' ? { result: null } : null
  const stub = await startStubUpstream(t, chain, { blocks: 44, knobs: { falsify } })
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'cairn.yaml')
  // Polls would be calls too, so they are far apart.
  await writeFile(
    file,
    `networks:
  - name: recorded
    chainId: ${chain.chainId}
    heads: {pollMs: 600000, maxAgeMs: 86400000}
    upstreams: [{url: "${stub.url}", name: node, wsUrl: null}]
`,
  )
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  const read = async (number: number): Promise<unknown> => {
    const block = `0x${number.toString(16)}`
    const { result } = await rpc(server.url, server.apiKey, 'eth_getBlockByNumber', [block, false])
    return result
  }
  for (const number of [43, 30, 20]) {
    const first = await read(number)
    assert.equal((first as { number: string }).number, `0x${number.toString(16)}`)
    // The blocks down to this one are added after the first answer.
    await until(async () => {
      const before = stub.count()
      assert.deepEqual(await read(number), first)
      assert.equal(stub.count(), before)
    })
  }
})
