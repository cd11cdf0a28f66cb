// Usage that a server counts while PostgreSQL is unreachable, and cannot write before it exits: the next start writes it.
import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { bucket, missingVersitygw, startVersitygw } from '../fakes/files/versitygw.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'
import { until } from '../fakes/until.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc, runCli, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const postgres = usePostgres()
const missing = missingVersitygw()
const skip = missing === false ? postgres.skip : missing
const writtenMs = 30_000

/** A server that counts its calls, with its own database and bucket. */
async function open(t: TestContext, workers: number) {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const { access } = await startVersitygw(t)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = join(dataDir, 'cairn.yaml')
  await writeFile(
    config,
    JSON.stringify({
      workers,
      database: { url: '${env:DATABASE_URL}', connectionsMax: 4 },
      node: { only: true },
      objects: { ...access, url: `s3://${bucket}` },
      networks: [{ name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] }],
    }),
  )
  const env = { DATABASE_URL: postgres.server().urlOf(await postgres.createDatabase()) }
  const args = ['--config', config]
  let server: Started | null = null
  let apiKey = ''
  let calls = 0
  return {
    async start(): Promise<void> {
      server = await startCairn({ dataDir, args, env })
      const { child } = server
      t.after(() => child.kill('SIGKILL'))
      apiKey ||= server.apiKey
    },
    /** Opens new connections, so that each worker gets some. */
    async call(times: number): Promise<void> {
      for (let time = 0; time < times; time += 1) {
        const { result } = await rpc(server?.url ?? '', apiKey, 'eth_chainId')
        assert.equal(result, `0x${testChain.chainId.toString(16)}`)
        calls += 1
      }
    },
    async stop(): Promise<void> {
      assert.equal(await server?.stop(), 0, server?.log())
    },
    async spooledBytes(): Promise<number> {
      return (await stat(join(dataDir, 'usage.spool'))).size
    },
    async untilAllCounted(): Promise<void> {
      const usage = ['usage', '--window', '1h', '--data-dir', dataDir, ...args, '--json']
      await until(async () => {
        const { report } = (await runCli(usage, env)) as {
          report: { totals: { requests: number } }
        }
        assert.equal(report.totals.requests, calls)
      }, writtenMs)
    },
  }
}

test(
  'servers that stop while PostgreSQL is away lose no usage, with and without workers',
  { skip },
  async (t) => {
    // Both at the same time, since the test waits for each of them.
    const servers = await Promise.all([open(t, 0), open(t, 2)])
    const forEach = (run: (server: (typeof servers)[number]) => Promise<void>) =>
      Promise.all(servers.map(run))

    await forEach(async ({ start, call }) => {
      await start()
      await call(4)
    })
    await postgres.server().kill()
    await forEach(async ({ call, stop, spooledBytes }) => {
      await call(20)
      await stop()
      assert.notEqual(await spooledBytes(), 0)
    })
    await postgres.server().start()
    await forEach(async ({ start, call, untilAllCounted, stop, spooledBytes }) => {
      await start()
      await call(3)
      await untilAllCounted()
      await stop()
      assert.equal(await spooledBytes(), 0)
    })
  },
)
