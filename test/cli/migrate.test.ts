// `cairn migrate` between a data folder and a real PostgreSQL and S3 service, interrupted at each step.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFile, cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { runProgram } from '../../src/cli/program.ts'
import { moveToFolder, moveToShared } from '../../src/cli/relocate/move.ts'
import { movedTables } from '../../src/db/moved-tables.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { removeMoveMark } from '../../src/server/move-mark.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { bucket, missingVersitygw, startVersitygw } from '../fakes/files/versitygw.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'
import { noise } from '../fakes/seeded.ts'
import { until } from '../fakes/until.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const postgres = usePostgres()
const missing = missingVersitygw()
const skip = missing === false ? postgres.skip : missing
const startMs = 60_000
const large = noise('large', 3 * 1024 * 1024)

async function newFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

type Filled = {
  readonly dataDir: string
  readonly key: Pick<Started, 'apiKey' | 'apiKeySecret'>
  readonly cids: readonly string[]
}

let template: Filled
before(async () => {
  if (skip === false) template = await fill()
})
after(() => skip === false && rm(template.dataDir, { recursive: true, force: true }))

/** A copy of a folder with two accounts, keys, a person, usage, pins that share blocks, and unpinned files. */
async function copyFilled(t: TestContext): Promise<Filled> {
  const dataDir = await newFolder(t)
  await cp(template.dataDir, dataDir, { recursive: true })
  return { ...template, dataDir }
}

async function fill(): Promise<Filled> {
  const dataDir = await temporaryFolder()
  const server = await startCairn({ dataDir })
  await server.cli('accounts', 'create', 'other')
  const second = (await server.cli('keys', 'create', '--account', 'other')) as {
    readonly apiKey: string
    readonly apiKeySecret: string
  }
  const first = filesClient(server)
  const cids = [await first.add(large), await first.add(Buffer.from('small'))]
  cids.push(await filesClient({ ...server, ...second }).add(large))
  assert.equal((await first.post(`pin/rm?arg=${cids[1]}`)).status, 200)
  assert.ok((await server.rpc('eth_chainId')).result)
  await server.stop()
  const db = openDatabase(join(dataDir, 'cairn.db'))
  db.run(
    `INSERT INTO person (id, email, name, password, created, totp) VALUES ('p', 'p@example.org', 'P', 'x', 1, x'00ff')`,
  )
  db.run(`INSERT INTO membership SELECT id, 'p', 'owner', 2 FROM account`)
  db.close()
  const { apiKey, apiKeySecret } = server
  return { dataDir, key: { apiKey, apiKeySecret }, cids }
}

