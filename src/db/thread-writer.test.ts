import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { begun } from '../../test/fakes/files/hash-worker-thread.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { createHashWorker } from '../codec/hash/hash-worker.ts'
import { createInlineWriter } from './inline-writer.ts'
import { portWriter } from './port-writer.ts'
import { openDatabase, type Database } from './sqlite.ts'
import { startThreadWriter, type ThreadWriter } from './thread-writer.ts'
import { NothingChanged, type Statement } from './writer.ts'

type Rig = { readonly path: string; readonly writer: ThreadWriter; readonly db: Database }

async function withThread(
  run: (rig: Rig) => Promise<void>,
  options: Partial<Parameters<typeof startThreadWriter>[0]> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-thread-'))
  const path = join(folder, 'cairn.db')
  const writer = await startThreadWriter({ path, ...options })
  const db = openDatabase(path, { readOnly: true })
  try {
    await run({ path, writer, db })
  } finally {
    db.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  }
}

function account(name: string): Statement {
  return {
    sql: 'INSERT INTO account (id, name, created) VALUES (?1, ?1, 0)',
    parameters: [name],
  }
}

const names = (db: Database): number =>
  db.get<{ n: number }>('SELECT count(*) AS n FROM account')?.n ?? 0

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

test('a write is visible to other connections as soon as it resolved', () =>
  withThread(async ({ writer, db }) => {
    assert.deepEqual(await writer.write([account('a'), account('b')]), [1, 1])
    assert.equal(names(db), 2)
  }))

test('many parallel writes are all answered, each with its own result', () =>
  withThread(async ({ writer, db }) => {
    const writes = Array.from({ length: 400 }, (_, n) =>
      writer.write([account(n % 4 === 3 ? 'twice' : `name ${n}`)]).then(
        () => true,
        () => false,
      ),
    )
    const done = (await Promise.all(writes)).filter(Boolean).length
    assert.equal(done, 301)
    assert.equal(names(db), 301)
  }))

test('BLOBs cross as they are, also views of larger buffers, and the caller keeps its own', () =>
  withThread(async ({ writer, db }) => {
    const buffer = Uint8Array.from({ length: 100 }, (_, n) => n)
    const views = [buffer.subarray(10, 20), Buffer.from('text'), new Uint8Array()]
    await writer.write(
      views.map((bytes) => ({ sql: 'INSERT INTO body (bytes) VALUES (?)', parameters: [bytes] })),
    )
    const stored = db.all<{ bytes: Uint8Array }>('SELECT bytes FROM body ORDER BY id')
    assert.deepEqual(
      stored.map(({ bytes }) => Buffer.from(bytes)),
      views.map((bytes) => Buffer.from(bytes)),
    )
    assert.equal(buffer.length, 100)
  }))

test('faults and unmet conditions keep their code and index over the thread border', () =>
  withThread(
    async ({ writer }) => {
      const idle: Statement = { sql: 'UPDATE account SET card = 1', parameters: [] }
      await assert.rejects(
        writer.write([idle, { ...idle, require: 'change' }]),
        (error) => error instanceof NothingChanged && error.index === 1,
      )
      const large = new Uint8Array(2 * 1024 * 1024)
      await assert.rejects(
        writer.write([{ sql: 'INSERT INTO body (bytes) VALUES (?)', parameters: [large] }]),
        isFault('no_space'),
      )
      await assert.rejects(writer.write([{ sql: 'nonsense', parameters: [] }]), /syntax error/)
    },
    { bytesMax: 1024 * 1024 },
  ))

test('a second port writes through the same thread', () =>
  withThread(async ({ writer, db }) => {
    const other = portWriter(writer.connect())
    await Promise.all([writer.write([account('a')]), other.write([account('b')])])
    assert.equal(names(db), 2)
    await other.close()
    await assert.rejects(other.write([account('c')]), isFault('shutting_down'))
    await writer.write([account('c')])
  }))

