// `cairn upstreams` with and without a running server: health is only known while the server runs, invalid replies remain in the
// log.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { runCli, startCairn, temporaryFolder } from '../started-server.ts'

type Found = {
  readonly running: boolean
  readonly upstreams: readonly {
    readonly upstream: string
    readonly live: { readonly state: string; readonly head: string } | null
    readonly asked: { readonly reachable: boolean; readonly archive: boolean } | null
    readonly lies: number
  }[]
  readonly lies: readonly {
    readonly upstream: string
    readonly method: string
    readonly response?: string
  }[]
}

const contract = testChain.emitter

test(
  'upstreams are listed with health and invalid replies, and with unknown health after the server stopped',
  { timeout: 300_000 },
  async (t) => {
    const chain = await openStubChain()
    const honest = await startStubUpstream(t, chain)
    const faulty = await startStubUpstream(t, chain)
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const file = join(dataDir, 'cairn.yaml')
    await writeFile(
      file,
      `networks:
  - name: recorded
    chainId: ${chain.chainId}
    heads: {pollMs: 100}
    upstreams:
      - {url: "${faulty.url}/key-7654321", name: faulty}
      - {url: "${honest.url}", name: honest, trusted: true}
`,
    )
    const command = (...more: string[]) =>
      runCli([
        'upstreams',
        '--config',
        file,
        '--data-dir',
        dataDir,
        '--json',
        ...more,
      ]) as Promise<unknown> as Promise<Found>
    const server = await startCairn({ dataDir, args: ['--config', file] })
    try {
      faulty.knobs.falsify = async ({ method }, reply) => {
        if (method !== 'eth_getProof' || !('result' in reply)) return null
        const { accountProof, ...rest } = reply.result as { accountProof: string[] }
        const last = accountProof.at(-1) ?? ''
        const changed = last.slice(0, -1) + (last.endsWith('0') ? '1' : '0')
        return { result: { ...rest, accountProof: [...accountProof.slice(0, -1), changed] } }
      }
      // Whichever upstream is queried first, the faulty one is queried before its quarantine.
      for (let slot = 0; slot < 200 && (await command('--lies', '1')).lies.length === 0; slot++) {
        const asked = await server.rpc('eth_getStorageAt', [
          contract,
          `0x${slot.toString(16)}`,
          'latest',
        ])
        assert.equal(asked.error, undefined)
        await honest.stop()
        await server.rpc('eth_getStorageAt', [
          contract,
          `0x${(slot + 1000).toString(16)}`,
          'latest',
        ])
        await honest.start()
      }
      let running = await command('--evidence')
      for (let look = 0; look < 100 && running.upstreams[0]?.live === null; look++) {
        await wait(100)
        running = await command('--evidence')
      }
      assert.equal(running.running, true)
      assert.equal(running.upstreams[1]?.live?.state, 'ok')
      assert.equal(running.lies[0]?.upstream, 'faulty')
      assert.equal(running.lies[0]?.method, 'eth_getProof')
      assert.match(running.lies[0]?.response ?? '', /accountProof/)
      assert.ok((running.upstreams[0]?.lies ?? 0) > 0)
      assert.doesNotMatch(JSON.stringify(running), /key-7654321/)
    } finally {
      await server.stop()
    }
    const stopped = await command('--ask')
    assert.equal(stopped.running, false)
    assert.deepEqual(
      stopped.upstreams.map(({ live }) => live),
      [null, null],
    )
    assert.partialDeepStrictEqual(stopped.upstreams[1]?.asked, { reachable: true, archive: true })
    assert.equal(stopped.lies[0]?.upstream, 'faulty')
    assert.equal(stopped.lies[0]?.response, undefined)
  },
)