/** All rows that move, without the locations of block copies. */
function rowsOf(dataDir: string): Readonly<Record<string, readonly string[]>> {
  const db = openDatabase(join(dataDir, 'cairn.db'))
  try {
    const queries = [
      ...movedTables.map((name) => [name, `SELECT * FROM "${name}"`] as const),
      ['block', 'SELECT id, hash, size, created, file > 0 AS stored FROM block'] as const,
    ]
    return Object.fromEntries(
      queries.map(([name, sql]) => [
        name,
        db
          .all(sql)
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    )
  } finally {
    db.close()
  }
}

async function shareWith(t: TestContext) {
  const upstream = await startStubUpstream(t, await openStubChain(), {})
  const s3 = await startVersitygw(t)
  const name = await postgres.createDatabase()
  const { endpoint, accessKeyId, secretAccessKey } = s3.access
  const file = join(await newFolder(t), 'cairn.yaml')
  const settings = {
    database: { url: '${env:DATABASE_URL}', connectionsMax: 4 },
    node: { only: true },
    objects: {
      url: `s3://${bucket}/files`,
      endpoint,
      accessKeyId,
      secretAccessKey: '${env:S3_SECRET}',
    },
    networks: [{ name: 'chain', chainId: testChain.chainId, upstreams: [{ url: upstream.url }] }],
  }
  await writeFile(file, JSON.stringify(settings))
  const env = { DATABASE_URL: postgres.server().urlOf(name), S3_SECRET: secretAccessKey }
  return {
    name,
    file,
    env,
    async config(dataDir: string) {
      const flags = { dataDir: { flag: '--data-dir', text: dataDir } }
      return (await loadConfig({ file, env, flags, networks: [] })).config
    },
    /** Runs the command in this process. Rejects with its error output if it fails. */
    async cli(direction: string, dataDir: string): Promise<object> {
      let out = ''
      let err = ''
      const args = ['migrate', direction, '--config', file, '--data-dir', dataDir, '--json']
      const code = await runProgram(args, {
        out: (text) => (out += text),
        err: (text) => (err += text),
        readInput: async () => '',
        env,
      })
      if (code !== 0) throw new Error(err)
      return JSON.parse(out) as object
    },
    start: (dataDir: string) => startCairn({ dataDir, args: ['--config', file], env }),
    query: (sql: string) => postgres.server().query(name, sql),
  }
}

type Shared = Awaited<ReturnType<typeof shareWith>>

/** Repeats a move, and interrupts it once before each of its steps. */
async function interruptEach(
  move: typeof moveToShared,
  config: Awaited<ReturnType<Shared['config']>>,
): Promise<Awaited<ReturnType<typeof moveToShared>>> {
  const stopped = new Set<string>()
  for (let runs = 0; runs < 60; runs += 1) {
    const stop = new Error('stopped here')
    try {
      return await move({
        config,
        onBlocks: () => {
          if (stopped.has('in blocks')) return
          stopped.add('in blocks')
          throw stop
        },
        onStep(step) {
          if (stopped.has(step)) return
          stopped.add(step)
          throw stop
        },
      })
    } catch (error) {
      if (error !== stop) throw error
    }
  }
  throw new Error('the move does not end')
}

async function cat(server: Started, { key, cids }: Filled): Promise<void> {
  const client = filesClient({ ...server, ...key })
  const reply = await client.post(`cat?arg=${cids[0]}`)
  assert.equal(reply.status, 200)
  assert.ok(Buffer.from(await reply.arrayBuffer()).equals(large))
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Error)
  return error.message
}

test(
  'a folder moves to a shared database and back with all rows and files, stopped before each step',
  { skip, timeout: 300_000 },
  async (t) => {
    const filled = await copyFilled(t)
    const { dataDir } = filled
    const before = rowsOf(dataDir)
    assert.ok((before['usage'] ?? []).length > 0)
    const shared = await shareWith(t)
    const there = await interruptEach(moveToShared, await shared.config(dataDir))
    assert.equal(there.recount?.lost, 0)
    assert.equal(there.sampled, before['block']?.length)
    assert.equal(there.recount?.accounts, before['account_storage']?.length)
    assert.match(await failure(startCairn({ dataDir })), /were moved to a shared database/)
    assert.match(await failure(shared.cli('to-shared', dataDir)), /was moved already/)

    const machine = await newFolder(t)
    await copyFile(join(dataDir, 'identity.pem'), join(machine, 'identity.pem'))
    const back = await newFolder(t)
    await copyFile(join(dataDir, 'identity.pem'), join(back, 'identity.pem'))
    const returned = await interruptEach(moveToFolder, await shared.config(back))
    assert.equal(returned.recount?.lost, 0)
    assert.deepEqual(rowsOf(back), before)
    assert.match(await failure(shared.start(machine)), /were moved to a data folder/)
    const alone = await startCairn({ dataDir: back })
    t.after(() => alone.kill())
    await cat(alone, filled)

    removeMoveMark(dataDir)
    const old = await startCairn({ dataDir })
    t.after(() => old.kill())
    await cat(old, filled)
    await old.stop()

    // There once more: servers use the database again.
    assert.partialDeepStrictEqual(await shared.cli('to-shared', dataDir), { complete: true })
    const again = await shared.start(machine)
    t.after(() => again.kill())
    await cat(again, filled)
  },
)

test(
  'a server that starts on the target while blocks are copied keeps its rows',
  { skip, timeout: 300_000 },
  async (t) => {
    const { dataDir } = await copyFilled(t)
    const shared = await shareWith(t)
    const moving = moveToShared({
      config: await shared.config(dataDir),
      onBlocks: () => {},
      async onStep(step) {
        if (step !== 'rows') return
        await shared.query(`INSERT INTO account (id, name, created) VALUES ('a', 'new', 1)`)
        await shared.query(
          `INSERT INTO node_lease (node, until) VALUES ('early', now() + interval '1 minute')`,
        )
      },
    })
    assert.match(await failure(moving), /a server has used the database/)
    assert.deepEqual(await shared.query('SELECT name FROM account'), [{ name: 'new' }])
    const server = await startCairn({ dataDir })
    await server.stop()
  },
)

test(
  'a move whose process is killed again and again ends with all rows and files, beside a server too',
  { skip, timeout: 300_000 },
  async (t) => {
    const filled = await copyFilled(t)
    const { dataDir } = filled
    const shared = await shareWith(t)
    const serving = await startCairn({ dataDir })
    t.after(() => serving.kill())
    const first = await shared.cli('to-shared', dataDir)
    assert.partialDeepStrictEqual(first, { complete: false, blocks: { unreadable: 0 } })
    await serving.kill()
    for (let ms = 600; ms < 3000; ms += 600) {
      const args = ['migrate', 'to-shared', '--config', shared.file, '--data-dir', dataDir]
      const child = spawn(process.execPath, [bin, ...args], {
        env: { ...process.env, ...shared.env },
        stdio: 'ignore',
      })
      const timer = setTimeout(() => child.kill('SIGKILL'), ms)
      const code = await new Promise((resolve) => child.once('exit', resolve))
      clearTimeout(timer)
      if (code === 0) break
    }
    const done = await shared.cli('to-shared', dataDir).catch((error: unknown) => String(error))
    if (typeof done === 'string') assert.match(done, /was moved already/)
    const machine = await newFolder(t)
    await copyFile(join(dataDir, 'identity.pem'), join(machine, 'identity.pem'))
    const server = await shared.start(machine)
    t.after(() => server.kill())
    await cat(server, filled)
    const added = await filesClient({ ...server, ...filled.key }).add(Buffer.from('later'))
    assert.ok(added)

    // Back into the previous folder, while the server runs and after it stopped.
    const online = await shared.cli('to-folder', dataDir)
    assert.partialDeepStrictEqual(online, { complete: false })
    await server.stop()
    await shared.query('UPDATE node_lease SET until = now()')
    assert.partialDeepStrictEqual(await shared.cli('to-folder', dataDir), {
      complete: true,
      lost: 0,
      blocks: { copied: 0, unreadable: 0 },
    })
    const alone = await startCairn({ dataDir })
    t.after(() => alone.kill())
    await cat(alone, filled)
    const reply = await filesClient({ ...alone, ...filled.key }).post(`cat?arg=${added}`)
    assert.equal(await reply.text(), 'later')
  },
)

test(
  'a server that starts while its database is moved to a folder is refused',
  { skip, timeout: 300_000 },
  async (t) => {
    const shared = await shareWith(t)
    const machine = await newFolder(t)
    const first = await shared.start(machine)
    t.after(() => first.kill())
    const cid = await filesClient(first).add(Buffer.from('a file'))
    assert.equal(await first.stop(), 0)
    await shared.query('UPDATE node_lease SET until = now()')
    const back = await newFolder(t)
    await copyFile(join(machine, 'identity.pem'), join(back, 'identity.pem'))
    const refused: Promise<string>[] = []
    const moved = await moveToFolder({
      config: await shared.config(back),
      onBlocks: () => {},
      async onStep(step) {
        if (step !== 'rows account') return
        // The server is not marked yet, so it waits for the lease.
        const starting = shared.start(machine)
        refused.push(failure(starting).catch(String))
        t.after(() =>
          starting.then(
            (server) => server.kill(),
            () => {},
          ),
        )
        await until(async () => {
          const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'node_lease'::regclass AND NOT granted`
          assert.notEqual((await shared.query(waiting)).length, 0)
        }, startMs)
      },
    })
    assert.equal(refused.length, 1)
    // The move may take longer than a statement's timeout.
    assert.match(await (refused[0] ?? ''), /were moved to a data folder|overloaded/)
    assert.equal(moved.recount?.lost, 0)
    const alone = await startCairn({ dataDir: back })
    t.after(() => alone.kill())
    const { apiKey, apiKeySecret } = first
    const reply = await filesClient({ ...alone, apiKey, apiKeySecret }).post(`cat?arg=${cid}`)
    assert.equal(await reply.text(), 'a file')
  },
)

test(
  'a target with the rows or secrets of another server is refused',
  { skip, timeout: 300_000 },
  async (t) => {
    const { dataDir } = await copyFilled(t)
    const shared = await shareWith(t)
    await shared.query(`INSERT INTO account (id, name, created) VALUES ('a', 'foreign', 1)`)
    assert.match(await failure(shared.cli('to-shared', dataDir)), /has rows of another server/)
    const names = await shared.query('SELECT name FROM account')
    assert.deepEqual(names, [{ name: 'foreign' }])

    const stranger = await newFolder(t)
    await cp(dataDir, stranger, { recursive: true })
    await rm(join(stranger, 'identity.pem'))
    assert.match(await failure(shared.cli('to-folder', stranger)), /has no identity.pem/)
    assert.match(await failure(shared.cli('to-folder', dataDir)), /has 2 accounts of its own/)
  },
)
