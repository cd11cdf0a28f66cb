// Usage that a server counts while PostgreSQL is unreachable, and cannot write before it exits: the next start writes it.
import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
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

for (const workers of [0, 2]) {
  test(
    `a server that stops while PostgreSQL is away loses no usage, with ${workers} workers`,
    { skip },
    async (t) => {
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
          networks: [
            { name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] },
          ],
        }),
      )
      const env = { DATABASE_URL: postgres.server().urlOf(await postgres.createDatabase()) }
      const args = ['--config', config]
      const start = async (): Promise<Started> => {
        const started = await startCairn({ dataDir, args, env })
        t.after(() => started.child.kill('SIGKILL'))
        return started
      }
      let calls = 0

      /** Opens new connections, so that each worker gets some. */
      async function call({ url }: Started, apiKey: string, times: number): Promise<void> {
        for (let time = 0; time < times; time += 1) {
          const { result } = await rpc(url, apiKey, 'eth_chainId')
          assert.equal(result, `0x${testChain.chainId.toString(16)}`)
          calls += 1
        }
      }

      const first = await start()
      await call(first, first.apiKey, 4)
      await postgres.server().kill()
      await call(first, first.apiKey, 20)
      assert.equal(await first.stop(), 0, first.log())
      assert.notEqual((await stat(join(dataDir, 'usage.spool'))).size, 0)
      await postgres.server().start()
      const next = await start()
      await call(next, first.apiKey, 3)
      await until(async () => {
        const { report } = (await runCli(
          ['usage', '--window', '1h', '--data-dir', dataDir, ...args, '--json'],
          env,
        )) as { report: { totals: { requests: number } } }
        assert.equal(report.totals.requests, calls)
      }, writtenMs)
      assert.equal(await next.stop(), 0, next.log())
      assert.equal((await stat(join(dataDir, 'usage.spool'))).size, 0)
    },
  )
}
