// Servers that share file blocks in a bucket, as a user starts them: PostgreSQL, a real S3 service, two machines.
import assert from 'node:assert/strict'
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pause, systemClock } from '../../src/base/clock.ts'
import { parseCid } from '../../src/codec/ipld/cid.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { startDhtServers } from '../fakes/dht-servers.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import {
  bucket,
  missingVersitygw,
  type S3Service,
  startVersitygw,
} from '../fakes/files/versitygw.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'
import { noise } from '../fakes/seeded.ts'
import { until } from '../fakes/until.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { runCli, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const postgres = usePostgres()
const missing = missingVersitygw()
const skip = missing === false ? postgres.skip : missing
const mebibyte = 1024 * 1024
/** A failed announcement is retried after a minute. */
const announcedMs = 150_000

type Service = {
  readonly bucket: S3Service
  /** Starts a machine, on the folder of an earlier one or a new one. */
  start(dataDir?: string): Promise<Started>
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  cli(dataDir: string, ...args: readonly string[]): Promise<Record<string, unknown>>
}

async function openService(t: TestContext, more: object = {}): Promise<Service> {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const s3 = await startVersitygw(t)
  const name = await postgres.createDatabase()
  const database = postgres.server().urlOf(name)
  const { endpoint, accessKeyId } = s3.access
  const settings = {
    database: { url: '${env:DATABASE_URL}', connectionsMax: 4 },
    objects: {
      url: `s3://${bucket}/files`,
      endpoint,
      accessKeyId,
      secretAccessKey: '${env:S3_SECRET}',
    },
    ...more,
    networks: [{ name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] }],
  }
  const env = { DATABASE_URL: database, S3_SECRET: s3.access.secretAccessKey }
  const folders: string[] = []
  return {
    bucket: s3,
    async start(given) {
      const dataDir = given ?? (await temporaryFolder())
      const config = join(dataDir, 'cairn.yaml')
      const [first] = folders
      const node = { only: true, name: first === undefined ? 'one' : 'other' }
      await writeFile(config, JSON.stringify({ ...settings, node }))
      if (given === undefined) {
        t.after(() => rm(dataDir, { recursive: true, force: true }))
        if (first !== undefined) {
          await copyFile(join(first, 'identity.pem'), join(dataDir, 'identity.pem'))
        }
        folders.push(dataDir)
      }
      const server = await startCairn({ dataDir, args: ['--config', config], env })
      t.after(() => server.child.kill('SIGKILL'))
      return server
    },
    query: (sql) => postgres.server().query(name, sql),
    cli: (dataDir, ...args) =>
      runCli(
        [...args, '--data-dir', dataDir, '--config', join(dataDir, 'cairn.yaml'), '--json'],
        env,
      ),
  }
}

test(
  'servers with blocks in a bucket announce the address of the gateway, and take over from each other',
  { skip },
  async (t) => {
    const peers = await startDhtServers(t, 2)
    const gateway = '/dns4/gw.example.org/tcp/443/tls/http'
    const ipfsNetwork = {
      mode: 'provide',
      private: true,
      announce: [gateway],
      routers: [],
      bootstrap: peers.map(({ address }) => address),
    }
    const service = await openService(t, { ipfsNetwork })
    const holdersOf = async (cid: string): Promise<readonly string[]> => {
      const multihash = parseCid(cid)?.multihash.bytes ?? new Uint8Array(0)
      return (await Promise.all(peers.map((one) => one.providersOf(multihash)))).flat()
    }
    const one = await service.start()
    const list = await service.cli(one.dataDir, 'accounts', 'list')
    const { accounts } = list as { accounts: [{ name: string }] }
    await service.cli(one.dataDir, 'accounts', 'set', accounts[0].name, '--provide', 'roots')
    const other = await service.start()
    const { apiKey, apiKeySecret } = one
    for (const { post } of [one, { ...other, apiKey, apiKeySecret }].map(filesClient)) {
      const hasPeers = async () => (await (await post('swarm/peers')).text()).includes('"Peer"')
      await until(async () => assert.ok(await hasPeers()), announcedMs)
    }
    const first = await filesClient(one).add(noise('first', 1000))
    await until(async () => assert.ok((await holdersOf(first)).length > 0), announcedMs)
    const [peer = ''] = await holdersOf(first)
    assert.deepEqual(new Set(await peers[0]?.addressesOf(peer)), new Set([gateway]))

    await one.kill()
    const second = await filesClient({ ...other, apiKey, apiKeySecret }).add(noise('second', 1000))
    await until(async () => assert.ok((await holdersOf(second)).length > 0), announcedMs)
    assert.notEqual((await holdersOf(second))[0], peer)
  },
)