test('writes beyond the queue limit are refused; a single large write is accepted', () =>
  withThread(
    async ({ writer }) => {
      const blob = (size: number): Statement => ({
        sql: 'INSERT INTO body (bytes) VALUES (?)',
        parameters: [new Uint8Array(size)],
      })
      const first = writer.write([blob(5000)])
      await assert.rejects(writer.write([blob(1)]), isFault('overloaded'))
      await first
      const two = [writer.write([blob(1)]), writer.write([blob(1)])]
      await assert.rejects(writer.write([blob(1)]), isFault('overloaded'))
      await Promise.all(two)
      await writer.write([blob(1)])
    },
    { limits: { pendingMax: 2, pendingBytesMax: 1000 } },
  ))

test('close waits for queued writes; later ones are refused', () =>
  withThread(async ({ writer, db }) => {
    const writes = Array.from({ length: 100 }, (_, n) => writer.write([account(`name ${n}`)]))
    await writer.close()
    await Promise.all(writes)
    assert.equal(names(db), 100)
    await assert.rejects(writer.write([account('late')]), isFault('shutting_down'))
    assert.throws(() => writer.connect(), isFault('shutting_down'))
  }))

test('when the thread dies, pending and later writes fail with internal and the owner is notified', async () => {
  const { promise: death, resolve: onDeath } = Promise.withResolvers<unknown>()
  await withThread(
    async ({ writer }) => {
      // An invalid message makes the thread throw, as a bug in it would.
      writer.connect().postMessage({ id: 1 })
      const pending = writer.write([account('a')]).catch((error: unknown) => error)
      assert.ok((await death) instanceof Error)
      const outcome = await pending
      assert.ok(Array.isArray(outcome) || isFault('internal')(outcome))
      await assert.rejects(writer.write([account('b')]), isFault('internal'))
    },
    { onDeath },
  )
})

test('a database that cannot be opened fails the start', async () => {
  await assert.rejects(startThreadWriter({ path: '/nonexistent-folder/cairn.db' }))
})

test('an inline writer refuses writes after close', async () => {
  const db = openDatabase(':memory:')
  const writer = createInlineWriter(db)
  assert.deepEqual(await writer.write([{ sql: 'CREATE TABLE t (n)', parameters: [] }]), [0])
  await writer.close()
  await assert.rejects(writer.write([]), isFault('shutting_down'))
  db.close()
})

test('acknowledged writes survive kill -9 at any instant', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
  const path = join(folder, 'cairn.db')
  const acknowledged = new Set<string>()
  for (let round = 0; round < 10; round++) {
    const child = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('../../test/fakes/files/killed-writer.ts', import.meta.url)),
        path,
        `${round}`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    // The moment varies in acknowledged writes instead of milliseconds, so no sleep is needed.
    const fatal = 1 + Math.floor(Math.random() * 400)
    let acks = 0
    for await (const name of createInterface(child.stdout)) {
      acknowledged.add(name)
      if (++acks === fatal) child.kill('SIGKILL')
    }
    await ended
    assert.ok(acks >= fatal)
  }
  const db = openDatabase(path)
  const stored = new Set(db.all<{ id: string }>('SELECT id FROM account').map(({ id }) => id))
  const lost = [...acknowledged].filter((name) => !stored.has(name))
  assert.deepEqual(lost, [])
  assert.deepEqual(db.get('PRAGMA integrity_check'), { integrity_check: 'ok' })
  db.close()
  rmSync(folder, { recursive: true })
})

test('a guest works in the thread between its writes, and one that fails does not harm them', () =>
  withThread(async ({ writer, db }) => {
    const hashWorker = createHashWorker((module) => writer.attach(module))
    writer.attach({ entry: 'data:text/javascript,throw new Error()', data: null, transfer: [] })
    const piece = new Uint8Array(new SharedArrayBuffer(100_000))
    const hashing = await begun(hashWorker, piece, false)
    const [changes, digest] = await Promise.all([writer.write([account('a')]), hashing.wait()])
    assert.deepEqual([changes, names(db)], [[1], 1])
    assert.deepEqual(Buffer.from(digest), createHash('sha256').update(piece).digest())
  }))
