// Servers that share a PostgreSQL database, as a user starts them.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pause, systemClock } from '../../src/base/clock.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { bucket, missingVersitygw, startVersitygw } from '../fakes/files/versitygw.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc, runCli, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const postgres = usePostgres()
const missing = missingVersitygw()
const skip = missing === false ? postgres.skip : missing

type Node = Started & { readonly config: string }

type Service = {
  readonly url: string
  readonly nodes: readonly Node[]
  cli(...args: readonly string[]): Promise<Record<string, unknown>>
}

async function settingsOf(t: TestContext): Promise<string> {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const { access } = await startVersitygw(t)
  return JSON.stringify({
    database: { url: '${env:DATABASE_URL}', connectionsMax: 4 },
    node: { only: true },
    objects: { ...access, url: `s3://${bucket}` },
    networks: [{ name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] }],
  })
}

/** All servers use the key pair of the first. */
async function startService(t: TestContext, count: number): Promise<Service> {
  const url = postgres.server().urlOf(await postgres.createDatabase())
  const settings = await settingsOf(t)
  const nodes: Node[] = []
  for (let at = 0; at < count; at += 1) {
    const dataDir = await temporaryFolder()
    const config = join(dataDir, 'cairn.yaml')
    await writeFile(config, settings)
    const [first] = nodes
    const secretsFile = first === undefined ? null : join(first.dataDir, 'identity.pem')
    const args = ['--config', config]
    const secrets = secretsFile === null ? {} : { CAIRN_SECRETS_FILE: secretsFile }
    const node = await startCairn({ dataDir, args, env: { DATABASE_URL: url, ...secrets } })
    assert.equal(existsSync(join(dataDir, 'identity.pem')), secretsFile === null)
    t.after(() => node.stop())
    nodes.push({ ...node, config })
  }
  const [{ dataDir, config }] = nodes as [Node]
  return {
    url,
    nodes,
    cli: (...args) =>
      runCli([...args, '--data-dir', dataDir, '--config', config, '--json'], { DATABASE_URL: url }),
  }
}

const isRefused = (reply: { error?: unknown }): boolean =>
  JSON.stringify(reply.error ?? null).includes('invalid project id')

async function until(isTrue: () => Promise<boolean>, ms: number): Promise<void> {
  const began = systemClock.monotonic()
  while (!(await isTrue())) {
    assert.ok(systemClock.monotonic() - began < ms, `not within ${ms} ms`)
    await pause(20)
  }
}

test('two servers share accounts, keys and usage', { skip }, async (t) => {
  const { nodes, cli } = await startService(t, 2)
  const [one, other] = nodes as [Node, Node]
  const key = one.apiKey
  assert.ok(key !== '' && other.apiKey === '', 'the first server made the first key')
  for (const { url } of nodes) {
    for (let calls = 0; calls < 5; calls += 1) {
      assert.equal(
        (await rpc(url, key, 'eth_chainId')).result,
        `0x${testChain.chainId.toString(16)}`,
      )
    }
  }
  await until(async () => {
    const { report } = (await cli('usage', '--window', '1h')) as {
      report: { totals: { requests: number } }
    }
    return report.totals.requests === 10
  }, 10_000)
  const { keys } = (await cli('keys', 'list')) as unknown as { keys: readonly { id: string }[] }
  await cli('keys', 'revoke', keys[0]?.id ?? '')
  for (const { url } of nodes) {
    await until(async () => isRefused(await rpc(url, key, 'eth_chainId')), 20_000)
  }
})

test(
  'a server whose database was killed answers known keys, and counts their calls once',
  { skip },
  async (t) => {
    const { nodes, cli } = await startService(t, 1)
    const [{ url, apiKey }] = nodes as [Node]
    await rpc(url, apiKey, 'eth_chainId')
    await postgres.server().kill()
    for (let calls = 0; calls < 20; calls += 1) {
      const { result } = await rpc(url, apiKey, 'eth_chainId')
      assert.equal(result, `0x${testChain.chainId.toString(16)}`)
      await pause(100)
    }
    await postgres.server().start()
    await until(async () => {
      const { report } = (await cli('usage', '--window', '1h')) as {
        report: { totals: { requests: number } }
      }
      assert.ok(report.totals.requests <= 21, 'no call counts twice')
      return report.totals.requests === 21
    }, 20_000)
  },
)

test('a server with another identity.pem is refused with the fix', { skip }, async (t) => {
  const { url } = await startService(t, 1)
  const dataDir = await temporaryFolder()
  const config = join(dataDir, 'cairn.yaml')
  await writeFile(config, await settingsOf(t))
  await assert.rejects(
    startCairn({ dataDir, args: ['--config', config], env: { DATABASE_URL: url } }),
    /copy that file from the data folder of a machine that uses this database/,
  )
})

test(
  'a database that cannot be reached ends the start with a sentence without the password',
  { skip },
  async (t) => {
    const dataDir = await temporaryFolder()
    const config = join(dataDir, 'cairn.yaml')
    await writeFile(config, await settingsOf(t))
    const url = 'postgresql://cairn:s3cret-word@127.0.0.1:1/cairn'
    await assert.rejects(
      startCairn({ dataDir, args: ['--config', config], env: { DATABASE_URL: url } }),
      (error: Error) =>
        /cannot use the database of database.url: connect ECONNREFUSED/.test(error.message) &&
        !error.message.includes('s3cret-word'),
    )
    const absent = postgres.server().urlOf('absent')
    await assert.rejects(
      startCairn({ dataDir, args: ['--config', config], env: { DATABASE_URL: absent } }),
      /cannot use the database of database.url: database "absent" does not exist/,
    )
  },
)