async function catFrom(server: Started, key: Started, cid: string): Promise<Buffer> {
  const { apiKey, apiKeySecret } = key
  const reply = await filesClient({ ...server, apiKey, apiKeySecret }).post(`cat?arg=${cid}`)
  assert.equal(reply.status, 200)
  return Buffer.from(await reply.arrayBuffer())
}

test(
  'a file added at one machine is read at another, byte for byte, also after restarts',
  { skip },
  async (t) => {
    const service = await openService(t)
    const one = await service.start()
    const files = filesClient(one)
    const contents = [noise('small', 1000), noise('large', 21 * mebibyte + 5)]
    const cids: string[] = []
    for (const content of contents) cids.push(await files.add(content))
    const other = await service.start()
    for (const [index, cid] of cids.entries()) {
      const content = contents[index] ?? Buffer.of()
      assert.ok((await catFrom(one, one, cid)).equals(content))
      assert.ok((await catFrom(other, one, cid)).equals(content))
      assert.ok((await catFrom(other, one, cid)).equals(content))
    }
    assert.deepEqual(await service.query('SELECT node FROM node_lease ORDER BY token'), [
      { node: 'one' },
      { node: 'other' },
    ])
    // The first machine and its disk are lost.
    await one.kill()
    await rm(one.dataDir, { recursive: true })
    await other.stop()
    const again = await service.start(other.dataDir)
    for (const [index, cid] of cids.entries()) {
      assert.ok((await catFrom(again, one, cid)).equals(contents[index] ?? Buffer.of()))
    }
    const { apiKey, apiKeySecret } = one
    const client = filesClient({ ...again, apiKey, apiKeySecret })
    const [cid = ''] = cids
    const pins = await (await client.post(`pin/ls?arg=${cid}`)).text()
    assert.match(pins, new RegExp(cid))
    assert.equal((await client.post(`pin/rm?arg=${cid}`)).status, 200)
    assert.equal((await client.post(`pin/add?arg=${cids[1] ?? ''}`)).status, 200)
  },
)

test(
  'a machine without the bucket refuses adds, reads from its disk, and answers 503 to other reads',
  { skip },
  async (t) => {
    const service = await openService(t)
    const server = await service.start()
    const files = filesClient(server)
    const content = noise('content', 3 * mebibyte)
    const cid = await files.add(content)
    assert.ok((await catFrom(server, server, cid)).equals(content))
    await service.bucket.kill()
    const form = new FormData()
    form.set('file', new Blob([noise('other', 1000)]))
    const refused = await files.post('add', form)
    assert.equal(refused.status, 503)
    assert.ok((await catFrom(server, server, cid)).equals(content))
    assert.equal(await server.stop(), 0)
    // Its memory and its disk cache are empty.
    await service.bucket.restart()
    await rm(join(server.dataDir, 'object-cache'), { recursive: true })
    const again = await service.start(server.dataDir)
    await service.bucket.kill()
    const { apiKey, apiKeySecret } = server
    const client = filesClient({ ...again, apiKey, apiKeySecret })
    assert.equal((await client.post(`cat?arg=${cid}`)).status, 503)
    await service.bucket.restart()
    const patience = systemClock.monotonic() + 20_000
    for (;;) {
      const reply = await client.post(`cat?arg=${cid}`)
      const bytes = Buffer.from(await reply.arrayBuffer())
      if (reply.status === 200) {
        assert.ok(bytes.equals(content))
        break
      }
      assert.ok(systemClock.monotonic() < patience, `status ${reply.status}`)
      await pause(100)
    }
  },
)

