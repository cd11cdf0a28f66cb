// Two servers over one PostgreSQL, one S3 service and one Valkey, each through separate links that can be cut, and the failures
// that a test causes.
import assert from 'node:assert/strict'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startToxiproxy, type Toxiproxy } from '../engines/toxiproxy.ts'
import { startValkey } from '../engines/valkey.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { bucket, startVersitygw } from '../fakes/files/versitygw.ts'
import type { PostgresFixture } from '../fakes/postgres-rows.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

/** Maximum time from the end of a failure to the first accepted write on every server. */
const recoveryMs = 40_000

/** Number of log lines of a server in an error. */
const logLines = 40

/** What fails, and how it recovers. */
export type Trouble = {
  readonly name: string
  begin(): Promise<void>
  end(): Promise<void>
}

export type Nodes = {
  /** The current server with this index, with the key of the first: a restarted one has another URL. */
  readonly at: (index: number) => Started
  readonly troubles: readonly Trouble[]
  /** Queries the database directly, without a link. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  /** Folder with the objects of the bucket. */
  readonly folder: string
  /** Waits until each server stores a block. */
  recovered(): Promise<void>
  /** The last log lines of each running server. */
  logs(): string
  /** Stops the servers with a signal; each must exit with code 0. */
  stop(): Promise<void>
  /** Arguments and environment to run a command on the data folder of the first server. */
  readonly command: { readonly args: readonly string[]; readonly env: Record<string, string> }
}

type Engine = { readonly name: string; readonly port: number }
type Node = {
  readonly dataDir: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly links: readonly { readonly name: string; readonly link: Toxiproxy }[]
  now: Started
}

/** The servers and engines stop with the test. */
export async function startNodes(t: TestContext, postgres: PostgresFixture): Promise<Nodes> {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const s3 = await startVersitygw(t)
  const valkey = await startValkey(t)
  const server = postgres.server()
  const database = await postgres.createDatabase()
  const engines: readonly [Engine, Engine, Engine] = [
    { name: 'PostgreSQL', port: server.port },
    { name: 'S3', port: Number(new URL(s3.url).port) },
    { name: 'Valkey', port: valkey.port },
  ]

  async function startNode(name: string, identityFrom: string | null): Promise<Node> {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    if (identityFrom !== null) {
      await copyFile(join(identityFrom, 'identity.pem'), join(dataDir, 'identity.pem'))
    }
    const links: { readonly name: string; readonly link: Toxiproxy }[] = []
    for (const engine of engines) {
      links.push({ name: engine.name, link: await startToxiproxy(t, engine.port) })
    }
    const [rows, objects, shared] = links.map(({ link }) => link.port)
    const config = join(dataDir, 'cairn.yaml')
    const { accessKeyId } = s3.access
    await writeFile(
      config,
      JSON.stringify({
        node: { name },
        database: { url: '${env:DATABASE_URL}', connectionsMax: 8 },
        objects: {
          url: `s3://${bucket}/files`,
          endpoint: `http://127.0.0.1:${objects}`,
          accessKeyId,
          secretAccessKey: '${env:S3_SECRET}',
        },
        shared: { url: `valkey://127.0.0.1:${shared}` },
        networks: [
          { name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] },
        ],
      }),
    )
    const env = {
      DATABASE_URL: `postgresql://postgres@127.0.0.1:${rows}/${database}`,
      S3_SECRET: s3.access.secretAccessKey,
    }
    const args = ['--config', config]
    const node = { dataDir, args, env, links, now: await startCairn({ dataDir, args, env }) }
    t.after(() => node.now.child.kill('SIGKILL'))
    return node
  }

  const first = await startNode('one', null)
  const nodes = [first, await startNode('other', first.dataDir)]
  const { apiKey, apiKeySecret } = first.now
  let stored = 0

  const at = (index: number): Started => {
    const node = nodes[index] ?? assert.fail(`no node ${index}`)
    return { ...node.now, apiKey, apiKeySecret }
  }

  return {
    at,
    troubles: [
      ...nodes.map(killOf),
      { name: 'kill PostgreSQL', begin: () => server.kill(), end: () => server.start() },
      { name: 'kill S3', begin: () => s3.kill(), end: () => s3.restart() },
      { name: 'kill Valkey', begin: () => valkey.kill(), end: () => valkey.start() },
      ...nodes.flatMap(linksOf),
    ],
    query: (sql) => server.query(database, sql),
    folder: join(s3.folder, 'files', 'segments'),
    async recovered() {
      for (const index of nodes.keys()) {
        await until(async () => {
          const body = new FormData()
          body.append('file', new Blob([`stored ${(stored += 1)}`]))
          const reply = await filesClient(at(index)).post('block/put?pin=false', body)
          const text = await reply.text()
          assert.equal(reply.status, 200, text)
        }, recoveryMs)
      }
    },
    logs: () =>
      nodes
        .map(({ now: { child, log } }, index) => {
          const ended = child.exitCode ?? child.signalCode
          const state = ended === null ? '' : `, ended with ${ended}`
          return [`node ${index + 1}${state}:`, ...log().split('\n').slice(-logLines)].join('\n')
        })
        .join('\n'),
    async stop() {
      for (const { now } of nodes) assert.equal(await now.stop(), 0, now.log())
    },
    command: { args: ['--data-dir', first.dataDir, ...first.args, '--json'], env: first.env },
  }
}

function killOf(node: Node, index: number): Trouble {
  const { dataDir, args, env } = node
  return {
    name: `kill node ${index + 1}`,
    begin: () => node.now.kill(),
    async end() {
      node.now = await startCairn({ dataDir, args, env })
    },
  }
}

function linksOf({ links }: Node, index: number): readonly Trouble[] {
  return links.flatMap(({ name, link }) => [
    { name: `cut node ${index + 1} from ${name}`, begin: link.cut, end: link.heal },
    { name: `silence ${name} for node ${index + 1}`, begin: link.silence, end: link.heal },
  ])
}