test(
  'a bucket of another database is refused with one sentence, and doctor reports it',
  { skip },
  async (t) => {
    const service = await openService(t)
    const one = await service.start()
    await filesClient(one).add(noise('content', 1000))
    const found = (await service.cli(one.dataDir, 'doctor').catch((error: unknown) => error)) as {
      problems?: readonly { code: string }[]
    }
    const codes = (found.problems ?? []).map(({ code }) => code)
    assert.ok(
      codes.every((code) => !code.startsWith('objects_')),
      codes.join(' '),
    )
    assert.deepEqual((await readdir(join(service.bucket.folder, 'files'))).toSorted(), [
      'cairn.json',
      'segments',
    ])
    await writeFile(join(service.bucket.folder, 'files', 'cairn.json'), '{"dataSet":"other"}')
    assert.equal(await one.stop(), 0)
    await assert.rejects(service.start(one.dataDir), /contains the files of another Cairn/)
  },
)

test('cairn gc collects in the bucket, with a server and without', { skip }, async (t) => {
  const service = await openService(t)
  const one = await service.start()
  const files = filesClient(one)
  const cid = await files.add(noise('content', 5000))
  await files.post(`pin/rm?arg=${cid}`)
  const withServer = await service.cli(one.dataDir, 'gc')
  assert.ok(Number(withServer['blocks']) >= 1)
  const next = await files.add(noise('other', 5000))
  await files.post(`pin/rm?arg=${next}`)
  await one.stop()
  const alone = await service.cli(one.dataDir, 'gc')
  assert.ok(Number(alone['blocks']) >= 1)
})

test('a resumable upload goes on at another machine', { skip }, async (t) => {
  const service = await openService(t)
  const [one, other] = [await service.start(), await service.start()]
  const { headers } = filesClient(one)
  const content = noise('upload', 9 * mebibyte + 3)
  const half = 5 * mebibyte
  const tus = { ...headers, 'tus-resumable': '1.0.0' }
  const made = await fetch(`${one.url}/tus/files`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(content.length) },
  })
  assert.equal(made.status, 201)
  const path = made.headers.get('location') ?? ''
  const patch = (server: Started, offset: number, body: Buffer) =>
    fetch(new URL(path, server.url), {
      method: 'PATCH',
      headers: {
        ...tus,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(body),
    })
  assert.equal((await patch(one, 0, content.subarray(0, half))).status, 204)
  await one.kill()
  const head = await fetch(new URL(path, other.url), { method: 'HEAD', headers: tus })
  assert.equal(head.headers.get('upload-offset'), String(half))
  const done = await patch(other, half, content.subarray(half))
  assert.equal(done.status, 200)
  const { Hash: cid } = (await done.json()) as { Hash: string }
  assert.ok((await catFrom(other, one, cid)).equals(content))
  const { comparison, problems } = await doctor(service, other.dataDir, '--objects')
  const ofNodes = problems.filter(({ code }) => code.startsWith('node_')).map(({ code }) => code)
  assert.deepEqual(ofNodes, ['node_not_alone'])
  const none = { count: 0, examples: [] }
  assert.ok(Number(comparison['objects']) >= 2)
  assert.partialDeepStrictEqual(comparison, {
    withoutRow: none,
    withoutObject: none,
    otherSize: none,
    isComplete: true,
  })
})

/** Other checks may find problems of the machine that runs the test. */
async function doctor(service: Service, dataDir: string, ...args: readonly string[]) {
  const found = await service.cli(dataDir, 'doctor', ...args).catch((error: unknown) => {
    return JSON.parse((error as { readonly stdout: string }).stdout) as Record<string, unknown>
  })
  return found as {
    readonly comparison: Record<string, unknown>
    readonly problems: readonly { readonly code: string }[]
  }
}
